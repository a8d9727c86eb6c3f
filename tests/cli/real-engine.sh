#!/bin/sh
# A real engine that no one here wrote (llama.cpp behind a Node binding, with a small model
# made on the spot), recorded through tokrecord with the openai package and with curl, then
# replayed at C = 1, 4, 8 and analyzed; its answers at C = 8 against those at C = 1.
. "$top_srcdir/tests/cli/lib.sh"
e2e=$top_srcdir/tests/e2e
n_cases=13

give_up() {
	i=0
	while test $i -lt $n_cases; do i=$((i + 1)); skip "real engine $i" "$1"; done
	done_testing
	exit 0
}
for t in node npm python3 curl jq; do
	command -v $t >/dev/null || give_up "no $t here"
done
mkdir npm && cd npm || exit 99
echo '{"private":true}' >package.json
timeout 180 npm i -E --ignore-scripts --omit=optional --no-audit --no-fund @fugood/llama.node@1.7.15 \
	@fugood/node-llama-linux-x64@1.7.15 openai@6.49.0 >npm.log 2>&1 || give_up 'npm cannot install the engine'
cp "$e2e/engine.js" "$e2e/client.mjs" .
python3 -I "$e2e/mkmodel.py" tiny.gguf >model.log 2>&1 || { cat model.log; exit 99; }

port=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
node engine.js tiny.gguf "$port" 8 4096 >engine.log 2>&1 &
pids="$pids $!"
i=0
until curl -sf "http://127.0.0.1:$port/health" >/dev/null; do
	i=$((i + 1)); test $i -lt 300 || { cat engine.log; give_up 'the engine does not start on this machine'; }
	sleep 0.1
done

tokrecord --listen 127.0.0.1:0 --upstream "http://127.0.0.1:$port" -o day.tok 2>record.log &
recorder=$!
pids="$pids $recorder"
proxy=http://127.0.0.1:$(wait_port record.log) || { cat record.log; exit 99; }

check 'the openai client works through the recorder' sh -c "timeout 120 node client.mjs $proxy >client.json"
ask='{"model":"tiny.gguf","messages":[{"role":"user","content":"You may convey a work"}],"max_tokens":24,"temperature":0,"stream":true,"stream_options":{"include_usage":true}}'
curls() {
	for k in 1 2 3 4 5 6; do
		curl -sfN "$proxy/v1/chat/completions" -H 'Content-Type: application/json' -d "$ask" >"curl$k.sse" || return 1
	done
	grep -q 'data: \[DONE\]' curl6.sse
}
check 'curl works through the recorder' curls
stopped() { kill -TERM "$recorder" && wait "$recorder"; }
check 'the recorder ends tidily' stopped
tokanalyze --per-request --format jsonl day.tok >day.jsonl
recorded() {
	test "$(wc -l <day.jsonl)" -eq 10 || { cat day.jsonl; return 1; }
	jq -es --slurpfile c client.json '.[0].text == $c[0].chat and .[0].output_tokens == $c[0].tokens and
		.[0].status == "ok" and .[1].text == $c[0].completion and .[2].text == $c[0].plain and
		.[3].status == "cancelled" and .[3].token_events >= 4' day.jsonl
}
check 'what the client got is what the trace holds' recorded
curl_text=$(sed -n 's/^data: {/{/p' curl6.sse | jq -rj '.choices[0].delta.content // empty')
same_curl() { test "$(tail -n 1 day.jsonl | jq -rj .text)" = "$curl_text"; }
check 'curl: the same text' same_curl
no_secret() { test "$(zstd -dc day.tok | grep -c sk-TEST)" = 0; }
if command -v zstd >/dev/null; then check 'no key in the trace' no_secret; else skip 'no key in the trace' 'no zstd'; fi

replayed() {
	timeout 300 tokreplay --base-url "http://127.0.0.1:$port" -c 1,4,8 -n 4,8,16 --max-tokens 24 --quiet day.tok -o run.tok &&
		tokanalyze --layers 1k --format json run.tok >run.json
}
check 'replayed at C = 1, 4, 8' replayed
all_ok() {
	# Requests that asked for no usage stand in the layer "unknown": add the layers of a level.
	jq -e '[.groups | group_by(.concurrency)[] | {c: .[0].concurrency, n: (map(.requests.total) | add),
		ok: (map(.requests.ok) | add)}] == [{c:1,n:4,ok:4},{c:4,n:8,ok:8},{c:8,n:16,ok:16}]' run.json ||
		{ cat run.json; return 1; }
}
check 'every request is ok, each level is its own group' all_ok
sane() {
	jq -e '.groups | all(.ttft_ms.p50 > 0 and .output_throughput_tok_s > 0 and
		.ttft_ms.p50 <= .e2e_ms.p50 and .peak_concurrency <= .concurrency)' run.json || { cat run.json; return 1; }
}
check 'the figures hang together' sane

# Batch invariance at temperature 0: what C = 8 says against what C = 1 said.  Whether this
# engine is invariant is its own affair; each difference must be named down to the token.
seq 0 11 | awk '{ print $1 * 10, 30 + 9 * $1, 48 }' | "$top_builddir/tests/replay/lengths" twelve.tok
engine=http://127.0.0.1:$port
at_one() { timeout 300 tokreplay --quiet --base-url "$engine" -c 1 --ignore-eos twelve.tok -o one.tok; }
check 'answers at C = 1' at_one
invariant() {
	timeout 300 tokreplay --quiet --base-url "$engine" -c 1,8 --verify --format json one.tok -o batch.tok >verify.json || return 1
	jq -e '[.comparisons[] | .against] == ["recorded", "levels"] and (.comparisons[1].groups |
		any(.concurrency == 8 and .reference_concurrency == 1 and .compared == 12)) and
		all(.comparisons[]; .all.compared == .all.pairs and .all.identical + (.differences | length) == .all.compared and
			all(.differences[]; .run.event >= 0 and .equal_chars >= 0 and
				(.run.ended or .run.token != null) and .run.text != .reference.text))' verify.json >verdict ||
		{ cat verify.json; return 1; }
}
check 'C = 8 against C = 1: all compared, each difference named' invariant
# Another seed at temperature 0.8 says other words: those must be found different.
seeds() {
	for s in 1 2; do
		timeout 300 tokreplay --quiet --base-url "$engine" -c 1 -n 4 --extra-body "{\"temperature\":0.8,\"seed\":$s}" one.tok -o seed$s.tok || return 1
	done
	fails 1 tokreplay --verify-with seed1.tok --verify-strict --format json seed2.tok >seeds.json || return 1
	jq -e '.comparisons[0] | .against == "other" and .all.compared == 4 and .all.other_body == 4 and (.differences | length > 0) and
		all(.differences[]; .reference.ended or (.reference.token >= 0 and .reference.event_tokens >= 1))' seeds.json >verdict ||
		{ cat seeds.json; return 1; }
}
check 'another seed: the first token that differs is named' seeds
exact() {
	timeout 200 tokreplay --quiet --base-url "http://127.0.0.1:$port" --scenario 16:4,100:4,1k:4 -n 2 --rounds 2 \
		--ignore-eos -o exact.tok &&
		tokanalyze --per-request --format jsonl exact.tok | jq -es 'length == 12 and
			([.[].input_tokens] | group_by(.) | map([.[0], length])) == [[16,4],[100,4],[1024,4]] and
			all(.[]; .output_tokens == 4)'
}
check 'prompts have exactly the asked length as the engine counts' exact
done_testing
