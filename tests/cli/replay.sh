#!/bin/sh
# tokreplay against tokserve: levels, order, bodies, recorded timing, waiting for a slot.
. "$top_srcdir/tests/cli/lib.sh"
lengths=$top_builddir/tests/replay/lengths rows=$top_builddir/tests/replay/rows

# Two tokens an answer: the first 200 ms after the request, the second 100 ms later.
cat >slow.profile <<'END'
toktrace_profile = 1
model = slow
step_base_us = 100000
step_sequence_us = 0
step_context_ns = 0
prefill_token_us = 0
prefill_pair_ns = 0
request_us = 100000
request_token_us = 0
jitter = 0
END
sed 's/= 100000/= 1000/; s/model = slow/model = quick/' slow.profile >quick.profile

# serve NAME ARG...: starts a tokserve; its URL is then in $url.
serve() {
	name=$1; shift
	tokserve --idle-exit 60s "$@" 2>"$name.err" &
	pids="$pids $!"
	port=$(wait_port "$name.err") || { cat "$name.err"; return 1; }
	url=http://127.0.0.1:$port
}
# column FILE ROW N: field N of the rows of a kind.
column() { "$rows" "$1" | awk -v row="$2" -v n="$3" '$1 == row { print $n }'; }
same() { test "$1" = "$2" || { echo "got $1"; echo "want $2"; return 1; }; }

seq 0 11 | awk '{ print $1 * 10, 40 + 7 * $1, 2 }' | "$lengths" twelve.tok
seq 0 5 | awk '{ print $1 * 100, 30, 2 }' | "$lengths" six.tok

serve quick --profile quick.profile --log-digests digests
replay() { tokreplay --quiet --probe --base-url "$url" "$@"; }

levels() {
	replay -c 1,8,32 --num-warmups 2 twelve.tok -o run.tok || return 1
	"$rows" run.tok >got
	# Rows: phase ID KIND CONCURRENCY; each begins when the one before it has ended.
	same "$(awk '$1 == "phase" { printf "%s:%s:%s ", $3, $4, $7 }' got)" \
		'warmup:1:ok round:1:ok warmup:8:ok round:8:ok warmup:32:ok round:32:ok ' || return 1
	awk '$1 == "phase" { if ($5 < last) bad = 1; last = $6 } END { exit bad }' got || return 1
	# All ok; as many tokens as asked for; 3 x (2 + 12).
	same "$(awk '$1 == "response" { print $3, $5 }' got | sort | uniq -c | tr -s ' ')" ' 42 ok 2' &&
		same "$(grep '^end' got)" 'end 42 42 0' &&
		same "$(column run.tok request 6 | sort -u)" -
}
check 'three levels, one after another' levels

# The model was asked for at /v1/models; the engine says whose it is.
check 'the header names model and engine' same "$(column run.tok header 4) $(column run.tok header 5)" 'quick tokserve'

# logged ARG...: what the server got of this run is then in new.digests.
logged() {
	before=$(wc -l <digests)
	replay "$@" || return 1
	tail -n +$((before + 1)) digests >new.digests
}
twice() {
	logged -c 1 --seed 5 twelve.tok -o one.tok && cp new.digests one.digests &&
		logged -c 1 --seed 5 twelve.tok -o two.tok && cp new.digests two.digests || return 1
	same "$(wc -l <one.digests | tr -d ' ')" 12 && cmp one.digests two.digests &&
		same "$(column one.tok header 2)" "$(column two.tok header 2)"
}
check 'the same trace and seed: the same bodies in the same order' twice

planned() {
	tokreplay --plan --model quick -c 1 --seed 5 twelve.tok >plan || return 1
	sed -n 's/.*"body_sha256":"\([0-9a-f]*\)".*/\1/p' plan >want
	cmp want one.digests || return 1
	sed '$d' plan | sha256sum | sed 's/ .*//' >want
	same "$(sed -n 's/.*"plan_digest":"\([0-9a-f]*\)".*/\1/p' plan)" "$(cat want)" &&
		same "$(column one.tok header 2)" "$(cat want)" &&
		same "$(column one.tok header 3)" "$(sha256sum <twelve.tok | sed 's/ .*//')"
}
check 'the plan is what was sent, and its digest that of its text' planned

from_pipe() {
	tokreplay --plan --model quick -c 1 --seed 5 - <twelve.tok >piped && cmp plan piped || return 1
	replay -c 2 -n 3 - <twelve.tok >pipe.tok && same "$(column pipe.tok end 2)" 3
}
check 'from a pipe, into a pipe' from_pipe

other_seed() {
	tokreplay --plan --model quick -c 1 --seed 6 twelve.tok >other
	! grep -qF "$(head -n 1 one.digests)" other
}
check 'another seed: other bodies' other_seed

# A run is a trace: its recorded bodies are sent again byte for byte.
again() {
	logged -c 1 one.tok -o again.tok && cmp one.digests new.digests
}
check 'recorded bodies byte for byte' again
changed() {
	logged -c 1 -n 1 --max-tokens 5 --ignore-eos one.tok -o changed.tok || return 1
	! grep -qF "$(cat new.digests)" one.digests && same "$(column changed.tok response 5)" 5
}
check 'options change recorded bodies' changed

wraps() {
	replay -c 4 -n 30 twelve.tok -o wrap.tok || return 1
	same "$(column wrap.tok request 4 | sort | uniq -c | awk '{ print $1 }' | sort | uniq -c | tr -s ' ')" \
		"$(printf ' 6 2\n 6 3')" && same "$(column wrap.tok request 8 | sort -u | wc -l | tr -d ' ')" 30
}
check 'more requests than the trace has: again, in other words' wraps

# Prefix sharing, as an engine's prefix cache sees it: blocks of 16 tokens, three requests
# that share two blocks, none, and (without block ids) nothing; then all of it once more.
printf '%s\n' '0 48 2 1 2 3' '1 48 2 1 2 4' '2 48 2 9 2 3' '3 48 2' '4 48 2' |
	"$lengths" shared.tok
{ cat quick.profile; echo 'prefix_cache = 1'; } >cached.profile
serve cached --profile cached.profile
shares() {
	tokreplay --quiet --base-url "$url" -c 1,1 -n 10,5 --num-warmups 2 shared.tok -o shared.out || return 1
	same "$("$rows" shared.out | awk '$1 == "response" { printf "%s ", $6 ~ /[1-9]/ ? $6 : 0 }')" \
		'0 32 0 32 0 0 0 0 32 0 0 0 0 32 0 32 0 0 0 '
}
check 'prompts share the blocks they shared, and nothing else' shares
serve quick2 --profile quick.profile

secrets() {
	OPENAI_API_KEY=sk-TEST-1111 tokreplay --verbose --base-url "$url" -n 1 --header 'X-Api-Key: sk-TEST-2222' \
		six.tok -o secret.tok 2>err || return 1
	! grep -q sk-TEST err && ! zstd -dc secret.tok | grep -q sk-TEST &&
		same "$(column secret.tok request 9)" '<redacted>'
}
if command -v zstd >/dev/null; then
	check 'no secret in the trace or on stderr' secrets
else
	skip 'no secret in the trace or on stderr' 'no zstd program'
fi

# Recorded timing, no cap: six requests in 500 ms; at twice the speed in 250.
on_time() { # FILE GAP_MS
	"$rows" "$1" | awk -v gap="$2" '
		BEGIN { n = 0 }
		$1 == "phase" { begin = $5 }
		$1 == "request" { at[n] = $6; sent[n++] = $7 }
		END {
			for (i = 0; i < n; i++) {
				late = sent[i] - at[i]
				if (at[i] - begin - i * gap > 0.001 || at[i] - begin - i * gap < -0.001 ||
				    late < 0 || late > 250) { print i, begin, at[i], sent[i]; bad = 1 }
			}
			exit bad || n != 6
		}'
}
timed() { replay --timing recorded six.tok -o timed.tok && on_time timed.tok 100; }
check 'recorded timing' timed
faster() { replay --timing recorded --speed 2 six.tok -o fast.tok && on_time fast.tok 50; }
check 'recorded timing, twice as fast' faster

# Case D14: one slot, and each answer takes 300 ms.  Sent at 0, 300, ...; both times kept.
serve slow --profile slow.profile
waits() {
	replay --timing recorded -c 1 six.tok -o d14.tok || return 1
	"$rows" d14.tok | awk '
		BEGIN { n = 0 }
		$1 == "phase" { begin = $5 }
		$1 == "request" { at[n] = $6; sent[n++] = $7 }
		END {
			for (i = 0; i < n; i++) {
				wait = sent[i] - at[i]
				# Each answer may take a little longer, never less.
				if (wait < 200 * i - 1 || wait > 200 * i + 60 * i + 250 ||
				    at[i] - begin - i * 100 > 0.001) { print i, begin, at[i], sent[i]; bad = 1 }
			}
			exit bad || n != 6
		}'
}
check 'a capped schedule: the wait for a slot is in the trace' waits

interrupted() {
	tokreplay --base-url "$url" -c 2 -n 40 six.tok -o int.tok 2>err &
	victim=$!
	i=0
	until test -s int.tok || test $i -gt 100; do sleep 0.05; i=$((i + 1)); done
	sleep 0.1
	kill -INT $victim
	wait $victim
	same $? 1 && grep -q interrupted err && same "$(column int.tok end 4)" 1 &&
		same "$(column int.tok phase 7)" interrupted && column int.tok response 3 | grep -q cancelled
}
check 'SIGINT ends a run tidily' interrupted
done_testing
