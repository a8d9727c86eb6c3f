#!/bin/sh
# tokserve's profile mode, with curl: streamed and not, the small pages, bad requests,
# clients that leave, bounded life.
. "$top_srcdir/tests/cli/lib.sh"
if ! command -v curl >/dev/null; then
	skip 'profile mode' 'no curl'; done_testing; exit 0
fi
cat >slow.profile <<'EOF'
toktrace_profile = 1
model = slow-1
max_model_len = 1000
max_num_seqs = 1
kv_tokens = 2000
step_base_us = 2000
output_tokens = 7
EOF
tokserve --profile slow.profile --idle-exit 60s --log-digests digests 2>err &
pids="$pids $!"; server=$!
port=$(wait_port err) || { echo "not ok 1 - server starts"; sed 's/^/# /' err; echo 1..1; exit 0; }
url=http://127.0.0.1:$port

post() { path=$1; shift; curl -sS -N -m 20 "$url$path" -H 'Content-Type: application/json' "$@"; }
has() { grep -q -- "$1" got || { cat got; return 1; }; }
count() { test "$(grep -c -- "$2" got)" -eq "$1" || { cat got; return 1; }; }
status() { test "$(curl -sS -m 20 -o got -w '%{http_code}' "$@")" = "$want" || { cat got; return 1; }; }
metric() { curl -sS -m 20 "$url/metrics" | awk -v m="$1" 'index($1, m "{") == 1 { print $2; exit }'; }

stream() {
	post /v1/chat/completions -d '{"model":"x","stream":true,"max_tokens":5,
		"messages":[{"role":"user","content":"one two three"}],
		"stream_options":{"include_usage":true}}' >got
	count 8 '^data: ' && count 5 '"content":' && count 1 '"finish_reason":"length"' &&
		has '"choices":\[\],"usage":{"prompt_tokens":3,"total_tokens":8,"completion_tokens":5}' &&
		test "$(grep . got | tail -n 1)" = 'data: [DONE]'
}
check 'chat, streamed: role, 5 tokens, finish, usage, end' stream

no_usage() {
	post /v1/completions -d '{"stream":true,"max_tokens":2,"prompt":"a"}' >got
	count 3 '^data: ' && count 2 '"text":' && ! grep -q usage got
}
check 'completions, streamed, no usage unless asked' no_usage

continuous() {
	post /v1/completions -d '{"stream":true,"max_tokens":3,"prompt":"a",
		"stream_options":{"include_usage":true,"continuous_usage_stats":true}}' >got
	has '"completion_tokens":1}' && count 2 '"completion_tokens":3}'
}
check 'usage in every chunk when asked' continuous

whole() {
	post /v1/chat/completions -d '{"max_tokens":4,"messages":[{"role":"user",
		"content":[{"type":"text","text":"a b"},{"type":"text","text":" c"}]}]}' >got
	has '"object":"chat.completion"' &&
		has '"usage":{"prompt_tokens":3,"total_tokens":7,"completion_tokens":4}' &&
		has '"finish_reason":"length"'
}
check 'chat in one piece' whole

by_itself() {
	post /v1/completions -d '{"prompt":[5,6,7]}' >got
	has '"finish_reason":"stop"' && has '"prompt_tokens":3,"total_tokens":10,"completion_tokens":7}'
	post /v1/completions -d '{"prompt":["x y","z"],"min_tokens":9}' >got
	has '"prompt_tokens":2,"total_tokens":11,"completion_tokens":9}'
}
check 'without a limit: the length of the profile, at least min_tokens' by_itself

same_text() {
	post /v1/completions -d '{"prompt":"a","max_tokens":20}' | sed 's/.*"text":\("[^"]*"\).*/\1/' >one
	post /v1/completions -d '{"prompt":"a","max_tokens":20}' | sed 's/.*"text":\("[^"]*"\).*/\1/' >two
	post /v1/completions -d '{"prompt":"b","max_tokens":20}' | sed 's/.*"text":\("[^"]*"\).*/\1/' >three
	cmp one two && ! cmp one three && test "$(tr -cd ' ' <one | wc -c)" -eq 19
}
check 'the same body, the same text; 20 words' same_text

choices() {
	post /v1/completions -d '{"prompt":"a","max_tokens":2,"n":2}' >got
	has '{"index":0,' && has '{"index":1,' && has '"completion_tokens":4'
}
check 'n = 2' choices

models() { curl -sS -m 20 "$url/v1/models" >got && has '"id":"slow-1"' && has '"max_model_len":1000'; }
check '/v1/models' models
want=200; check '/health' status "$url/health"
tokenize() {
	post /tokenize -d '{"prompt":"Hello there 1234"}' >got
	# Hello, there, space, 123, 4
	has '"count":5,"max_model_len":1000,"tokens":\[[0-9]*,[0-9]*,[0-9]*,[0-9]*,[0-9]*\]' || return 1
	post /tokenize -d '{"messages":[{"role":"user","content":"Hello there"}]}' >got
	has '"count":2,'
}
check '/tokenize' tokenize

want=404; check 'unknown path' status "$url/v2"
check '... says so in JSON' has '"code":404'
want=405; check 'GET of a POST path' status "$url/v1/completions"
want=400
bad() { check "$1" status "$url/v1/completions" -d "$2"; check "... says so" has "$3"; }
bad 'no JSON' '{"prompt":' '"message":"JSON decode error at byte'
bad 'no prompt' '{}' 'prompt must be'
bad 'max_tokens 0' '{"prompt":"a","max_tokens":0}' 'max_tokens must be at least 1, got 0'
bad 'a string for a number' '{"prompt":"a","max_tokens":"9"}' 'max_tokens must be an integer'
bad 'min above max' '{"prompt":"a","max_tokens":2,"min_tokens":3}' 'min_tokens must be'
bad 'too long' '{"prompt":"a b c","max_tokens":998}' 'maximum context length is 1000 tokens.*requested 1001 tokens'

leaves() {
	curl -sS -m 1 -o /dev/null "$url/v1/completions" -d '{"prompt":"a","max_tokens":900}' 2>/dev/null
	curl -sS -m 0.2 -o /dev/null "$url/v1/completions" -d '{"prompt":"a","max_tokens":900}' 2>/dev/null
	i=0
	while test "$(metric vllm:num_requests_running)" != 0 && test $i -lt 50; do
		sleep 0.02; i=$((i + 1))
	done
	# 900 tokens of 2 ms each: the slot would be taken for 0.8 s more.
	test $i -lt 30
}
check 'a client that leaves frees its slot' leaves

queue() {
	curl -sS -N -m 20 -o first "$url/v1/completions" -d '{"prompt":"a","max_tokens":900}' &
	curl -sS -N -m 20 -o second "$url/v1/completions" -d '{"prompt":"a","max_tokens":900}' &
	i=0
	while test "$(metric vllm:num_requests_waiting)" != 1 && test $i -lt 50; do
		sleep 0.02; i=$((i + 1))
	done
	test $i -lt 50 && test "$(metric vllm:num_requests_running)" = 1 || return 1
	kill $! && wait $! # so that the next ones need not wait
	true
}
check 'one slot: one runs, one waits' queue

metrics() {
	curl -sS -m 20 "$url/metrics" >got
	for m in vllm:num_requests_running vllm:num_requests_waiting vllm:kv_cache_usage_perc \
		vllm:prompt_tokens_total vllm:generation_tokens_total vllm:num_preemptions_total; do
		has "^# HELP $m " && has "^# TYPE $m " && has "^$m{model_name=\"slow-1\"} " || return 1
	done
	has '^vllm:request_success_total{finished_reason="stop",model_name="slow-1"} ' &&
		has '^vllm:cache_config_info{block_size="16",enable_prefix_caching="False",num_gpu_blocks="125"} 1$'
}
check '/metrics in the names of vLLM' metrics

digest() {
	printf '{"prompt":"a","max_tokens":20}' | sha256sum | cut -d' ' -f1 >want
	grep -c -x -f want digests >got
	test "$(cat got)" = 2
}
check 'digests of the bodies are written' digest

taken() {
	fails 1 tokserve --profile slow.profile --listen "127.0.0.1:$port" 2>got || return 1
	test "$(wc -l <got)" -eq 1 && has 'Address already in use; give another address'
}
check 'port in use: one line, exit 1' taken
stops() { kill -TERM "$server" && wait "$server"; }
check 'SIGTERM: exit 0' stops
bounded() { tokserve --profile slow.profile --idle-exit 50ms -q 2>got && count 1 .; }
check 'idle: exit 0' bounded
enough() {
	tokserve --profile slow.profile -n 1 -q 2>got & p=$!
	pids="$pids $p"
	port=$(wait_port got) && curl -sS -m 20 -o /dev/null "http://127.0.0.1:$port/v1/completions" \
		-d '{"prompt":"a"}' && wait "$p"
}
check 'enough requests: exit 0' enough

line() { # MESSAGE EXIT ARGS...: one line on stderr
	message=$1 code=$2; shift 2
	fails "$code" tokserve "$@" 2>got || return 1
	test "$(wc -l <got)" -eq 1 && has "$message"
}
printf 'toktrace_profile = 1\nmax_num_seq = 3\n' >bad.profile
check 'bad profile' line "tokserve: bad.profile: line 2: unknown key 'max_num_seq'; did you mean 'max_num_seqs'?" 1 --profile bad.profile
check 'missing profile' line 'tokserve: none.profile: No such file' 1 --profile none.profile
check 'missing trace' line 'tokserve: none.tok: .*No such file' 1 none.tok
check 'no address' line "'8000' is no address; give HOST:PORT" 1 --profile slow.profile --listen 8000
check 'nothing to serve' line 'give a trace, or --profile FILE' 2
check 'both' line 'not both' 2 --profile slow.profile some.tok
check 'speed 0' line 'above 0' 2 --profile slow.profile --speed 0
done_testing
