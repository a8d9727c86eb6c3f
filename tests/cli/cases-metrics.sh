#!/bin/sh
# Cases D10, D11: several tokens in one event; one token, no token, one event.
. "$top_srcdir/tests/cli/cases.sh"

cat >d10 <<'END'
request
200 T "a" + u 1
230 T "b" + u 4
260 T "c" + u 8
290 T "d" + u 10
320 T "e" + u 13
321 F "stop" | DONE
request
200 T "a"
230 T "b"
260 T "c"
290 T "d"
320 T "e"
321 F "stop" | U 10 13 | DONE
END
d10() {
	play d10 -n 2 || return 1
	for i in 1 2; do
		"$expect" req.jsonl $i 'status="ok"' ttft_ms~200 output_tokens=13 output_tokens_estimated=false token_events=5 \
			gaps_ms~'[30,30,30,30]' tpot_ms~10@1 || return 1
	done
}
live 'D10 A, B: TPOT divides by tokens, not by events' d10
cat >d10c <<'END'
request
200 T "a" + u 4
230 T "b" + u 7
260 T "c" + u 10
290 T "d" + u 13
291 F "stop" | DONE
END
d10c() {
	play d10c -n 1 && "$expect" req.jsonl 1 output_tokens=13 token_events=4 tpot_ms~7.5@1 gaps_ms~'[30,30,30]'
}
live 'D10 C: several tokens in the first event' d10c

cat >d11 <<'END'
request
80 T "a"
81 F "stop" | U 5 1 | DONE
request
60 F "stop" | U 5 0 | DONE
request
100 T "a"
120 T "b"
140 T "c"
160 T "d"
180 T "e"
181 F "stop" | U 5 5 | DONE
request
150 T "whole text at once"
151 F "stop" | U 5 4 | DONE
END
d11() {
	play d11 -n 4 || return 1
	"$expect" req.jsonl 1 'status="ok"' ttft_ms~80 output_tokens=1 tpot_ms=null gaps_ms='[]' &&
		"$expect" req.jsonl 2 'status="ok"' ttft_ms=null first_answer_ms=null output_tokens=0 tpot_ms=null &&
		"$expect" req.jsonl 3 'status="ok"' ttft_ms~100 output_tokens=5 tpot_ms~20@4 &&
		"$expect" req.jsonl 4 'status="ok"' ttft_ms~150 output_tokens=4 tpot_ms=null token_events=1 &&
		"$expect" all.json 0 groups.0.requests.ok=4 groups.0.tpot_ms.n=1 groups.0.tpot_ms.mean~20@4 \
			groups.0.ttft_ms.n=3 groups.0.ttft_ms.mean~110 groups.0.output_tokens=10
}
live 'D11: no division by nothing, no zero for unknown' d11
no_nonsense() {
	tokanalyze --format csv run.tok >all.csv && ! grep -Ewi -e 'nan|inf|-0' all.csv all.json req.jsonl
}
check 'D11: no nan, inf or -0 in any output' no_nonsense

# A server that hashes bodies: two runs of one plan sent the same bytes in the same order.
digests() {
	play d11 -n 4 && cp server.log one.log && play d11 -n 4 && cmp one.log server.log &&
		tokreplay --plan --model m -n 4 lengths.tok >plan || return 1
	sed -n 's/.*"body_sha256":"\([0-9a-f]*\)".*/\1/p' plan >want
	awk '$1 == "request" { print $3 }' server.log | cmp - want
}
check 'the bodies sent are those of the plan' digests
done_testing
