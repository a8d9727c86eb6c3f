#!/bin/sh
# tokserve TRACE + tokreplay + tokanalyze gives back the trace's times and texts.
# The limit is 2 ms at p99 on an idle machine; here it is looser, and the error is printed.
. "$top_srcdir/tests/cli/lib.sh"
cat >engine.profile <<'EOF'
toktrace_profile = 1
model = sim
max_num_seqs = 8
step_base_us = 8000
request_us = 20000
jitter = 0.3
output_tokens = 12
EOF
serve() { # ERR ARGS...: starts a server, sets $port
	e=$1; shift
	tokserve --idle-exit 60s "$@" 2>"$e" &
	pids="$pids $!"
	port=$(wait_port "$e")
}
# Twelve requests of different lengths, as imported without any response.
check 'the arrivals are written' "$top_builddir/tests/serve/mktrace" arrivals.tok lengths
record() {
	serve err1 --profile engine.profile &&
		tokreplay --base-url "http://127.0.0.1:$port" --model sim -c 3 -n 12 arrivals.tok -o source.tok
}
check 'record from a simulated engine' record
replay() {
	serve err2 source.tok &&
		tokreplay --base-url "http://127.0.0.1:$port" -c 3 -n 12 source.tok -o again.tok
}
check 'replay against the recording' replay
column() { sed -n "s/.*\"$2\":\\([-0-9.]*\\)[,}].*/\\1/p" "$1"; }
text() { sed -n 's/.*"text":\("\([^"\\]\|\\.\)*"\).*/\1/p' "$1"; }
tables() {
	tokanalyze --per-request --format jsonl source.tok >source.jsonl &&
		tokanalyze --per-request --format jsonl again.tok >again.jsonl &&
		text source.jsonl | sort >source.text && text again.jsonl | sort >again.text &&
		test "$(wc -l <source.text)" -eq 12
}
check 'both are analyzed' tables
check 'the texts are the same' cmp source.text again.text
# close NAME LIMIT_MS: sorted by text, so that pairs are of one request.
by_text() { paste "$1.keys" "$1.values" | sort | cut -f2; }
close() {
	for f in source again; do
		text $f.jsonl >$f.keys; column $f.jsonl "$1" >$f.values; by_text $f >$f.column
		test "$(wc -l <$f.column)" -eq 12 || return 1
	done
	paste source.column again.column | awk '{ d = $2 - $1; print d < 0 ? -d : d }' | sort -n >errors
	worst=$(tail -n 1 errors)
	echo "# $1: worst error $worst ms (12 requests)" >&3
	awk -v w="$worst" -v l="$2" 'BEGIN { exit !(w < l) }' || { paste source.column again.column; return 1; }
}
exec 3>&1
check 'TTFT is close' close ttft_ms 25
check 'TPOT is close' close tpot_ms 10
check 'E2E is close' close e2e_ms 25
done_testing
