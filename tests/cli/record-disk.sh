#!/bin/sh
# A disk that is full, and one that does not move: clients notice nothing, the trace says what
# is missing, and what was there before can be read.
. "$top_srcdir/tests/cli/lib.sh"
for t in python3 curl jq; do
	command -v $t >/dev/null || { skip 'disks' "no $t"; done_testing; exit 0; }
done
python3 "$top_srcdir/tests/server/paced.py" >port &
pids="$pids $!"
i=0; until test -s port; do i=$((i + 1)); test $i -lt 100 || exit 99; sleep 0.1; done
upstream=http://127.0.0.1:$(cat port)

ready() { # ERR-FILE
	url=http://127.0.0.1:$(wait_port "$1")/v1/chat/completions
	metrics=$(sed -n 's/^metrics at //p' "$1")
}
ask() { # N GAP SIZE
	curl -sN -m 60 "$url" -d "{\"n\":$1,\"gap\":$2,\"size\":$3,\"stream\":true}"
}
value() { curl -s "$metrics" | sed -n "s/^toktrace_record_$1 //p"; }
# Twenty chunks 50 ms apart take one second; a stalled client would take far longer.
unhurt() { # SIZE
	a=$(date +%s%N)
	test "$(ask 20 0.05 "$1" | grep -c content)" -eq 20 || return 1
	took=$((($(date +%s%N) - a) / 1000000))
	test $took -lt 5000 || { echo "$took ms"; return 1; }
}
fill() { # streams whose text cannot be compressed: 6 x 1.8 MB
	for k in 1 2 3 4 5 6; do ask 30 0.01 60000 >/dev/null & fill="$fill $!"; done
	wait $fill; fill=
}
fill=

# ---- full: a small tmpfs where we may mount one, and a limit on files everywhere ----
full() { # NAME DIR
	say=$1.err dir=$2
	ready "$say"
	test "$(ask 3 0.01 4 | grep -c content)" -eq 3 || return 1
	sleep 1.2
	unhurt 100000 || return 1
	i=0; until test "$(value recording)" = 0; do i=$((i + 1)); test $i -lt 100 || { cat "$say"; return 1; }; sleep 0.1; done
	unhurt 4 || return 1
	test "$(value dropped_records_total)" -gt 0 && test "$(value write_failures_total)" = 1 || return 1
	test "$(curl -s -o body -w '%{http_code}' "${metrics%metrics}healthz")" = 503 || return 1
	test "$(grep -c 'recording has stopped' "$say")" -eq 1 && grep 'recording has stopped' "$say" | grep -q "$dir/day.tok: cannot write: $3" ||
		{ cat "$say"; return 1; }
	# What was flushed before is there.
	tokanalyze -r -f jsonl "$dir/day.tok" 2>said | jq -s '.[0].status == "ok" and .[0].output_tokens == 3' | grep -q true || { cat said; return 1; }
	grep -q truncated said
}
resumes() { # NAME DIR
	kill -HUP $recorder
	i=0; until test "$(value recording)" = 1; do i=$((i + 1)); test $i -lt 100 || { cat "$1.err"; return 1; }; sleep 0.1; done
	ask 2 0.01 4 >/dev/null
	kill -TERM $recorder
	fails 1 wait $recorder || return 1
	tail -n 1 "$1.err" | grep -q 'records were not written' || { cat "$1.err"; return 1; }
	for f in "$2"/day-*.tok; do :; done
	tokconvert check "$f" && tokanalyze -r -f jsonl "$f" | jq -es 'length == 1 and .[0].output_tokens == 2' &&
		tokconvert dump "$f" | jq -es '.[0].run.dropped_before | tonumber > 0'
}
if mkdir small && mount -t tmpfs -o size=256k none small 2>/dev/null; then
	tokrecord --listen 127.0.0.1:0 --metrics 0 --upstream "$upstream" -o small/day.tok 2>small.err &
	recorder=$!
	pids="$pids $recorder"
	check 'full tmpfs: clients see nothing' full small small 'No space left on device'
	more_room() { mount -o remount,size=8m small && resumes small small; }
	check 'room again and SIGHUP: a new file' more_room
	umount small
else
	skip 'full tmpfs: clients see nothing' 'cannot mount'
	skip 'room again and SIGHUP: a new file' 'cannot mount'
fi
mkdir limited
prlimit=$(command -v prlimit || :)
if test -n "$prlimit"; then
	tokrecord --listen 127.0.0.1:0 --metrics 0 --upstream "$upstream" -o limited/day.tok 2>limited.err &
	recorder=$!
	pids="$pids $recorder"
	prlimit --pid $recorder --fsize=200000:unlimited
	check 'file size limit: clients see nothing' full limited limited 'File too large'
	lifted() { prlimit --pid $recorder --fsize=unlimited:unlimited && resumes limited limited; }
	check 'limit lifted and SIGHUP: a new file' lifted
else
	skip 'file size limit' 'no prlimit'
fi

# ---- a disk that does not move: a pipe whose reader is stopped ----
mkfifo pipe
cat pipe >slow.tok &
reader=$!
pids="$pids $reader"
tokrecord --listen 127.0.0.1:0 --metrics 0 --upstream "$upstream" -o pipe --queue 1M 2>slow.err &
recorder=$!
pids="$pids $recorder"
stuck() {
	ready slow.err
	ask 3 0.01 4 >/dev/null
	kill -STOP $reader
	fill
	unhurt 4 || return 1
	test "$(value dropped_records_total)" -gt 0 || return 1
	test "$(value queue_bytes)" -gt 0 && test "$(value queue_bytes)" -le 1114112 || { value queue_bytes; return 1; }
	test "$(value write_lag_seconds | cut -d. -f1)" -ge 1 || return 1
	test "$(value recording)" = 1
}
check 'a stopped disk: clients see nothing' stuck
goes_on() {
	kill -CONT $reader
	i=0; until test "$(value queue_records)" = 0; do i=$((i + 1)); test $i -lt 200 || return 1; sleep 0.1; done
	ask 7 0.01 4 >/dev/null
	dropped=$(value dropped_records_total)
	kill -TERM $recorder
	fails 1 wait $recorder || return 1
	wait $reader
	tail -n 1 slow.err | grep -q 'did not keep up' || { cat slow.err; return 1; }
	tokconvert dump slow.tok | jq -es "last | .kind == \"end\" and .dropped == $dropped"
}
check 'it moves again: the rest is recorded, the loss counted' goes_on
# No exchange looks whole that is not: full length and ok, or marked.
honest() {
	tokanalyze -r -f jsonl slow.tok >rows
	jq -es 'all((.status == "ok" and (.output_tokens == .token_events)) or .error == "not_recorded")
		and any(.error == "not_recorded") and (last | .status == "ok" and .output_tokens == 7)' rows >/dev/null ||
		{ cut -c1-250 rows; return 1; }
}
check 'what is not whole says so' honest

never() {
	mkfifo never
	sh -c 'exec 9<never; kill -STOP $$' &
	dead=$!
	pids="$pids $dead"
	tokrecord --listen 127.0.0.1:0 --metrics 0 --upstream "$upstream" -o never 2>never.err &
	recorder=$!
	pids="$pids $recorder"
	ready never.err
	fill
	kill -TERM $recorder
	fails 1 wait $recorder && grep -q 'still wait' never.err || { cat never.err; return 1; }
}
check 'one that never moves is not waited for' never

# ---- kill -9 under load ----
killed() {
	tokrecord --listen 127.0.0.1:0 --metrics 0 --upstream "$upstream" -o killed.tok 2>killed.err &
	recorder=$!
	ready killed.err
	load=
	for k in 1 2 3 4 5 6 7 8; do ask 600 0.02 40 >/dev/null & load="$load $!"; done
	sleep 4
	date +%s%N >at
	kill -9 $recorder
	wait $recorder $load 2>/dev/null
	fails 1 tokconvert check killed.tok >check.out 2>&1
	grep -q 'truncated\|cut' check.out || { cat check.out; return 1; }
	tokconvert dump killed.tok 2>/dev/null >dump
	# The newest event of each stream is at most a second older than the kill.
	jq -es --argjson at "$(cat at)" '(.[0].epoch_wall_ns) as $e
		| [.[] | select(.kind == "response") | {id, t: (.events | last | .t_ns)}] | group_by(.id) | map(max_by(.t).t)
		| length == 8 and all($e + . > $at - 1000000000)' dump || { head -c 2000 dump; return 1; }
}
check 'kill -9 under load loses at most a second' killed
done_testing
