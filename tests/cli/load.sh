#!/bin/sh
# Load shapes of tokreplay against tokserve: rates, durations, stages, lanes, shards.
. "$top_srcdir/tests/cli/lib.sh"
lengths=$top_builddir/tests/replay/lengths rows=$top_builddir/tests/replay/rows

# Answers of 2 tokens take about A ms for the first and B more for the second.
profile() { # NAME A B
	printf 'toktrace_profile = 1\nmodel = %s\nrequest_us = %s000\nstep_base_us = %s000\n' "$1" "$2" "$3"
	printf '%s = 0\n' step_sequence_us step_context_ns prefill_token_us prefill_pair_ns \
		request_token_us jitter
}
profile quick 1 1 >quick.profile
profile slow 100 100 >slow.profile
serve() { # NAME: its URL is then in $url
	tokserve --idle-exit 60s --profile "$1.profile" --log-digests "$1.digests" 2>"$1.err" &
	pids="$pids $!"
	port=$(wait_port "$1.err") || { cat "$1.err"; return 1; }
	url=http://127.0.0.1:$port
}
same() { test "$1" = "$2" || { echo "got $1"; echo "want $2"; return 1; }; }
replay() { tokreplay --quiet --probe --base-url "$url" "$@"; }
plan() { tokreplay --quiet --plan --model quick "$@"; }
bodies() { sed -n 's/.*"body_sha256":"\([0-9a-f]*\)".*/\1/p' "$1"; }
intended() { sed -n 's/.*"intended_ns":\([0-9]*\),.*/\1/p' "$1"; }
verdicts() { "$rows" "$1" | awk '$1 == "phase" { printf "%s%s", sep, $7 " " $8; sep = "," }' | sed 's/ *,/,/g; s/ *$//'; }
# logged NAME ARG...: what the server got of this run is then in new.digests.
logged() {
	log=$1.digests; shift
	before=$(wc -l <"$log")
	replay "$@" || return 1
	tail -n +$((before + 1)) "$log" >new.digests
}

seq 0 39 | awk '{ print $1 * 10, 40, 2 }' | "$lengths" forty.tok
seq 0 5 | awk '{ print $1 * 100, 30, 2 }' | "$lengths" six.tok
serve quick

planned_to_the_ns() {
	plan --request-rate 200 --arrival-pattern constant -n 1000 forty.tok >k.plan &&
		same "$(intended k.plan | tail -n 1)" 4995000000
}
check 'planned: the last of 1,000 requests 5 ms apart at 4,995 ms' planned_to_the_ns

# Delays that add up would make all of the last ones late, every time; a machine that is
# busy makes some of them late.
no_drift() {
	replay --request-rate 50 --arrival-pattern constant -n 100 forty.tok -o drift.tok || return 1
	"$rows" drift.tok | awk '
		$1 == "phase" { begin = $5 }
		$1 == "request" { at[$2] = $6; sent[$2] = $7 }
		END {
			least = 1e9
			for (i = 80; i < 100; i++) {
				late = sent[i] - begin - 20 * i
				if (late < least) least = late
			}
			if (at[99] - begin != 1980 || least < 0 || least > 20) {
				print "last due " at[99] - begin ", least late " least; exit 1
			}
		}'
}
no_drift_soon() { no_drift || no_drift || no_drift; }
check 'no drift: the last of 100 requests 20 ms apart' no_drift_soon

# The engine sees the plan's bodies in the plan's order, whatever the shape.
in_order() {
	logged quick -c 1 "$@" forty.tok -o order.tok && plan -c 1 "$@" forty.tok >order.plan || return 1
	bodies order.plan >want && test -s want && cmp want new.digests &&
		same "$("$rows" order.tok | awk '$1 == "header" { print $2 }')" \
			"$(sed -n 's/.*"plan_digest":"\([0-9a-f]*\)".*/\1/p' order.plan)"
}
check 'in order: closed loop' in_order
check 'in order: Poisson, queued outside' in_order --request-rate 200 --seed 3
check 'in order: burst' in_order --request-rate inf
check 'in order: gamma' in_order --request-rate 200 --burstiness 0.5
check 'in order: a shard of a closed loop' in_order --shard 0/2

parts_make_the_whole() {
	plan "$@" forty.tok | sed '$d' | sort >whole
	for i in 0 1 2; do plan "$@" --shard $i/3 forty.tok | sed '$d'; done | sort >parts
	same "$(wc -l <whole | tr -d ' ')" 40 && cmp whole parts
}
check 'shards: closed loop' parts_make_the_whole -c 4
check 'shards: lanes' parts_make_the_whole -c 4 --lanes
check 'shards: Poisson' parts_make_the_whole --request-rate 10
check 'shards: recorded' parts_make_the_whole --timing recorded
from_environment() {
	plan -c 4 --shard 1/3 forty.tok >want
	SLURM_PROCID=1 SLURM_NTASKS=3 plan -c 4 --shard auto forty.tok | cmp - want &&
		JOB_COMPLETION_INDEX=1 plan -c 4 --shard auto/3 forty.tok | cmp - want
}
check 'shards: as Slurm and Kubernetes say' from_environment

# Two processes, one plan: together they take as long as one, and the joined trace says so.
two_processes() {
	for i in 0 1; do
		replay --request-rate 40 --arrival-pattern constant -n 60 --shard $i/2 --start-at +1s \
			forty.tok -o part$i.tok &
		parts="${parts-} $!"
	done
	wait $parts
	cat part0.tok part1.tok | tokanalyze --format json - >joined.json || return 1
	tokanalyze part1.tok part0.tok --format json >apart.json || return 1
	python3 - <<-'END'
		import json
		for name in "joined.json", "apart.json":
		    g = json.load(open(name))["groups"]
		    assert len(g) == 1, g
		    g = g[0]
		    assert g["requests"]["ok"] == 60 and g["rounds"] == 1, g
		    assert g["rate_hz"] == 40, g
		    assert 1.4 < g["window_s"] < 2.2, g["window_s"]
		    assert g["requests"]["ok"] / g["window_s"] > 27
	END
	tokanalyze part0.tok | grep -q '1 parts of a run' && ! cat part?.tok | tokanalyze - | grep -q 'parts of'
}
if command -v python3 >/dev/null; then
	check 'shards: two processes are one run' two_processes
else
	skip 'shards: two processes are one run' 'no python3'
fi

rates_are_levels() {
	replay --request-rate 100,200 --duration 300ms -c 64 forty.tok -o rates.tok || return 1
	tokanalyze --format tsv rates.tok >rates.tsv || return 1
	same "$(verdicts rates.tok)" 'ok,ok' &&
		same "$(awk -F'\t' '/^#/ { next } { printf "%s %s,", $2, $3 }' rates.tsv)" \
			'concurrency rate_hz,64 100,64 200,'
}
check 'rates are levels, and rows of the table' rates_are_levels

stages() {
	printf '%s\n' '# up, rest, on' '200ms rate 50..150' '100ms pause' '200ms concurrency 2' '100ms concurrency 1..2' >stages
	replay --stages stages --arrival-pattern constant -n 60 forty.tok -o stages.tok || return 1
	"$rows" stages.tok >got
	# 20 requests at the ramp, none in the pause; each stage begins at its time.
	same "$(awk '$1 == "request" { n[$3]++ } END { print n[0], n[1] + 0, (n[2] > 2) }' got)" '20 0 1' &&
		same "$(awk '$1 == "phase" { printf "%s ", $4 }' got)" '- - 2 - ' &&
		awk '$1 == "phase" { at[$2] = $5 }
			END { d = at[2] - at[0]; if (d < 299.9 || d > 300.1) { print d; exit 1 } }' got
}
check 'stages follow one another' stages

from_stdin() {
	plan --stages stages six.tok >file.plan && plan --stages - six.tok <stages >stdin.plan &&
		cmp file.plan stdin.plan && fails 2 plan --stages - - </dev/null
}
check 'stages from stdin' from_stdin

lanes() {
	replay -c 3 --lanes forty.tok -o lanes.tok || return 1
	"$rows" lanes.tok | awk '$1 == "request" && $5 != $2 % 3 { print; bad = 1 } END { exit bad }'
}
check 'lanes: request i in slot i mod C' lanes

serve slow
# Ten a second, one slot, 200 ms an answer: what found no slot in a second was offered, too.
overload() {
	replay --request-rate 10 --arrival-pattern constant -c 1 --duration 950ms six.tok -o over.tok || return 1
	"$rows" over.tok | awk '
		$1 == "request" { n++; unsent += $7 == "-" }
		$1 == "response" { ok += $3 == "ok"; cut += $3 == "cancelled" && $4 == "not_sent" }
		END { if (n != 10 || ok < 1 || ok > 6 || cut != 10 - ok || unsent != cut) {
			print n, ok, cut, unsent; exit 1 } }' &&
		same "$(verdicts over.tok)" 'cut off' &&
		tokanalyze over.tok | grep -q 'the load was not kept up'
}
check 'what was offered and never sent is counted' overload

grace() {
	replay -c 2 --duration 50ms --grace 10s six.tok -o grace.tok &&
		same "$(verdicts grace.tok)" 'time over' &&
		same "$("$rows" grace.tok | grep -c '^response.*ok')" 2 || return 1
	fails 1 replay -c 2 --duration 50ms --grace 0s six.tok -o nograce.tok &&
		same "$(verdicts nograce.tok)" 'cut off' &&
		same "$("$rows" nograce.tok | grep -c '^response.*cancelled')" 2
}
check 'after the duration: grace, then cancelled' grace

window() {
	plan --timing recorded --from 100ms --to 400ms --max-gap 40ms six.tok >window.plan &&
		same "$(intended window.plan | tr '\n' ' ')" '0 40000000 80000000 '
}
check 'a window of the trace, idle gaps shortened' window

# A conversation whose recorded answer is another than the engine gives: the engine gets its own.
turn() { printf '{"model":"quick","max_tokens":3,"messages":[{"role":"user","content":"one"}%s]}' "$1"; }
live_history() {
	tokrecord --listen 127.0.0.1:0 --upstream "$url" -o talk.tok 2>recorder.err &
	recorder=$!
	pids="$pids $recorder"
	port=$(wait_port recorder.err) || return 1
	for t in '' ',{"role":"assistant","content":"made up"},{"role":"user","content":"two"}'; do
		turn "$t" | curl -sf -m 20 -H 'Content-Type: application/json' --data-binary @- \
			"http://127.0.0.1:$port/v1/chat/completions" >/dev/null || return 1
	done
	kill -INT $recorder
	wait $recorder
	logged slow --live-history talk.tok -o live.tok && cp new.digests got &&
		tokreplay --quiet --plan --live-history talk.tok >live.plan || return 1
	"$rows" live.tok | awk '$1 == "request" { print $8 }' >sent
	cmp got sent && test "$(grep -c '"history":"live"' live.plan)" -eq 1 || return 1
	# The first body is the plan's, the second is not.
	bodies live.plan >planned
	same "$(head -n 1 planned)" "$(head -n 1 got)" && ! grep -qF "$(tail -n 1 planned)" got &&
		tokconvert dump live.tok | grep '"live":true' >marked && ! grep -q 'made up' marked
}
if command -v curl >/dev/null; then
	check 'live history: the answers of this run' live_history
else
	skip 'live history: the answers of this run' 'no curl'
fi

usage_says() { fails 2 plan "$@" six.tok 2>err && { cat err; test "$(wc -l <err)" -eq 1; }; }
for bad in '--request-rate 0' '--request-rate -1' '--request-rate 1,x' '--burstiness 2' \
	'--request-rate 1 --burstiness 0' '--request-rate 1 --timing recorded' \
	'--request-rate 1,2,3 -c 1,2' '--lanes --request-rate 1' '--max-gap 1s' '--from 2s --to 1s' \
	'--duration 0s' '--ramp-up-strategy linear' '--ramp-up-start-rps 1' '--stages nowhere' \
	'--ramp-up-strategy linear --ramp-up-start-rps 1 --ramp-up-end-rps 2' \
	'--arrival-pattern gamma --request-rate 1' '--shard 2/2' '--start-at 1' '--think-time soon' \
	'--concurrency-ramp-duration 1s --request-rate 1' '-c 1 --request-rate 9 --shard 0/2'; do
	# shellcheck disable=SC2086
	check "usage: $bad" usage_says $bad
done
done_testing
