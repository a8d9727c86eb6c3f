#!/bin/sh
# tokserve's trace mode, with curl, over a hand-made trace (tests/serve/mktrace.c).
. "$top_srcdir/tests/cli/lib.sh"
if ! command -v curl >/dev/null; then
	skip 'trace mode' 'no curl'; done_testing; exit 0
fi
mktrace=$top_builddir/tests/serve/mktrace
check 'the trace is written' "$mktrace" hand.tok
tokserve hand.tok --idle-exit 60s 2>err &
pids="$pids $!"; server=$!
port=$(wait_port err) || { echo "not ok 2 - server starts"; sed 's/^/# /' err; echo 1..2; exit 0; }
url=http://127.0.0.1:$port/v1/chat/completions

ask() { body=$1; shift; curl -sS -N -m 20 "$@" -d "{\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"$body\"}]}" "$url"; }
has() { grep -qF -- "$1" got || { cat got; return 1; }; }

first() {
	ask first >got
	has '"delta":{"role":"assistant"}' && has '"delta":{"reasoning_content":"Let"}' &&
		has '"delta":{"content":"Red"}' &&
		has '"delta":{"content":" \"fox\"\u000a\u0009\\"}' &&
		has '"delta":{"content":" rän"}' &&
		has '"delta":{"content":"😀."},"finish_reason":"stop"}' &&
		has '"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}' &&
		test "$(grep . got | tail -n 1)" = 'data: [DONE]' && test "$(grep -c '^data: ' got)" -eq 8
}
check 'the first recording of a body' first
second() { ask first >got; has '"content":"Again"' && test "$(grep -c '^data: ' got)" -eq 4; }
check 'the second recording of the same body' second
third() {
	ask first -o got -w '%{time_starttransfer} %{time_total}\n' >times
	has '"content":"Red"' || return 1
	# The head after 40 ms, the end after 260; never early, late only on a busy machine.
	awk '{ exit !($1 >= 0.040 && $1 < 0.3 && $2 >= 0.260 && $2 < 1.2) }' times || { cat times; return 1; }
}
check 'then the first again, at its times' third

completions() {
	curl -sS -N -m 20 "http://127.0.0.1:$port/v1/completions" -d '{"stream":true,"prompt":"x"}' >got
	has '"text":" two"' && has '"usage":{"prompt_tokens":9,"total_tokens":11,"completion_tokens":2}' &&
		has '"text":" three","logprobs":null,"finish_reason":"length"}'
}
check 'completions with usage in each chunk' completions
error() { test "$(ask busy -o got -w '%{http_code} %{content_type}')" = '503 text/html' && has '<h1>busy</h1>'; }
check 'an HTTP error with its body' error
cut() { fails 18 ask cut >got && has '"content":" a"' && ! grep -q DONE got; }
check 'a truncated stream is cut without its end' cut
silent() { fails 28 ask silent -m 1 >got && has 'then nothing'; }
check 'a timeout is silence' silent
whole() {
	curl -sS -m 20 "$url" -d '{"messages":[{"role":"user","content":"whole"}]}' >got
	has '"content":"in one piece"' && has '"completion_tokens":4'
}
check 'a response in one piece' whole
in_band() { ask 'in band' >got && has 'data: {"error":{"message":"engine died","code":500}}'; }
check 'an error in the stream' in_band
refused() { fails 52 ask refused >got; }
check 'no answer at all' refused
order() { ask unknown >got; has '"content":"Red"' && ask unknown >got && has '"content":"Again"'; }
check 'an unknown body: in the order of the trace' order
models() { curl -sS -m 20 "http://127.0.0.1:$port/v1/models" >got && has '"id":"recorded-model"'; }
check '/v1/models names the recorded model' models
stops() { kill -INT "$server" && wait "$server"; }
check 'SIGINT: exit 0' stops

by_order() {
	tokserve hand.tok --match order --speed 10 -n 2 -q 2>err2 & p=$!
	pids="$pids $p"
	port=$(wait_port err2) && url=http://127.0.0.1:$port/v1/chat/completions
	ask busy -o got -w '%{time_total}\n' >times && has '"content":"Red"' || return 1
	awk '{ exit !($1 >= 0.026 && $1 < 0.2) }' times || { cat times; return 1; }
	ask busy >got && has '"content":"Again"' && wait "$p"
}
check '--match order, --speed 10' by_order

none() {
	"$mktrace" none.tok requests && fails 1 tokserve none.tok 2>got || return 1
	test "$(wc -l <got)" -eq 1 && has 'tokserve: none.tok: no response in it to give back (9 requests); simulate an engine with --profile FILE instead'
}
check 'a trace without responses' none
done_testing
