#!/bin/sh
# How tokrecord ends: SIGTERM lets streams end, SIGINT does not, a second signal is at once.
. "$top_srcdir/tests/cli/lib.sh"
for t in python3 curl jq; do
	command -v $t >/dev/null || { skip 'signals of the recorder' "no $t"; done_testing; exit 0; }
done
python3 "$top_srcdir/tests/server/paced.py" >port &
pids="$pids $!"
i=0; until test -s port; do i=$((i + 1)); test $i -lt 100 || exit 99; sleep 0.1; done
upstream=http://127.0.0.1:$(cat port)

# start NAME OPTION...: a recorder; sets $recorder, $url.
start() {
	run=$1; shift
	tokrecord --listen 127.0.0.1:0 --upstream "$upstream" -o "$run.tok" "$@" 2>"$run.err" &
	recorder=$!
	pids="$pids $recorder"
	url=http://127.0.0.1:$(wait_port "$run.err")/v1/chat/completions
}
# ask N GAP CURL-OPTION...
ask() {
	chunks=$1 gap=$2; shift 2
	curl -sN "$@" "$url" -d "{\"n\":$chunks,\"gap\":$gap,\"stream\":true}"
}
begun() { # FILE: a stream has begun to come
	i=0
	until grep -q data "$1" 2>/dev/null; do i=$((i + 1)); test $i -lt 100 || return 1; sleep 0.05; done
}
now_ms() { echo $(($(date +%s%N) / 1000000)); }
refused() { fails 7 curl -s -o /dev/null "$url" -d '{}'; }
ended() { # NAME
	tokconvert dump "$1.tok" | jq -es 'last | .kind == "end" and (.interrupted // false) == '"$2"
}

drain() {
	start drain
	ask 80 0.1 >drain.out &
	c=$!
	begun drain.out || return 1
	# Another client keeps its connection open, idle.
	python3 - "$url" <<'P' &
import http.client, sys, time, urllib.parse
u = urllib.parse.urlparse(sys.argv[1])
c = http.client.HTTPConnection(u.hostname, u.port)
c.request('GET', '/health')
c.getresponse().read()
open('idle', 'w').close()
sys.exit(0 if c.sock.recv(1) == b'' else 1)
P
	idle=$!
	i=0; until test -e idle; do i=$((i + 1)); test $i -lt 100 || return 1; sleep 0.05; done
	kill -TERM $recorder
	sleep 0.3
	refused || { echo 'still accepts'; return 1; }
	wait $idle || { echo 'the idle connection stayed'; return 1; }
	kill -0 $recorder || { echo 'gone before the stream ended'; return 1; }
	wait $c && wait $recorder || { cat drain.err; return 1; }
	grep -q DONE drain.out && ! grep -q interrupted drain.err && ended drain false &&
		tokconvert check drain.tok && tokanalyze -r -f jsonl drain.tok | jq -es 'length == 1 and .[0].status == "ok"'
}
check 'SIGTERM: streams end, nothing new comes in' drain

late() {
	start late --drain-timeout 0.5s
	ask 100 0.1 >late.out & c=$!
	begun late.out || return 1
	a=$(now_ms)
	kill -TERM $recorder
	wait $recorder || return 1
	b=$(now_ms)
	fails 18 wait $c
	test $((b - a)) -ge 450 && test $((b - a)) -lt 5000 || { echo "$((b - a)) ms"; return 1; }
	grep -q interrupted late.err && ended late true &&
		tokanalyze -r -f jsonl late.tok | jq -es '.[0].status == "cancelled"'
}
check 'SIGTERM: not longer than --drain-timeout' late

nothing() {
	start nothing
	kill -TERM $recorder
	wait $recorder && ended nothing false
}
check 'SIGTERM with nothing running' nothing

int() {
	start int
	ask 100 0.1 >int.out & c=$!
	begun int.out || return 1
	kill -INT $recorder
	wait $recorder || return 1
	fails 18 wait $c
	ended int true && tokconvert check int.tok
}
check 'SIGINT: cancelled, tidily' int

twice() { # FIRST SECOND CODE
	start "twice$3"
	ask 100 0.1 >"twice$3.out" &
	begun "twice$3.out" || return 1
	kill "-$1" $recorder
	sleep 0.2
	a=$(now_ms)
	kill "-$2" $recorder
	wait $recorder; code=$?
	b=$(now_ms)
	test $code -eq "$3" && test $((b - a)) -lt 2000 || { echo "exit $code after $((b - a)) ms"; return 1; }
}
check 'SIGTERM, then SIGINT: at once' twice TERM INT 130
check 'SIGTERM twice: at once' twice TERM TERM 143

usage() {
	fails 2 tokrecord --upstream "$upstream" -o x.tok --watch --verbose 2>err && grep -q -- '--watch' err
}
check '--watch and --verbose exclude each other' usage
cursor_back() {
	script -qec "exec tokrecord --listen 127.0.0.1:0 --upstream $upstream -o screen.tok --watch" typescript </dev/null >screen.out 2>&1 &
	screen=$!
	i=0; until grep -q 'TTFT' typescript 2>/dev/null; do i=$((i + 1)); test $i -lt 200 || { cat screen.out; return 1; }; sleep 0.1; done
	sleep 1.2
	kill -TERM $(pgrep -P $screen) && wait $screen
	esc=$(printf '\033')
	test "$(grep -o "$esc"'\[?25[lh]' typescript | tr -d "$esc" | tr '\n' ' ')" = '[?25l [?25h ' && grep -q "$esc"'\[7A' typescript ||
		{ cat -v typescript; return 1; }
}
if command -v script >/dev/null && command -v pgrep >/dev/null; then
	check '--watch on a terminal: in its place, cursor given back' cursor_back
else
	skip '--watch on a terminal' 'no script or pgrep'
fi
watched() {
	start watched --watch
	ask 3 0.01 >watched.out
	sleep 10.5
	kill -TERM $recorder
	wait $recorder || return 1
	grep -q '0 in flight, .* TTFT p50 [0-9]* ms' watched.err && ! grep -q "$(printf '\033')" watched.err ||
		{ cat watched.err; return 1; }
}
check '--watch without a terminal: a line' watched
done_testing
