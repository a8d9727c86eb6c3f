#!/bin/sh
# tokrecord between curl and an upstream that behaves as cases D24 to D26 say.
. "$top_srcdir/tests/cli/lib.sh"
for t in python3 curl jq zstd; do
	command -v $t >/dev/null || { skip 'the recording proxy' "no $t"; done_testing; exit 0; }
done
python3 "$top_srcdir/tests/server/upstream.py" >port 2>up.err &
pids="$pids $!"
i=0; until test -s port; do i=$((i + 1)); test $i -lt 100 || exit 99; sleep 0.1; done
upstream=http://127.0.0.1:$(cat port)
tokrecord --listen 127.0.0.1:0 --upstream "$upstream" -o run.tok --verbose 2>record.err &
recorder=$!
pids="$pids $recorder"
url=http://127.0.0.1:$(wait_port record.err)/v1/chat/completions
ask() { # MODE CURL-OPTION...
	mode=$1; shift
	curl -sN "$@" "$url" -d "{\"mode\":\"$mode\",\"stream\":true}"
}
leaves() { fails 28 ask "$@" >/dev/null; }

check 'D24 A: leaves in the middle' leaves A --max-time 0.35
check 'D24 B: leaves before the first byte' leaves B --max-time 1
check 'D24 D: leaves after the end marker' leaves D --max-time 0.4
check 'D24 E: a cut upstream cuts the client' fails 18 ask E
# The upstream sees the close within 300 ms of the client's.
closed_in_time() {
	sed -n 's/^A .* \([0-9]*\) ms$/\1/p; s/^A .* \(by\|at\) \([0-9]*\)$/\2/p' up.err | head -n 1 >a
	sed -n 's/^B peer closed at \([0-9]*\) ms$/\1/p' up.err | head -n 1 >b
	test "$(cat a)" -le 650 && test "$(cat b)" -le 1300 || { cat up.err; return 1; }
}
check 'D24: the upstream is left at once' closed_in_time

direct() { curl -sN "$upstream/v1/chat/completions" -d "{\"mode\":\"$1\",\"stream\":true}"; }
one_framing() { # MODE: head and body as case D26 wants them
	ask "$1" -D head >body && direct "$1" >want && cmp body want || return 1
	test "$(grep -ciE '^(transfer-encoding|content-length):' head)" -le 1 &&
		! grep -qiE '^(x-hop|keep-alive):' head || { cat head; return 1; }
}
check 'D26 A: hop-by-hop headers stay behind' one_framing hop
check 'D26 A: others pass' grep -qi '^x-request-id: q9' head
check 'D26 B: length and chunked' one_framing both
check 'D26 C: HTTP/1.0 until close' one_framing http10
gzip_passes() { ask "$1" -H 'Accept-Encoding: gzip' >body && direct "$1" >want && cmp body want && test "$(gzip -dc <body | grep -c '^data')" -eq 5; }
check 'D26 D: gzip passes untouched' gzip_passes gz
check 'D26 E: gzip that is not announced' gzip_passes gzbare
foreign_coding() { ask br >body && direct br >want && cmp body want; }
check 'D26: another coding passes untouched' foreign_coding
unauthorised() {
	curl -s "$url?key=sk-TEST-7777" -H 'Authorization: Bearer sk-TEST-1111' -H 'x-api-key: sk-TEST-2222' \
		-H 'api-key: sk-TEST-3333' -H 'X-Goog-Api-Key: sk-TEST-4444' -H 'Cookie: s=sk-TEST-5555' \
		-H 'Proxy-Authorization: Basic sk-TEST-6666' -d '{"mode":"401"}' >401 && grep -q 'wrong key sk-TEST-1111' 401
}
check 'D25: an error comes back as it is' unauthorised
passed_on() {
	line=$(grep '^REQ 401' up.err)
	for k in 1111 2222 3333 4444 5555 7777; do
		case $line in *sk-TEST-$k*) ;; *) echo "no $k: $line"; return 1 ;; esac
	done
	case $line in *6666*) echo "$line"; return 1 ;; esac
}
check 'D25: the upstream got all but Proxy-Authorization' passed_on

descriptors() { ls "/proc/$recorder/fd" | wc -l; }
crowd() {
	before=$(descriptors); crowd=
	i=0
	while test $i -lt 200; do i=$((i + 1)); leaves A --max-time 0.35 & crowd="$crowd $!"; done
	wait $crowd
	sleep 1
	after=$(descriptors)
	test "$after" -le "$before" || { echo "$before before, $after after"; return 1; }
	ask D --max-time 5 | grep -q DONE
}
if test -d "/proc/$recorder/fd"; then check '200 clients leave at once' crowd; else skip '200 clients' 'no /proc'; fi
ends() { kill -TERM "$recorder" && wait "$recorder"; }
check 'ends tidily' ends

tokanalyze --per-request --format jsonl run.tok >rows
row() { jq -es "$1" rows >/dev/null || { head -n 12 rows | cut -c1-600; return 1; }; }
# Three tokens were sent before the client left; a loaded machine may shift that by one.
check 'D24 A: cancelled, its tokens kept' row '.[0] | .status == "cancelled" and (.token_events | . >= 2 and . <= 4) and .ttft_ms > 80'
check 'D24 B: cancelled, no TTFT' row '.[1] | .status == "cancelled" and .ttft_ms == null and .error == "cancelled"'
check 'D24 D: ok' row '.[2].status == "ok"'
check 'D24 E: truncated' row '.[3] | .status == "truncated" and .token_events == 3'
check 'D26: plain text out of gzip, at its times' row \
	'[.[7], .[8]] | all(.text == "abc" and .token_events == 3 and (.gaps_ms | all(. > 50 and . < 200)))'
check 'D26: what cannot be unpacked makes no events' row '.[9] | .error == "undecodable" and .token_events == 0 and .http_status == 200'
check 'D25: the failure is recorded' row '.[10] | .error == "http_401" and .http_status == 401'
no_secret() { test "$(zstd -dc run.tok | grep -c sk-TEST)" = 0 && ! grep -q sk-TEST record.err rows; }
check 'D25: no secret in trace, log or report' no_secret
check 'D25: header names stay' sh -c "zstd -dc run.tok | grep -qi x-goog-api-key"
check 'private file' test "$(stat -c %a run.tok)" = 600

# Killed while it streams: what was recorded a second before is read, and the cut is said.
killed() {
	tokrecord --listen 127.0.0.1:0 --upstream "$upstream" -o killed.tok 2>killed.err &
	k=$!
	url=http://127.0.0.1:$(wait_port killed.err)/v1/chat/completions
	ask A --max-time 6 >/dev/null &
	c=$!
	sleep 3
	kill -9 $k; wait $k $c 2>/dev/null
	tokanalyze --per-request --format jsonl killed.tok >killed.rows 2>said
	test $? -eq 1 && grep -q truncated said && jq -e '.status == "truncated" and .token_events >= 12' killed.rows ||
		{ cat said killed.rows; return 1; }
}
check 'kill -9 loses at most a second' killed
down() {
	tokrecord --listen 127.0.0.1:0 --upstream http://127.0.0.1:1 -o down.tok --requests 1 2>down.err &
	d=$!
	url=http://127.0.0.1:$(wait_port down.err)/v1/chat/completions
	test "$(ask A -o answer -w '%{http_code}')" = 502 && jq -e '.error.code == 502' answer && wait $d &&
		tokanalyze -r -f jsonl down.tok | jq -e '.status == "error" and .error == "connect"'
}
check 'an upstream that is down' down
full() {
	tokrecord --listen 127.0.0.1:0 --upstream "$upstream" -o /dev/full 2>full.err
	test $? -eq 1 && test "$(wc -l <full.err)" -eq 1 && grep -q 'No space left' full.err
}
if test -c /dev/full; then check 'a full disk at the start' full; else skip 'a full disk' 'no /dev/full'; fi
busy() {
	port=$(cat port)
	tokrecord --listen "127.0.0.1:$port" --upstream "$upstream" -o busy.tok 2>busy.err
	test $? -eq 1 && test "$(wc -l <busy.err)" -eq 1 && grep -q "$port" busy.err || { cat busy.err; return 1; }
}
check 'a port in use' busy
done_testing
