#!/bin/sh
# The way to the engine: connections, retries, timeouts, and every kind of error once.
. "$top_srcdir/tests/cli/lib.sh"
lengths=$top_builddir/tests/replay/lengths expect=$top_builddir/tests/server/expect
scripted=$top_builddir/tests/server/scripted

seq 0 9 | awk '{ print $1 * 10, 20, 2 }' | "$lengths" ten.tok
# An answer that is right.
fine='request
0 T "a" | T "b" | F "stop" | U 9 2 | DONE'
hello='raw HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n'

# serve SCRIPT-TEXT: a scripted server; its URL is then in $url, its log in server.log.
serve() {
	printf '%s\n' "$1" >script
	: >server.err
	"$scripted" --log server.log script 2>server.err &
	server=$!
	pids="$pids $server"
	port=$(wait_port server.err) || { cat server.err; return 1; }
	url=http://127.0.0.1:$port
}
# run ARG...: replays, quietly; each response's last record is then a line of got.
run() {
	timeout 60 tokreplay --quiet --model m "$@" ten.tok -o run.tok 2>err
	code=$?
	test $code -lt 2 || { cat err; return 1; }
	tokconvert check run.tok || return 1
	tokconvert dump run.tok >dump && grep '"kind":"response".*"last":true' dump >got
}
ends() { kill "$server"; wait "$server"; test $? -ge 128; }
# says SCRIPT-TEXT STATUS KIND ARG...: one request against the script ends so.
says() {
	serve "$1" || return 1
	status=$2 kind=$3
	shift 3
	run --base-url "$url" -n 1 "$@"; rc=$?
	ends && test $rc -eq 0 && "$expect" got 1 "status=\"$status\"" "error_kind=\"$kind\"" || { cat got; return 1; }
}
requests() { test "$(grep -c '^request' server.log)" = "$1" || { cat server.log; return 1; }; }

# ---- connections ----

reused() {
	serve "$fine
$fine
$fine" && run --base-url "$url" -c 1 -n 3 --preconnect 0 && ends && requests 3 || return 1
	grep -c '"reused_connection":true' got | grep -qx 2 &&
		head -n 1 got | grep -q '"connect_ns":' && tail -n 1 got | grep -qv '"connect_ns":'
}
check 'a connection is used again' reused

opened_before() {
	serve "$fine
$fine
$fine" && run --base-url "$url" -c 3 -n 3 && ends && requests 3 || return 1
	test "$(grep -c '"reused_connection":true' got)" = 3 && ! grep -q connect_ns got &&
		test "$(grep -c '"written_ns":' got)" = 3
}
check 'connections are opened before the run' opened_before

retried() {
	serve "$fine
request plain
0 CUT
$fine" && run --base-url "$url" -c 1 -n 2 && ends && requests 3 || return 1
	"$expect" got 1 'status="ok"' && ! head -n 1 got | grep -q '"retried":true' &&
		"$expect" got 2 'status="ok"' 'retried=true' && tail -n 1 got | grep -q '"connect_ns":' || return 1
	test "$(tail -n 2 server.log | cut -d' ' -f3 | sort -u | wc -l)" -eq 1
}
check 'a stale connection: once more on a fresh one, and marked' retried
twice() {
	serve "$fine
request plain
0 CUT
request plain
0 CUT
$fine" && run --base-url "$url" -c 1 -n 2 && ends && requests 3 || return 1
	"$expect" got 2 'status="error"' 'error_kind="no_reply"' 'retried=true'
}
check 'but only once' twice
partial() {
	serve "$fine
request
0 T \"a\"
20 CUT
$fine" && run --base-url "$url" -c 1 -n 2 && ends && requests 2 || return 1
	"$expect" got 2 'status="truncated"' 'error_kind="cut"' && ! grep -q '"retried":true' got
}
check 'and not after a byte came' partial

# ---- every kind of error ----

first() { says 'request plain
0 CUT' error no_reply && requests 1; }
check 'no_reply; nothing is repeated on a connection that was new' first
check 'cut' says 'request
0 T "a"
20 CUT' truncated cut
check 'no_end' says 'request
0 T "a"' truncated no_end
check 'in_band' says 'request
0 T "a" | raw data: {"error":{"message":"out of blocks","code":500}}\n\n' error in_band
check 'http_STATUS' says 'request plain
0 raw HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy' error http_503
check 'not_stream' says 'request plain
0 raw HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n<html' error not_stream
check 'undecodable' says "request plain
0 $hello\\x1f\\x8b\\x08\\x00aaaaaaaaaaaaaaaaaaaaaa" error undecodable
check 'protocol' says 'request plain
0 raw 220 mail.example ESMTP\r\n' error protocol
check 'idle_timeout' says 'request
0 T "a"
0 HOLD' timeout idle_timeout --idle-timeout 200ms
check 'first_token_timeout, comments or not' says 'request
0 D {"role":"assistant","content":""}
100 raw : still there\n\n
200 raw : still there\n\n
300 raw : still there\n\n
5000 T "a"' timeout first_token_timeout --first-token-timeout 400ms --idle-timeout 300ms
check 'total_timeout' says 'request
0 T "a"
100 T "b"
200 T "c"
300 T "d"
5000 T "e"' timeout total_timeout --total-timeout 350ms --first-token-timeout 200ms
connect() { run --base-url http://127.0.0.1:1 -n 1 && "$expect" got 1 'status="error"' 'error_kind="connect"'; }
check 'connect' connect
resolve() { run --base-url http://nowhere.invalid -n 1 && "$expect" got 1 'status="error"' 'error_kind="resolve"'; }
check 'resolve' resolve
large() {
	# 17 MB of one event, in rows as long as a script takes them.
	{ echo 'request plain'; printf '%s\n' "0 ${hello}data: "
	  awk 'BEGIN { for (i = 0; i < 8000; i++) row = row "a"; for (i = 0; i < 2150; i++) print "0 raw " row }'; } >long
	says "$(cat long)" error event_too_large
}
check 'event_too_large' large
not_sent() {
	serve 'request
0 T "a"
5000 T "b"' || return 1
	run --base-url "$url" --request-rate 20 -c 1 --duration 400ms --grace 100ms; rc=$?
	ends && test $rc -eq 0 || return 1
	"$expect" got 1 'status="cancelled"' 'error_kind="not_sent"' || return 1
	grep -q '"status":"cancelled","error_kind":"cancelled"' got
}
check 'cancelled, not_sent' not_sent

if command -v python3 >/dev/null; then
	# The queue of connections to accept is full: another one gets no answer at all.
	cat >deaf.py <<'END'
import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(0)
a = s.getsockname()
keep = []
for i in range(4):
    c = socket.socket(); c.setblocking(False); c.connect_ex(a); keep.append(c)
print("listening on 127.0.0.1:%d" % a[1], file=sys.stderr, flush=True)
time.sleep(30)
END
	deaf() {
		python3 -I deaf.py 2>deaf.err &
		pids="$pids $!"
		port=$(wait_port deaf.err) && run --base-url "http://127.0.0.1:$port" -n 1 --preconnect 0 --connect-timeout 300ms &&
			"$expect" got 1 'status="timeout"' 'error_kind="connect_timeout"'
	}
	check 'connect_timeout' deaf
else
	skip 'connect_timeout' 'no python3'
fi

# ---- protocols ----

peers() { for t in node openssl; do command -v $t >/dev/null || return 1; done; node -e 'require("http2")' 2>/dev/null; }
if peers; then
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
		-keyout key.pem -out cert.pem 2>/dev/null
	peer() { # MODE
		: >peer.err
		node "$top_srcdir/tests/server/peer.js" "$1" >peer.log 2>peer.err &
		pids="$pids $!"
		port=$(wait_port peer.err) || { cat peer.err; return 1; }
	}
	h2c() {
		peer h2c && run --base-url "http://127.0.0.1:$port" --http2 -c 4 || return 1
		test "$(grep -c '"status":"ok".*"http_version":"2"' got)" = 10 && ! grep -qv 'version 2.0$' peer.log
	}
	check 'HTTP/2 by prior knowledge' h2c
	alpn() {
		peer tls && run --base-url "https://localhost:$port" --cacert cert.pem --http2 -c 4 &&
			test "$(grep -c '"status":"ok".*"http_version":"2"' got)" = 10 &&
			test "$(sort -u peer.log)" = 'session 1 version 2.0'
	}
	check 'HTTP/2 over TLS: many streams, one connection' alpn
	tls11() {
		run --base-url "https://localhost:$port" --cacert cert.pem -c 2 -n 4 &&
			test "$(grep -c '"status":"ok"' got)" = 4 && ! grep -q http_version got &&
			grep -c '"connect_ns":' got | grep -qx 2
	}
	check 'TLS: trusted by its certificate' tls11
	untrusted() {
		run --base-url "https://localhost:$port" -n 1 && "$expect" got 1 'status="error"' 'error_kind="tls"'
	}
	check 'tls: not trusted' untrusted
	insecure() {
		run --base-url "https://localhost:$port" -n 1 --insecure && "$expect" got 1 'status="ok"' && grep -q insecure err
	}
	check 'TLS: trusted blindly, and said so' insecure
	unix() {
		peer "$PWD/sock" && run --base-url "unix:$PWD/sock" -c 3 && test "$(grep -c '"status":"ok"' got)" = 10 &&
			grep -q '"url":"unix:/' dump
	}
	check 'a unix socket' unix
else
	for k in 1 2 3 4 5 6; do skip "protocols $k" 'no node with http2, or no openssl'; done
fi
usage() {
	fails 2 tokreplay --base-url unix:engine.sock ten.tok 2>err && grep -q 'whole path' err &&
		fails 1 tokreplay --base-url "$url" --cacert nofile ten.tok 2>err && grep -q 'nofile: No such file' err
}
check 'usage' usage
done_testing
