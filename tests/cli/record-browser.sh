#!/bin/sh
# A chat page in a real browser, its API behind tokrecord: from the page's own origin and
# from another one.  The conversation is recorded as a session with its turns.
. "$top_srcdir/tests/cli/lib.sh"
n_cases=4
give_up() { while test $n -lt $n_cases; do skip browser "$1"; done; done_testing; exit 0; }
browser=$(command -v chromium || command -v chromium-browser) || give_up 'no Chromium here'
for t in python3 jq; do command -v $t >/dev/null || give_up "no $t here"; done

python3 "$top_srcdir/tests/server/mixed.py" server.jsonl "$top_srcdir/tests/e2e/chat.html" result.json >port.txt &
pids="$pids $!"
i=0
until test -s port.txt; do i=$((i + 1)); test $i -lt 200 || exit 99; sleep 0.05; done
upstream=http://127.0.0.1:$(cat port.txt)
tokrecord --listen 127.0.0.1:0 --upstream "$upstream" -o chat.tok 2>record.log &
recorder=$!
pids="$pids $recorder"
proxy=http://127.0.0.1:$(wait_port record.log) || { cat record.log; exit 99; }

# talk PAGE BASE WORD: three turns; leaves the page's answers in WORD.json.
talk() {
	rm -f result.json
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$PWD/profile" \
		--no-first-run "$1/chat.html?base=$2&say=$3+one&say=$3+two&say=$3+three" >browser.log 2>&1 &
	shown=$!
	i=0
	until test -s result.json; do
		i=$((i + 1))
		test $i -lt 550 || { cat browser.log; kill $shown; return 1; }
		sleep 0.1
	done
	kill $shown 2>/dev/null; wait $shown 2>/dev/null
	mv result.json "$3.json"
	jq -e '(.answers | length) == 3 and .failure == null' "$3.json"
}
check 'a page served through the recorder chats' talk "$proxy" '' same
check 'a page of another origin chats, after its preflight' talk "$upstream" "$proxy" other
kill -TERM "$recorder"; wait "$recorder"
tokconvert dump chat.tok | jq -c 'select(.kind == "request")' >requests.jsonl
tokanalyze --per-request --format jsonl chat.tok >chat.jsonl
sessions() {
	jq -es 'length == 6 and ([.[].turn] == [0, 1, 2, 0, 1, 2]) and all(.inferred) and
		(.[0:3] | map(.session) | unique | length) == 1 and (.[3:6] | map(.session) | unique | length) == 1 and
		.[0].session != .[3].session' requests.jsonl || { cat requests.jsonl; return 1; }
}
check 'each conversation is one session with turns 0 to 2, marked as inferred' sessions
same_text() {
	jq -es --slurpfile a same.json --slurpfile b other.json 'map(.text) == ($a[0].answers + $b[0].answers) and all(.status == "ok")' chat.jsonl
}
check 'the trace holds what the pages show' same_text
done_testing
