#!/bin/sh
# Each option that --help shows is in the man page, and the page is clean.
. "$top_srcdir/tests/cli/lib.sh"
documented() {
	"$1" --help | sed -n 's/^  \(-.,\|   \) --\([a-z0-9-]*\).*/\2/p' >opts
	test -s opts || return 1
	while read -r o; do
		sed 's/\\-/-/g' "$2" | grep -q -- "Fl -$o" || { echo "no --$o in $2"; return 1; }
	done <opts
}
lint() { "$MANDOC" -T lint -W warning "$1"; }
for page in "$top_srcdir"/*/tok*.1 "$top_srcdir"/*/*/tok*.1; do
	test -f "$page" || continue
	tool=${page##*/}; tool=${tool%.1}
	check "$tool: options documented" documented "$tool" "$page"
done
for page in "$top_srcdir"/*/tok*.[15] "$top_srcdir"/*/*/tok*.[15]; do
	test -f "$page" || continue
	name=${page##*/}
	if test "$MANDOC" = :; then skip "$name: lint" 'no mandoc'; else check "$name: lint" lint "$page"; fi
done
done_testing
