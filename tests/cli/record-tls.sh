#!/bin/sh
# Clients over TLS: a stream arrives whole and event by event, and is recorded; a client
# that leaves is seen at once; an upstream over TLS is trusted by --cacert alone.
. "$top_srcdir/tests/cli/lib.sh"
command -v openssl >/dev/null || { skip TLS 'no openssl here'; done_testing; exit 0; }
openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 2 -subj /CN=localhost \
	-addext subjectAltName=DNS:localhost,IP:127.0.0.1 >openssl.log 2>&1 || { cat openssl.log; exit 99; }
tokserve --listen 127.0.0.1:0 --profile "$top_srcdir/replay/profiles/h200-9b-bf16.profile" 2>serve.log &
pids="$pids $!"
engine=http://127.0.0.1:$(wait_port serve.log) || exit 99

# An engine behind TLS is the recorder itself: the outer one speaks TLS to the inner one.
tokrecord --listen 127.0.0.1:0 --upstream "$engine" --cert c.pem --key k.pem -o inner.tok 2>inner.log &
inner=$!
pids="$pids $inner"
secure=https://localhost:$(wait_port inner.log) || { cat inner.log; exit 99; }
tokrecord --listen 127.0.0.1:0 --upstream "$secure" --cacert c.pem -o outer.tok 2>outer.log &
outer=$!
pids="$pids $outer"
plain=http://127.0.0.1:$(wait_port outer.log) || { cat outer.log; exit 99; }

ask() { # URL [CURL OPTIONS...]
	url=$1; shift
	curl -sN --cacert c.pem "$@" "$url/v1/chat/completions" -H 'Content-Type: application/json' \
		-d '{"model":"m","messages":[{"role":"user","content":"hello"}],"max_tokens":30,"ignore_eos":true,"stream":true,"seed":1}'
}
whole() { ask "$1" >"$2" && test "$(grep -c '"content":"[^"]' "$2")" -ge 30 && grep -q '^data: \[DONE\]' "$2" || { cat "$2"; return 1; }; }
check 'a stream through TLS is whole' whole "$secure" tls.sse
check 'a stream through an upstream with TLS is whole' whole "$plain" both.sse
twice() { test "$(curl -s --cacert c.pem -o /dev/null -o /dev/null -w '%{http_code} %{num_connects},' "$secure/v1/models" "$secure/v1/models")" = '200 1,200 0,'; }
check 'a connection is used again' twice
big() {
	python3 -c 'print("{\"prompt\":\"" + "a b " * 800000 + "\",\"max_tokens\":2}")' >big.json
	test "$(curl -s --cacert c.pem -o /dev/null -w '%{http_code}' "$secure/v1/completions" -H 'Content-Type: application/json' -d @big.json)" != 000
}
check 'a body of 3 MB passes' big
leaves() { ask "$secure" --max-time 0.2 -o left.sse; test $? -eq 28; }
check 'a client leaves in the middle' leaves
untrusted() { test "$(ask "$2" -o /dev/null -w '%{http_code}')" = 502 || { cat "$1"; return 1; }; }
tokrecord --listen 127.0.0.1:0 --upstream "$secure" -o none.tok 2>none.log &
none=$!
pids="$pids $none"
distrust=http://127.0.0.1:$(wait_port none.log) || exit 99
check 'an unknown authority is not trusted' untrusted none.log "$distrust"
tokrecord --listen 127.0.0.1:0 --upstream "$secure" --insecure -o any.tok 2>any.log &
any=$!
pids="$pids $any"
anything=http://127.0.0.1:$(wait_port any.log) || exit 99
check 'unless told to take any' whole "$anything" any.sse
check '--insecure warns' grep -q 'not checked' any.log
ends() {
	kill -TERM $outer $none $any; wait $outer $none $any
	kill -TERM $inner; wait $inner && tokanalyze -r -f jsonl inner.tok >inner.jsonl && tokanalyze -r -f jsonl none.tok >none.jsonl
}
check 'all end tidily' ends
recorded() {
	jq -es '(.[0:2] | all(.status == "ok" and .token_events >= 30)) and (map(select(.status == "cancelled")) | length) == 1' inner.jsonl &&
		jq -es '.[0] | .status == "error" and .error == "tls"' none.jsonl || { cat inner.jsonl none.jsonl; return 1; }
}
check 'what passed is recorded' recorded
spread() { jq -es '.[0] | .e2e_ms - .ttft_ms > 50' inner.jsonl; }
check 'event by event, not at once' spread
bad_files() {
	fails 1 tokrecord --listen 127.0.0.1:0 --upstream "$engine" --cert k.pem --key c.pem -o x.tok 2>bad.log
	test "$(wc -l <bad.log)" -eq 1 && grep -q 'k.pem' bad.log || { cat bad.log; return 1; }
}
check 'files that are no certificate and key are refused' bad_files
done_testing
