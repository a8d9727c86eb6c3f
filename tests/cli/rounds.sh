#!/bin/sh
# The protocol of rounds in one command against a simulated engine: four request lengths, three
# levels, three rounds of 8, 16 and 64 requests, exact lengths.
. "$top_srcdir/tests/cli/lib.sh"
{
	printf 'toktrace_profile = 1\nmodel = quick\nrequest_us = 100\nstep_base_us = 100\n'
	printf 'prefix_cache = 1\nblock_tokens = 16\nmax_batched_tokens = 1000000\nkv_tokens = 3000000\nmax_num_seqs = 256\n'
	printf '%s = 0\n' step_sequence_us step_context_ns prefill_token_us prefill_pair_ns request_token_us jitter
} >quick.profile
tokserve --idle-exit 120s --profile quick.profile --log-digests got 2>serve.err &
pids="$pids $!"
port=$(wait_port serve.err) || { cat serve.err; exit 99; }
url=http://127.0.0.1:$port
rows() { tokanalyze --per-request --format jsonl "$1"; }

protocol() {
	tokreplay --quiet --base-url "$url/v1" --scenario 1k:4,8k:5,16k:6,24k:8 -c 1,8,32 -n 8,16,64 \
		--rounds 3 --num-warmups 1 --ignore-eos -o run.tok && rows run.tok >run.jsonl
}
check 'the whole protocol in one command' protocol
counts() {
	test "$(wc -l <run.jsonl)" -ge 1056 || return 1
	tokconvert dump run.tok | jq -es '[.[] | select(.kind == "phase" and .verdict == "ok") | select(.phase_kind == "round" or .round != null)] | length == 36'
}
check '36 rounds' counts
valid() {
	tokanalyze --format json run.tok | jq -e '(.groups | length) == 12 and ([.groups[].requests.ok] | add) == 1056 and
		([.groups[].valid] | add) == 1056 and all(.groups[]; .rounds == 3)'
}
check '1,056 valid requests in 12 groups of three rounds' valid
exact() { jq -es 'all(.[]; [.input_tokens, .output_tokens] as $l | [[1024,4],[8192,5],[16384,6],[24576,8]] | index([$l]) != null)' run.jsonl; }
check 'every prompt and answer has the asked length' exact
# By other means: the median over rounds of each round's median.
medians() {
	tokanalyze --format json run.tok >run.json || return 1
	jq -es --slurpfile j run.json '
		def median: sort | length as $n | if $n % 2 == 1 then .[($n - 1) / 2] else (.[$n / 2 - 1] + .[$n / 2]) / 2 end;
		def near($b): . - $b | fabs < 1e-6;
		[map(select(.layer != null)) | group_by([.layer, .concurrency])[] | {layer: .[0].layer, concurrency: .[0].concurrency,
			rounds: [group_by(.phase_id)[] | map(.ttft_ms) | median]}] as $want |
		($want | length) == 12 and all($want[]; . as $w | $j[0].groups[] |
			select(.layer == $w.layer and .concurrency == $w.concurrency) | .by_round.ttft_ms.p50 |
			.n == 3 and (.median | near($w.rounds | median)) and (.min | near($w.rounds | min)) and
			(.max | near($w.rounds | max)))' run.jsonl
}
check 'medians of three rounds, with their spread' medians
table() { test "$(tokanalyze run.tok | grep -c '^[0-9]*k:[0-9]* .* ([0-9.]*-[0-9.]*)')" -eq 12; }
check 'they stand in the table' table
short() {
	tokreplay --quiet --base-url "$url" --scenario 16:2,100:2 -n 2 --exact-prompts probe --endpoint completions -o short.tok &&
		rows short.tok | jq -es 'map(.input_tokens) == [16,16,100,100]'
}
check 'exact by probes, too' short
words() {
	tokreplay --quiet --base-url "$url" --engine "$1" --exact-prompts off --scenario 20:3 -n 1 --ignore-eos -o words.tok || return 1
	got=$(tokconvert dump words.tok | jq -r 'select(.kind == "request").body | fromjson | [.ignore_eos, .min_tokens, .n_predict, .max_tokens] | tojson')
	test "$got" = "$2" || { echo "$got"; return 1; }
}
check 'the words of vLLM' words vllm '[true,3,null,3]'
check 'the words of SGLang' words sglang '[true,3,null,3]'
check 'the words of llama.cpp' words llamacpp '[true,null,3,3]'
check 'plain OpenAI' words openai '[null,null,null,3]'
# The same prompts once more are no new ones to the engine.
contaminated() {
	tokreplay --base-url "$url" --exact-prompts off --scenario 500:2 -n 3 --seed 7 -o first.tok 2>first.err &&
		tokreplay --base-url "$url" --exact-prompts off --scenario 500:2 -n 3 --seed 7 -o again.tok 2>again.err &&
		! grep -q 'prefix cache' first.err && grep 'phase 0: 3 prompts that should be new' again.err &&
		test "$(tokconvert dump again.tok | jq -r 'select(.kind == "phase" and .verdict != null).verdict')" = contaminated
}
check 'an alarm where the prefix cache knew the prompts' contaminated
warm() {
	tokreplay --base-url "$url" --scenario 500:2 -n 3 --seed 8 --cache warm -o warm.tok 2>warm.err &&
		! grep 'prefix cache' warm.err && rows warm.tok | jq -es 'map(select(.layer != null)) | length == 3 and all(.[]; .cached_tokens > 400)'
}
check 'warm: they were sent before' warm
digests() {
	tokreplay --quiet --base-url "$url" --plan --scenario 100:2 -c 2 -n 3 --rounds 2 >plan.out || return 1
	before=$(wc -l <got)
	tokreplay --quiet --base-url "$url" --scenario 100:2 -c 1 -n 3 --rounds 2 -o d.tok || return 1
	sed -n 's/.*"body_sha256":"\([0-9a-f]*\)".*/\1/p' plan.out >want
	test "$(tail -n 6 got | grep -o '[0-9a-f]\{64\}' | cmp - want && echo same)" = same
}
check 'the plan that is printed is what is sent' digests
check 'a scenario needs a number' fails 2 tokreplay --base-url "$url" --scenario 1k:8
check 'a scenario or a trace' fails 2 tokreplay --base-url "$url" --scenario 1k:8 -n 1 run.tok
check 'neither is a mistake' fails 2 tokreplay --base-url "$url"
done_testing
