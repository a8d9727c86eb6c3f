#!/bin/sh
# tokconvert: subcommands, their mistakes, dump, cat, check and stat on whole and cut traces.
. "$top_srcdir/tests/cli/lib.sh"
command -v jq >/dev/null || { skip 'tokconvert' 'no jq'; done_testing; exit 0; }
mktrace=$top_builddir/tests/unit/convert_trace

is() { test "$1" = "$2" || { echo "got  $1"; echo "want $2"; return 1; }; }
# ends CODE "TEXT" COMMAND...: that exit, and one line on stderr with the text in it.
ends() {
	want=$1; text=$2; shift 2
	fails "$want" "$@" >out 2>err || return 1
	cat err
	test "$(wc -l <err)" -eq 1 && grep -qF -- "$text" err
}

check 'help' tokconvert --help
for sub in import dump cat check stat; do
	check "help of $sub" tokconvert $sub --help
	tokconvert $sub --help | sed -n 's/^  \(-.,\|   \) --\([a-z0-9-]*\).*/\2/p' >options
	documented() {
		test -s options || return 1
		while read -r o; do grep -q -- "Fl -$o" "$top_srcdir/formats/convert/tokconvert.1" || return 1; done <options
	}
	check "options of $sub are documented" documented
done
check 'version' tokconvert --version
check 'nothing' ends 2 'missing subcommand' tokconvert
check 'unknown subcommand' ends 2 "did you mean 'dump'" tokconvert dmup
check 'unknown option' ends 2 "did you mean '--skip-bad'" tokconvert import --skip-bda x -o y
check 'unknown format' ends 2 "did you mean 'azure'" tokconvert import --from azur x -o y
check 'no output' ends 2 'give -o' tokconvert import x
check 'layers that fall' ends 2 'rising numbers' tokconvert stat --layers 8k,1k x
check 'operands' ends 2 'missing operand' tokconvert dump

"$mktrace" good good.tok || exit 99
check 'a sound trace' tokconvert check good.tok
summary() { is "$(tokconvert check good.tok)" 'good.tok: 8 records, 1 segments, 2 requests, 2 responses, 5 events: ok'; }
check 'is counted' summary
line() { tokconvert dump good.tok | sed -n "$1p"; }
check 'dump: a line per record' is "$(tokconvert dump good.tok | jq -r .kind | paste -sd' ')" \
	'header phase request response response request response end'
check 'dump: events' is "$(line 4 | jq -c .events)" \
	'[{"t_ns":1010,"class":"role","choice":0,"flags":["choices"],"text":"assistant"},{"t_ns":1020,"class":"content","choice":0,"flags":["coalesced","choices"],"cum_tokens":1,"text":"a\"\n\u0001é"}]'
check 'dump: escapes' is "$(line 4 | grep -c 'a\\"\\n\\u0001')" 1
check 'dump: wrong UTF-8 is shown and kept' is "$(line 5 | jq -c '.events[1] | [.text, .text_base64]')" '["x�y","eP95"]'
check 'dump: a body of bytes' is "$(line 6 | jq -c '[.body, .body_base64]')" '[null,"AP8="]'
check 'dump: a body of text' is "$(line 3 | jq -r .body)" '{"a":1}'
check 'dump: numbers of 64 bits' is "$(line 3 | grep -c '"blocks":\[0,18446744073709551615\]')" 1
check 'dump: absent is left out' is "$(line 6 | jq -c '[has("session"), has("scheduled_ns"), has("input_tokens")]')" '[false,false,false]'

# Each kind of damage, named with its record.
for fault in twice:'record 6: request 0: a second one with this id' \
	orphan:'record 7: response 9: no such request before it' \
	backwards:'record 5: response 0: event 1 is earlier than the one before it' \
	early:"record 4: response 0: its first event (990) is before the request's sent_ns (1000)" \
	late:'record 5: response 0: end_ns (1005) is before its first event (1010)' \
	part:'record 5: response 0: part 2 where part 1 should be' \
	digest:"record 3: request 0: the body's SHA-256 is not its body_digest" \
	length:'record 3: request 0: body_len is 8, but the body has 7 bytes' \
	phase:'record 3: request 0: no phase 5 before it' \
	parent:'record 3: request 0: no request 7 (its parent) before it' \
	negative:'record 3: request 0: sent_ns is -1, before the segment' \
	counts:'record 8: end: says 3 responses, but the segment has 2' \
	status:'record 5: response 0: ended without a status' \
	blocks:'record 3: request 0: has blocks, but no block_tokens' \
	unended:'record 8: a segment begins, but the one before it has no end record'; do
	kind=${fault%%:*}
	"$mktrace" "$kind" "$kind.tok" || exit 99
	found() {
		fails 1 tokconvert check "$kind.tok" >out || return 1
		cat out
		test "$(wc -l <out)" -eq 2 && grep -qF -- "$kind.tok: ${fault#*:}" out && grep -q ': 1 faults$' out
	}
	check "check: $kind" found
done

# Cut, at the end and within; what is before the cut is given.
size=$(wc -c <good.tok)
for by in 1 10 100; do
	head -c $((size - by)) good.tok >cut.tok
	check "check: cut by $by" ends 1 'cut.tok: truncated' tokconvert check cut.tok
	check "stat: cut by $by" ends 1 'cut.tok: truncated' tokconvert stat cut.tok
	check "dump: cut by $by" ends 1 'cut.tok: truncated' tokconvert dump cut.tok
	check 'and every line before it is whole' jq . out
done
"$mktrace" unfinished unfinished.tok || exit 99
check 'never closed' ends 1 'truncated' tokconvert dump unfinished.tok
check 'all its records are dumped' is "$(wc -l <out)" 7
joined() {
	ends 1 'kept 7 records of it' tokconvert cat -q good.tok unfinished.tok good.tok -o joined.tok &&
		is "$(tokconvert check joined.tok)" 'joined.tok: 24 records, 3 segments, 6 requests, 6 responses, 15 events: ok' &&
		is "$(tokconvert dump joined.tok | jq -c 'select(.kind == "end") | [.requests, .interrupted]' | paste -sd' ')" \
			'[2,false] [2,true] [2,false]'
}
check 'cat keeps what is there and closes it' joined
same() {
	tokconvert cat -q good.tok good.tok -o two.tok && cat good.tok good.tok >plain.tok &&
		tokconvert dump two.tok >a && tokconvert dump plain.tok >b && cmp a b
}
check 'cat of sound traces is their records' same
piped() { tokconvert cat -q good.tok -o - | tokconvert check -; }
check 'through a pipe' piped
check 'cat: onto an input' ends 1 'is an input and the output' tokconvert cat good.tok good.tok -o good.tok
check 'the input is whole still' tokconvert check good.tok
check 'cat: stdin twice' ends 1 'stdin can be read only once' tokconvert cat - - -o x.tok
check 'cat: a missing input' ends 1 'none.tok: cannot open' tokconvert cat good.tok none.tok -o x.tok
check 'leaves no output' test ! -e x.tok

figures() {
	is "$(tokconvert stat --format json --layers 100 good.tok | jq -c '[.requests, .responses, .duration_ms, .distinct_arrivals,
		.input_tokens.n, .input_tokens.sum, .output_tokens.n, .output_tokens.sum, .prefix.hit_blocks, (.layers | keys_unsorted)]')" \
		'[2,2,0.001,2,1,600,2,7,0,["[0,100]","(100,inf)","unknown"]]'
}
check 'stat: what the source or the engine said' figures
segments() { # the second starts 5 s after the first
	"$mktrace" later later.tok && cat good.tok later.tok >s.tok &&
		is "$(tokconvert stat --format json s.tok | jq -c '[.duration_ms, .distinct_arrivals, .prefix.hit_blocks]')" '[5000.001,4,0]'
}
check 'stat: segments on one wall clock, prefixes apart' segments
check 'stat: a table' tokconvert stat --format tsv good.tok

for sub in dump check stat; do
	check "$sub: missing file" ends 1 'none.tok: cannot open' tokconvert $sub none.tok
	mkdir -p dir
	check "$sub: directory" ends 1 'dir: is a directory' tokconvert $sub dir
	echo 'not a trace' >text.tok
	check "$sub: not a trace" ends 1 'text.tok: ' tokconvert $sub text.tok
	: >empty.tok
	check "$sub: empty" ends 1 'empty.tok: empty' tokconvert $sub empty.tok
done
if test -c /dev/full; then
	full() { tokconvert "$@" >/dev/full; }
	for sub in dump check stat; do
		check "$sub: disk full" ends 1 'cannot write' full $sub good.tok
	done
	echo '{"timestamp":0,"input_length":5}' >one.jsonl
	check 'import: disk full' ends 1 '/dev/full' tokconvert import -q one.jsonl -o /dev/full
	check 'cat: disk full' ends 1 '/dev/full' tokconvert cat -q good.tok -o /dev/full
fi
done_testing
