#!/bin/sh
# Case D21: lengths that lie end at once, in little memory, with an error that names the place.
. "$top_srcdir/tests/cli/lib.sh"
command -v zstd >/dev/null || { skip 'lengths that lie' 'no zstd'; done_testing; exit 0; }
# An address space limit and the address sanitizer do not go together.
limit='ulimit -v 524288'
tokanalyze --help >/dev/null 2>&1; (eval "$limit"; tokanalyze --help) >/dev/null 2>&1 || limit=:

refused() { # NAME: NAME.raw compressed is refused
	zstd -qf "$1.raw" -o "$1.bad" || return 1
	(eval "$limit"; timeout 20 tokanalyze "$1.bad") >out 2>err
	test $? -eq 1 && test ! -s out && grep -q "$1.bad: .* at byte [0-9]* after [0-9]* records" err || { cat err; return 1; }
}
printf '\335\377\377\377\377' >array32.raw
printf '\337\377\377\377\377' >map32.raw
printf '\306\377\377\377\377' >bin32.raw
printf '\333\177\377\377\377A' >str32.raw
printf '\311\377\377\377\377\001' >ext32.raw
i=0; while test $i -lt 240; do printf '\334\377\377\334\377\377\334\377\377\334\377\377\334\377\377'; i=$((i + 1)); done >row
i=0; while test $i -lt 20; do cat row; i=$((i + 1)); done >arrays16.raw
head -c 200000 /dev/zero | tr '\0' '\221' >nested.raw; printf '\300' >>nested.raw
printf '\202\244kind\246header\241x' | cat - nested.raw >inside.raw
printf '\202\244kind\246header\241x\335\377\377\377\377' >value32.raw
# True lengths, but memory many times the file's: 16 million events, each a zero byte.
{ printf '\202\244kind\246header\247version\001\203\244kind\250response\242id\000\242dt\335\001\000\000\000'
	head -c 16777216 /dev/zero; } >events.raw
for f in array32 map32 bin32 str32 ext32 arrays16 nested inside value32; do
	check "$f" refused "$f"
done
too_many() { refused events && grep -q 'key "dt"' err; }
check 'more events than a record may have' too_many
zeros() {
	head -c 4294967296 /dev/zero | zstd -q -1 -c >zeros.bad || return 1
	(eval "$limit"; timeout 20 tokanalyze zeros.bad) 2>err
	test $? -eq 1 && grep -q 'not a record' err || { cat err; return 1; }
}
check '4 GiB of zeros' zeros
done_testing
