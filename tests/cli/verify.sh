#!/bin/sh
# tokreplay --verify: in a run and on finished traces; what differs is named.
. "$top_srcdir/tests/cli/lib.sh"
lengths=$top_builddir/tests/replay/lengths

cat >quick.profile <<'END'
toktrace_profile = 1
model = quick
step_base_us = 1000
END
serve() {
	name=$1; shift
	tokserve --idle-exit 60s "$@" 2>"$name.err" &
	pids="$pids $!"
	port=$(wait_port "$name.err") || { cat "$name.err"; return 1; }
	url=http://127.0.0.1:$port
}
# row FILE AGAINST C: "ITS-C PAIRS COMPARED IDENTICAL SAME-EVENTS" of the table in TSV.
row() { awk -F'\t' -v a="$2" -v c="$3" '$1 == a && $2 == c { print $3, $4, $5, $6, $8 }' "$1"; }
same() { test "$1" = "$2" || { echo "got $1"; echo "want $2"; return 1; }; }

seq 0 11 | awk '{ print $1 * 10, 40 + 7 * $1, 20 }' | "$lengths" twelve.tok
serve quick --profile quick.profile
recorded() { tokreplay --quiet --probe --base-url "$url" -c 1 twelve.tok -o day.tok; }
check 'a recorded day' recorded

in_a_run() {
	tokreplay --quiet --base-url "$url" -c 1,8 --verify-strict --format tsv day.tok -o run.tok >got || return 1
	same "$(row got recorded 1)" '1 12 12 12 12' && same "$(row got recorded 8)" '1 12 12 12 12' &&
		same "$(row got levels 8)" '1 12 12 12 12'
}
check 'a run against what was recorded, and C=8 against C=1' in_a_run

alone() {
	tokreplay --verify --format tsv run.tok >got && same "$(row got levels 8)" '1 12 12 12 12' || return 1
	tokreplay --verify-with day.tok --format tsv run.tok >got && same "$(row got recorded 8)" '1 12 12 12 12' || return 1
	tokreplay --verify-with run.tok --format tsv day.tok >got && same "$(row got other 1)" '1 12 12 12 12'
}
check 'the same on finished traces' alone

# The simulated engine's words follow from the body: another limit, other words from the first on.
serve other --profile quick.profile
differs() {
	tokreplay --quiet --base-url "$url" -c 1 --max-tokens 12 day.tok -o short.tok || return 1
	tokreplay --verify-with day.tok short.tok >table || return 1
	fails 1 tokreplay --verify-with day.tok --verify-strict --format json short.tok >json || return 1
	grep -q 'request 0 (C=1) against request 0 (C=1): content differs at token 0, after 0 characters: "", then "' table &&
		grep -q '^and 2 more; --format json has them all' table &&
		grep -q 'bodies differ' table || { cat table; return 1; }
	command -v jq >/dev/null || return 0
	jq -e '.format == "toktrace-verify" and .version == 1 and (.comparisons | length == 1 and
		.[0].against == "recorded" and .[0].all.pairs == 12 and .[0].all.identical == 0 and
		.[0].all.identical_share == 0 and .[0].all.other_body == 12 and (.[0].differences | length == 12 and
		all((.run.ended | not) and .run.token == 0 and .run.event == 0 and .reference.token == 0 and
		.reference.event_tokens == 1 and .run.id == .source_id and .run.text != .reference.text and .channel == "content" and
		.choice == 0 and (.same_body | not)) ))' json >/dev/null || { cat json; return 1; }
}
check 'the first token that differs is named' differs

nothing() {
	fails 1 tokreplay --verify day.tok 2>err && grep -q 'nothing to compare' err || return 1
	fails 1 tokreplay --verify-with twelve.tok day.tok 2>err && grep -q 'no request of the run has an answer there' err
}
check 'a check that checks nothing fails' nothing
no_text() {
	tokreplay --quiet --base-url "$url" --no-text -n 3 day.tok -o blind.tok || return 1
	tokreplay --verify-with day.tok blind.tok >got && grep -q '3 pairs not compared.*no text' got &&
		fails 1 tokreplay --verify-strict --verify-with day.tok blind.tok
}
check 'without texts there is no verdict' no_text
usage() {
	fails 2 tokreplay --base-url "$url" --verify day.tok 2>err >/dev/null && grep -q -- '-o RUN.tok' err || return 1
	fails 1 tokreplay --verify missing.tok 2>err && grep -q 'missing.tok: .*No such file' err || return 1
	fails 2 tokreplay --verify --format yaml day.tok 2>err && grep -q format err
}
check 'usage' usage
if test -w /dev/full; then
	full() { fails 1 tokreplay --verify run.tok >/dev/full 2>err && test "$(wc -l <err)" -eq 1; }
	check 'a full disk' full
fi
done_testing
