#!/bin/sh
# Cases D06, D09, D12: how a stream ends, and what counts as failed.
. "$top_srcdir/tests/cli/cases.sh"

# D06: an error inside a 200 stream.
cat >d06 <<'END'
request
110 T "a"
130 T "b"
150 T "c"
151 F "stop"
152 U 5 3 | DONE
request
130 T "a"
150 T "b"
170 T "c"
171 F "stop"
172 U 5 3 | DONE
request
100 T "a"
120 T "b"
140 raw data: {"error":{"message":"engine stopped","type":"InternalServerError","param":null,"code":500}}\n\n
141 DONE
END
d06() {
	play d06 -n 3 || return 1
	"$expect" all.json 0 groups.0.requests.total=3 groups.0.requests.ok=2 groups.0.requests.error=1 \
		groups.0.output_tokens=6 groups.0.ttft_ms.n=2 groups.0.ttft_ms.mean~120@8 groups.0.e2e_ms.mean~160@8 &&
		"$expect" req.jsonl 3 'status="error"' output_tokens=2 token_events=2 'text="ab"' &&
		sed -n 3p req.jsonl | grep -q 'in_band' && tokconvert dump run.tok | grep -q 'engine stopped'
}
live 'D06 A: an error event makes a failed request, and DONE does not heal it' d06
cat >d06b <<'END'
request
50 raw event: error\ndata: {"error":{"code":400,"message":"bad request"}}\n\n
request
50 T "a"
60 raw data: error: out of memory\n\n
END
d06b() {
	play d06b -n 2 && "$expect" req.jsonl 1 'status="error"' ttft_ms=null token_events=0 &&
		"$expect" req.jsonl 2 'status="error"' token_events=1 &&
		tokconvert dump run.tok >dump && grep -q 'bad request' dump && grep -q 'out of memory' dump
}
live 'D06 B, C: event: error; an error that is no JSON' d06b

# D09: how a stream may end.
cat >d09 <<'END'
request
100 T "a"
120 T "b"
121 F "stop" | DONE
request
100 T "a"
120 T "b"
121 F "stop"
request
100 T "a"
120 T "b"
request
100 T "a"
120 T "b"
121 F "stop" | raw data: [DONE]\n
request
100 T "a"
120 T "b"
121 CUT
request
100 T "a"
120 T "b"
121 HOLD
request
100 T "a"
120 raw data:\x20 | J "b"
END
d09() {
	play d09 -n 7 --idle-timeout 500ms || return 1
	i=0
	for want in ok ok truncated ok truncated timeout truncated; do
		i=$((i + 1))
		"$expect" req.jsonl $i "status=\"$want\"" ttft_ms~100 || { echo "request $i"; return 1; }
	done
	"$expect" req.jsonl 6 duration_ms~620@40 && "$expect" req.jsonl 7 token_events=1 'text="a"' &&
		"$expect" all.json 0 groups.0.requests.ok=3 groups.0.requests.truncated=3 groups.0.requests.timeout=1 \
			groups.0.ttft_ms.mean~100 groups.0.ttft_ms.n=3
}
live 'D09 A-G: ok, truncated, timeout' d09
cat >d09h <<'END'
request
100 T "a"
120 T "b"
121 F "stop" | DONE
2121 ZERO
request
100 T "a"
120 T "b"
121 F "stop" | DONE
END
d09h() {
	play d09h -n 2 || return 1
	"$expect" req.jsonl 1 'status="ok"' duration_ms~121 && "$expect" req.jsonl 2 'status="ok"' || return 1
	# The second is sent when the first has ended: about 121 ms later.
	"$expect" req.jsonl 1 sent_ms~0@1000 && awk 'match($0, /"sent_ms":[0-9.]+/) {
		t[n++] = substr($0, RSTART + 10, RLENGTH - 10) } END { exit !(n == 2 && t[1] - t[0] < 500) }' req.jsonl
}
live 'D09 H: the stream ends at DONE, whatever the connection does' d09h

# D12: failures and the statistics; the tenth connection is refused.
busy='5 raw HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 16\r\nConnection: close\r\n\r\n{"error":"busy"}'
for t in 50 60 70 80 90 100; do
	echo request
	for k in 0 1 2 3 4 5 6 7 8 9 10; do echo "$((t + 20 * k)) T \"x\""; done
	echo "$((t + 201)) F \"stop\" | U 9 11 | DONE"
done >d12
printf '%s\n' 'request plain' "$busy" 'request plain' "$busy" request \
	'40 raw data: {"error":{"message":"no","code":500}}\n\n' >>d12
d12() {
	accept=9
	play d12 -n 10 -c 10 --timing recorded
	accept=
	"$expect" all.json 0 groups.0.requests.total=10 groups.0.requests.ok=6 groups.0.requests.error=4 \
		groups.0.errors.http_503=2 groups.0.errors.connect=1 groups.0.errors.in_band=1 \
		groups.0.ttft_ms.n=6 groups.0.ttft_ms.mean~75@12 groups.0.ttft_ms.p50~75@12 groups.0.tpot_ms.mean~20@1.5 \
		groups.0.output_tokens=66 groups.0.output_throughput_tok_s~220@15 groups.0.request_throughput_hz~20@1.4 &&
		test "$(grep -c '^request' server.log)" -eq 9
}
live 'D12: failures are counted by kind and enter no latency' d12
done_testing
