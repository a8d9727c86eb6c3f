#!/bin/sh
# All protocols, streamed and not, at once through tokrecord: same bytes on both sides, and
# the trace holds each exchange once, as the upstream sent it.
. "$top_srcdir/tests/cli/lib.sh"
n_cases=5
command -v python3 >/dev/null || { while test $n -lt $n_cases; do skip mixed 'no python3 here'; done; done_testing; exit 0; }
exchanges=${TOKTRACE_MIXED-300}

python3 "$top_srcdir/tests/server/mixed.py" server.jsonl >port.txt &
pids="$pids $!"
i=0
until test -s port.txt; do i=$((i + 1)); test $i -lt 200 || exit 99; sleep 0.05; done
tokrecord --listen 127.0.0.1:0 --upstream "http://127.0.0.1:$(cat port.txt)" -o mixed.tok 2>record.log &
recorder=$!
pids="$pids $recorder"
port=$(wait_port record.log) || { cat record.log; exit 99; }
before=$(ls /proc/$recorder/fd 2>/dev/null | wc -l)

check "$exchanges exchanges go through" timeout 120 python3 "$top_srcdir/tests/cli/record_mixed.py" send "$port" "$exchanges" client.jsonl
nothing_open() {
	i=0
	while test "$(ls /proc/$recorder/fd | wc -l)" -gt $((before + 40)); do
		i=$((i + 1)); test $i -lt 40 || { ls -l /proc/$recorder/fd; return 1; }
		sleep 0.05
	done
}
check 'no client connection stays open' nothing_open
sdks() {
	mkdir -p npm && cd npm && echo '{"private":true}' >package.json &&
		timeout 180 npm i -E --ignore-scripts --omit=optional --no-audit --no-fund openai@6.49.0 \
			@anthropic-ai/sdk@1.14.0 ollama@0.6.4 >npm.log 2>&1 || return 1
	cp "$top_srcdir/tests/e2e/mixed.mjs" . && cd ..
}
if command -v npm >/dev/null && (sdks); then
	check 'and those of the openai, anthropic and ollama packages and of fetch' \
		sh -c "cd npm && timeout 180 node mixed.mjs http://127.0.0.1:$port $((exchanges * 7 / 3)) >../sdk.jsonl"
else
	skip 'packages' 'npm cannot install them here'
fi
whole() {
	kill -TERM "$recorder" && wait "$recorder"
	tokconvert check mixed.tok && tokconvert dump mixed.tok >mixed.dump && tokanalyze --per-request --format jsonl mixed.tok >mixed.jsonl
}
check 'the trace is whole' whole
check 'bytes, order, texts, statuses are those that were sent' python3 "$top_srcdir/tests/cli/record_mixed.py" compare server.jsonl mixed.dump mixed.jsonl client.jsonl $(ls sdk.jsonl 2>/dev/null)
cp sdk.jsonl server.jsonl client.jsonl mixed.dump mixed.jsonl "${KEEP_MIXED-/nonexistent}" 2>/dev/null
done_testing
