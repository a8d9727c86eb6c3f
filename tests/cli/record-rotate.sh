#!/bin/sh
# New files by time, size and SIGHUP: each is a whole trace, and all of them together are one.
. "$top_srcdir/tests/cli/lib.sh"
for t in python3 curl jq; do
	command -v $t >/dev/null || { skip 'rotation' "no $t"; done_testing; exit 0; }
done
python3 "$top_srcdir/tests/server/paced.py" >port &
pids="$pids $!"
i=0; until test -s port; do i=$((i + 1)); test $i -lt 100 || exit 99; sleep 0.1; done
upstream=http://127.0.0.1:$(cat port)

start() { # NAME OPTION...
	run=$1; shift
	tokrecord --listen 127.0.0.1:0 --upstream "$upstream" -o "$run.tok" "$@" 2>"$run.err" &
	recorder=$!
	pids="$pids $recorder"
	url=http://127.0.0.1:$(wait_port "$run.err")/v1/chat/completions
}
ask() { # N GAP SIZE
	curl -sN "$url" -d "{\"n\":$1,\"gap\":$2,\"size\":$3,\"stream\":true}"
}
stop() { kill -TERM $recorder && wait $recorder; }
whole() { # FILE...: each is complete by itself
	for f in "$@"; do
		tokconvert check "$f" >/dev/null || { echo "$f"; tokconvert check "$f"; return 1; }
	done
}
begun() { i=0; until grep -q data "$1" 2>/dev/null; do i=$((i + 1)); test $i -lt 100 || return 1; sleep 0.05; done; }

# A stream of three seconds lives through two rotations; short ones come meanwhile.
by_time() {
	start day --rotate 1s
	ask 30 0.1 4 >long.out & long=$!
	begun long.out || return 1
	i=0
	while test $i -lt 12; do i=$((i + 1)); ask 2 0.05 4 >/dev/null; sleep 0.15; done
	ls day-*.tok.part >/dev/null || { ls; return 1; }
	wait $long || return 1
	stop || { cat day.err; return 1; }
	! ls ./*.part 2>/dev/null
}
check '--rotate 1s' by_time
named() {
	test "$(ls day-*.tok | wc -l)" -ge 3 || { ls; return 1; }
	for f in day*.tok; do
		echo "$f" | grep -qxE 'day-[0-9]{8}T[0-9]{6}Z(-[0-9]+)?\.tok' || { echo "$f"; return 1; }
		test "$(stat -c %a "$f")" = 600 || return 1
	done
}
check 'names' named
check 'each file is whole' whole day-*.tok
together() {
	cat day-*.tok >all.tok
	whole all.tok || return 1
	tokanalyze -r -f jsonl all.tok >rows
	jq -es 'length == 13 and all(.status == "ok") and ([.[] | select(.output_tokens == 30)] | length == 1 and .[0].gaps_ms[28] < 2000)
		and ([.[].id] | unique | length == 13)' rows >/dev/null || { cut -c1-300 rows; return 1; }
}
check 'together: every exchange once, none cut' together
one_line() {
	tokconvert stat --format json all.tok >stat
	jq -e '.requests == 13 and .responses == 13 and .duration_ms > 1500 and .duration_ms < 60000' stat || { cat stat; return 1; }
}
check 'together: one time line' one_line

by_size() {
	start big --rotate-size 200k
	for k in 1 2 3 4 5 6; do ask 30 0.02 6000 >/dev/null; done
	stop || return 1
	test "$(ls big-*.tok | wc -l)" -ge 3 || { ls -l big*; return 1; }
	whole big-*.tok && cat big-*.tok | tokanalyze -r -f jsonl - | jq -es 'length == 6 and all(.status == "ok")'
}
check '--rotate-size' by_size

descriptors() { ls "/proc/$recorder/fd" | wc -l; }
none_left() {
	start each --rotate-size 1
	ask 2 0.01 4 >/dev/null
	sleep 1.2
	before=$(descriptors)
	for k in 1 2 3 4; do ask 2 0.01 4 >/dev/null; sleep 0.7; done
	after=$(descriptors)
	stop || return 1
	test "$(ls each-*.tok | wc -l)" -ge 4 && test "$after" -le "$before" || { ls each*; echo "$before, then $after"; return 1; }
}
if test -d /proc/self/fd; then check 'no descriptor is left of old files' none_left; else skip 'descriptors' 'no /proc'; fi

quiet_night() {
	start quiet --rotate 0.5s
	sleep 2.2
	stop
	test "$(ls quiet-*.tok | wc -l)" -eq 1 && whole quiet-*.tok
}
check 'no empty files' quiet_night

# As logrotate does it: rename, then SIGHUP.
hup() {
	start log
	ask 2 0.01 4 >/dev/null
	ask 30 0.1 4 >hup.out & c=$!
	begun hup.out || return 1
	mv log.tok log.tok.1
	kill -HUP $recorder
	i=0; until test -s log.tok; do i=$((i + 1)); test $i -lt 100 || return 1; sleep 0.05; done
	ask 2 0.01 4 >/dev/null
	wait $c
	# Nothing was moved away: the new file takes a name of its own.
	kill -HUP $recorder
	i=0; until ls log-*.tok.part >/dev/null 2>&1; do i=$((i + 1)); test $i -lt 100 || return 1; sleep 0.05; done
	ask 2 0.01 4 >/dev/null
	stop || { cat log.err; return 1; }
	whole log.tok.1 log.tok log-*.tok || return 1
	tokanalyze -r -f jsonl log.tok.1 | jq -es 'map(.output_tokens) == [2, 30]' &&
		tokanalyze -r -f jsonl log.tok | jq -es 'map(.output_tokens) == [2]' &&
		tokanalyze -r -f jsonl log-*.tok | jq -es 'map(.output_tokens) == [2]'
}
check 'SIGHUP after a move, and without one' hup

refuses() {
	before=$(cksum <log.tok)
	fails 1 tokrecord --listen 127.0.0.1:0 --upstream "$upstream" -o log.tok 2>err || return 1
	test "$(wc -l <err)" -eq 1 && grep -q 'exists already' err && test "$(cksum <log.tok)" = "$before" || { cat err; return 1; }
	tokrecord --listen 127.0.0.1:0 --upstream "$upstream" -o log.tok --force 2>forced.err &
	f=$!
	wait_port forced.err && kill -TERM $f && wait $f && tokconvert dump log.tok | jq -es 'length == 2'
}
check 'a restart destroys nothing; --force does' refuses
pipe_stays() {
	tokrecord --listen 127.0.0.1:0 --upstream "$upstream" -o - 2>pipe.err >pipe.tok &
	p=$!
	url=http://127.0.0.1:$(wait_port pipe.err)/v1/chat/completions
	kill -HUP $p
	ask 2 0.01 4 >/dev/null
	kill -TERM $p
	wait $p && grep -q SIGHUP pipe.err && whole pipe.tok
}
check 'SIGHUP and stdout' pipe_stays
usage() { fails 2 tokrecord --upstream "$upstream" -o - --rotate 1h 2>err && grep -q -- '--rotate' err; }
check 'stdout cannot be rotated' usage
nowhere() {
	mkdir dir
	fails 1 tokrecord --listen 127.0.0.1:0 --upstream "$upstream" -o dir --rotate 1h 2>err && grep -q 'no regular file' err || { cat err; return 1; }
	fails 1 tokrecord --listen 127.0.0.1:0 --upstream "$upstream" -o no/such/x.tok --rotate 1h 2>err && grep -q 'no/such' err || { cat err; return 1; }
	test "$(wc -l <err)" -eq 1
}
check 'a place that cannot be' nowhere
done_testing
