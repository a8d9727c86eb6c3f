#!/bin/sh
# tokreplay --threads: the same plan, the same records, whatever thread a request is sent from.
. "$top_srcdir/tests/cli/lib.sh"
lengths=$top_builddir/tests/replay/lengths rows=$top_builddir/tests/replay/rows

cat >quick.profile <<'END'
toktrace_profile = 1
model = quick
step_base_us = 1000
END
tokserve --profile quick.profile --idle-exit 60s --log-digests digests 2>serve.err &
pids="$pids $!"
port=$(wait_port serve.err) || { cat serve.err; echo 1..0; exit 99; }
url=http://127.0.0.1:$port
same() { test "$1" = "$2" || { echo "got $1"; echo "want $2"; return 1; }; }
seq 0 39 | awk '{ print $1 * 5, 40 + $1, 10 }' | "$lengths" forty.tok
# sent ARG...: what the server got of this run is then in new.digests.
sent() {
	before=$(wc -l <digests)
	tokreplay --quiet --model quick --base-url "$url" "$@" || return 1
	tail -n +$((before + 1)) digests >new.digests
}
# facts FILE: what each request and its response say, but times and slots.
facts() { "$rows" "$1" | awk '$1 == "request" { print "q", $2, $4, $8 } $1 == "response" { print "r", $2, $3, $4, $5 }' | sort -k1,1 -k2,2n; }

whole() {
	sent -c 8 -n 40 forty.tok -o one.tok && sort new.digests >one || return 1
	sent -c 8 -n 40 --threads 3 forty.tok -o three.tok && sort new.digests | cmp - one || return 1
	tokconvert check three.tok && facts one.tok >want && facts three.tok | cmp - want &&
		same "$(grep -c '^r .* ok' want)" 40 &&
		same "$("$rows" one.tok | awk '$1 == "header" { print $2 }')" "$("$rows" three.tok | awk '$1 == "header" { print $2 }')"
}
check 'the same bodies, answers and plan' whole
ordered() {
	sent -c 1 --threads 4 forty.tok -o order.tok && mv new.digests got || return 1
	tokreplay --plan --model quick -c 1 forty.tok | sed -n 's/.*"body_sha256":"\([0-9a-f]*\)".*/\1/p' | cmp - got
}
check 'one slot: strictly in the order of the plan' ordered
timed() {
	sent --timing recorded --threads 2 forty.tok -o timed.tok && same "$(facts timed.tok | grep -c '^r .* ok')" 40
}
check 'recorded timing' timed
capped() {
	sent -c 5 --threads 4 forty.tok -o cap.tok &&
		tokanalyze --layers 1k --format json cap.tok >cap.json && grep -q '"peak_concurrency":[1-5],' cap.json
}
check 'the cap holds over all threads' capped
verbose() {
	tokreplay --verbose --base-url "$url" --threads 2 -c 4 -n 8 forty.tok -o v.tok 2>err && same "$(grep -c '^request [0-7]: ok' err)" 8
}
check 'a line for each request' verbose
down() {
	fails 1 tokreplay --base-url http://127.0.0.1:1 --threads 2 -c 4 forty.tok -o down.tok 2>err &&
		grep -q 'no engine' err && tokconvert check down.tok
}
check 'an engine that is down' down
interrupted() {
	tokreplay --quiet --base-url "$url" --threads 3 -c 6 -n 20000 forty.tok -o int.tok 2>err &
	victim=$!
	i=0
	until test -s int.tok || test $i -gt 200; do sleep 0.05; i=$((i + 1)); done
	sleep 0.3
	kill -INT $victim
	wait $victim
	same $? 1 && tokconvert check int.tok && "$rows" int.tok | grep -q '^phase .* interrupted$' &&
		"$rows" int.tok | grep -q '^response .* cancelled'
}
check 'SIGINT ends a run tidily' interrupted
if test -w /dev/full; then
	full() { fails 1 tokreplay --base-url "$url" --threads 2 -c 4 forty.tok -o /dev/full 2>err && test "$(wc -l <err)" -eq 1; }
	check 'a full disk' full
fi
usage() {
	fails 2 tokreplay --base-url "$url" --threads 0 forty.tok -o x.tok && fails 2 tokreplay --base-url "$url" --threads 1000 forty.tok -o x.tok
}
check 'usage' usage
done_testing
