#!/bin/sh
# Conversations through tokrecord: sessions and turns, samples of them, and their replay with
# and without text against a simulated engine with a prefix cache.
. "$top_srcdir/tests/cli/lib.sh"
for t in python3 jq curl; do
	command -v $t >/dev/null || { skip 'recorded sessions' "no $t"; done_testing; exit 0; }
done
cat >sim.profile <<'EOF'
toktrace_profile = 1
model = m
prefix_cache = 1
max_model_len = 200000
max_num_seqs = 8
kv_tokens = 2000000
step_base_us = 200
output_tokens = 40
EOF
# engine: a fresh one, its cache empty; $engine is its URL.
engine() {
	tokserve --profile sim.profile --idle-exit 300s 2>serve.err &
	server=$!; pids="$pids $server"
	engine=http://127.0.0.1:$(wait_port serve.err)
}
stop() { kill -TERM "$1" && wait "$1"; }
# talk NAME OPTION...: conversations through a recorder; NAME.usage has their prompt and cached tokens.
talk() {
	of=$1; shift
	engine
	tokrecord --listen 127.0.0.1:0 --upstream "$engine" -o "$of.tok" "$@" 2>"$of.err" &
	recorder=$!; pids="$pids $recorder"
	python3 "$top_srcdir/tests/record/talk.py" "http://127.0.0.1:$(wait_port "$of.err")" $sessions $turns $words >"$of.usage" &&
		stop $recorder && stop $server && tokconvert dump "$of.tok" >"$of.dump" && tokconvert check "$of.tok"
}
again() {
	engine
	tokreplay -q --base-url "$engine" -c 1 "$1.tok" -o "re-$1.tok" && stop $server &&
		tokconvert dump "re-$1.tok" | jq -rs '[.[] | select(.kind == "response" and .last)] |
			"\(map(.prompt_tokens) | add) \(map(.cached_tokens // 0) | add)"' >"re-$1.usage"
}
holds() { jq -es "[.[] | select(.kind == \"request\")] | $2" "$1.dump" >/dev/null || { jq -c 'select(.kind == "request") | del(.body, .headers)' "$1.dump" | head -n 20; return 1; }; }

sessions=8 turns=6 words=400
conversations='length == 48 and (group_by(.session) | length == 8 and all(sort_by(.turn) | map(.turn) == [range(6)] and
	all(.inferred) and (.[0].parent == null) and ([.[1:][].parent] == [.[:-1][].id])))'
check 'record conversations' talk text
check 'eight sessions of six turns, each after its parent' holds text "$conversations"
check 'the same without text' talk bare --no-text
check 'sessions without text' holds bare "$conversations"
# Whole blocks of 512 tokens less than what the engine shared.
figures() {
	read -r prompt cached <bare.usage
	tokconvert stat --format json bare.tok >stat && jq -e --argjson p "$prompt" --argjson c "$cached" '
		.sessions.n == 8 and .sessions.inferred == 8 and .sessions.requests.min == 6 and .sessions.requests.max == 6 and
		.input_tokens.sum == $p and .prefix.hit_tokens <= $c and .prefix.hit_tokens >= $c - 48 * 512' stat >/dev/null || { cat stat bare.usage; return 1; }
}
check 'tokconvert stat counts sessions and shared tokens' figures
by_request() { tokanalyze -r -f jsonl text.tok | jq -es 'length == 48 and all(.session_inferred) and (map(.session) | unique | length) == 8 and (map(select(.turn > 0)) | all(.parent != null))' >/dev/null; }
check 'tokanalyze --per-request has session and turn' by_request
check 'replay with text' again text
check 'it is what was recorded' cmp text.usage re-text.usage
check 'replay without text' again bare
said() { cat text.usage re-text.usage bare.usage re-bare.usage; return 1; }
# As long as the engine counted, to the token; what is shared within two percent of the prompts.
shares() {
	read -r prompt cached <text.usage
	read -r got_prompt got_cached <re-bare.usage
	test "$got_prompt" -eq "$prompt" && test "$got_cached" -le "$cached" &&
		test $(((cached - got_cached) * 100)) -le $((prompt * 2)) || said
}
check 'prompts as long, sharing as much' shares
# A parent's answer ends before its turn is sent.
in_turn() {
	tokconvert dump "re-$1.tok" | jq -es 'map(select(.kind == "request")) as $q |
		(map(select(.kind == "response" and .last)) | map({key: "\(.id)", value: .end_ns}) | from_entries) as $ended |
		($q | map(select(.parent != null)) | length) == 40 and
		($q | all(.parent == null or $ended["\(.parent)"] <= .sent_ns))' >/dev/null
}
check 'turn after turn, with text' in_turn text
check 'turn after turn, without' in_turn bare
wide() {
	engine
	tokreplay -q --base-url "$engine" -c 8 text.tok -o re-text.tok && stop $server && in_turn text
}
check 'eight at once, still turn after turn' wide

openssl_salt() { printf '%s\n' 0123456789abcdef0123456789abcdef >salt; }
openssl_salt
sessions=40 turns=3 words=10
one() { talk one --sample 30% --salt-file salt; }
two() { talk two --sample 30% --salt-file salt --no-text; }
check 'a sample of the sessions' one
whole='(group_by(.session) | length >= 4 and length <= 22 and all(map(.turn) == [0, 1, 2])) and (map(.id) == [range(length)])'
check 'whole sessions, about a third' holds one "$whole"
check 'the rest is counted' sh -c 'n=$(jq -s "[.[] | select(.kind == \"request\")] | length" one.dump); grep -q "$n exchanges recorded, $((120 - n)) passed ($((120 - n)) of them not in the sample)" one.err'
check 'the header says so' sh -c 'head -n 1 one.dump | jq -e ".run.sample == \"30%\"" >/dev/null'
check 'once more, without text' two
check 'the same sessions with the same salt' sh -c 'for n in one two; do jq -r "select(.kind == \"request\") | \"\(.session) \(.turn) \(.body_len)\"" $n.dump >$n.kept; done; cmp one.kept two.kept'
check 'no salt in it' sh -c '! zstd -qdc two.tok | grep -a 0123456789abcdef0123'

named() {
	engine
	tokrecord --listen 127.0.0.1:0 --upstream "$engine" -o named.tok --no-text 2>named.err &
	recorder=$!; pids="$pids $recorder"
	url=http://127.0.0.1:$(wait_port named.err)/v1/chat/completions
	for i in 1 2; do
		curl -sS "$url" -H 'X-OpenWebUI-Chat-Id: chat-4711' -d "{\"messages\":[{\"role\":\"user\",\"content\":\"$i\"}],\"max_tokens\":2}" >/dev/null || return 1
	done
	stop $recorder && stop $server && tokconvert dump named.tok >named.dump && ! zstd -qdc named.tok | grep -a chat-4711
}
check 'sessions that the client names' named
check 'are not inferred' holds named '(map(.session) | unique | length) == 1 and all(.inferred == null) and .[1].parent == 0 and .[1].turn == 1'
done_testing
