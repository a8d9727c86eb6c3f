#!/bin/sh
# tokreplay and what goes wrong: inputs, outputs, engines, arguments.  One clear line each.
. "$top_srcdir/tests/cli/lib.sh"
lengths=$top_builddir/tests/replay/lengths rows=$top_builddir/tests/replay/rows

seq 0 39 | awk '{ print $1 * 10, 50, 2 }' | "$lengths" good.tok
cat >quick.profile <<'END'
toktrace_profile = 1
model = quick
END
tokserve --profile quick.profile --idle-exit 60s 2>serve.err &
pids="$pids $!"
port=$(wait_port serve.err) || { echo "not ok 1 - server starts"; sed 's/^/# /' serve.err; echo 1..1; exit 0; }
url=http://127.0.0.1:$port

# says CODE WORDS COMMAND...: exits with CODE, and stderr is one line with the words.
says() {
	code=$1; words=$2; shift 2
	fails "$code" "$@" 2>err || { cat err; return 1; }
	test "$(wc -l <err)" -eq 1 && grep -q -- "$words" err || { cat err; return 1; }
}
replay() { tokreplay --base-url "$url" "$@"; }

check 'no such file' says 1 'missing.tok: No such file' replay missing.tok -o out.tok
mkdir dir
check 'a directory' says 1 'dir: Is a directory' replay dir -o out.tok
echo hello >text
check 'not a trace' says 1 'text: not a toktrace trace' replay text -o out.tok
: >empty
check 'an empty file' says 1 'empty' replay empty -o out.tok
"$lengths" none.tok </dev/null
check 'a trace without requests' says 1 'no chat or completions request' replay none.tok -o out.tok
head -c $(($(wc -c <good.tok) - 60)) good.tok >cut.tok
check 'a cut trace' says 1 'cut.tok.*truncated' replay cut.tok -o out.tok
check 'none of these left an output' test ! -e out.tok

check 'output that cannot be created' says 1 '/nowhere/out.tok' replay good.tok -o /nowhere/out.tok
check 'output onto its own source' says 1 'would be overwritten' replay good.tok -o ./good.tok
if test -w /dev/full; then
	check 'a full disk' says 1 '/dev/full.*No space left' replay good.tok -o /dev/full
	full_plan() { fails 1 tokreplay --plan --model m good.tok >/dev/full; }
	check 'a full disk under the plan' full_plan
fi

usage() { says 2 "$@"; }
check 'no URL' usage 'base-url is missing' tokreplay good.tok
check 'unknown flag' usage "did you mean '--num-prompts'" replay --num-promts 3 good.tok
check 'no trace' usage 'a trace is missing' replay
check 'bad concurrency' usage 'max-concurrency' replay -c 0 good.tok
check 'counts that do not fit the levels' usage 'one for each level' replay -c 1,2,3 -n 4,5 good.tok
check 'speed without recorded timing' usage 'recorded' replay --speed 2 good.tok
check 'a speed of minus one' usage 'more than 0' replay --timing recorded --speed -1 good.tok
check 'an unknown timing' usage "did you mean 'recorded'" replay --timing record good.tok
check 'a bad URL' usage 'no URL' tokreplay --base-url ftp://x good.tok
check 'a bad header' usage 'Name: value' replay --header nonsense good.tok
check 'bad JSON' usage 'extra-body' replay --extra-body '[1]' good.tok
check 'a key file that is not there' says 1 'api-key-file' replay --api-key-file nokey good.tok

# Port 1 of the loopback: nobody listens there.
down() {
	says 1 'no engine at http://127.0.0.1:1.*is it running' \
		tokreplay --base-url http://127.0.0.1:1 -c 2 good.tok -o down.tok || return 1
	"$rows" down.tok >got && grep -q '^response 0 error connect' got && grep -q '^end' got &&
		grep -q '^phase 0 round 2 .* no engine$' got
}
check 'an engine that is down' down

# The hand-made trace holds every kind of bad answer; tokserve gives them back.
"$top_builddir/tests/serve/mktrace" hand.tok
tokserve hand.tok --idle-exit 60s 2>hand.err &
pids="$pids $!"
port=$(wait_port hand.err)
bad_answers() {
	timeout 60 tokreplay --quiet --base-url "http://127.0.0.1:$port" --idle-timeout 500ms hand.tok \
		-o bad.tok || return 1
	"$rows" bad.tok | awk '$1 == "response" { print $3, $4 }' | sort | uniq >got
	for want in 'error http_503' 'ok -' 'timeout ' 'truncated '; do
		grep -q "^$want" got || { echo "no '$want' in:"; cat got; return 1; }
	done
}
check 'errors, cut and silent streams are results' bad_answers

dies() {
	tokserve --profile quick.profile -n 3 2>dies.err &
	pids="$pids $!"
	port=$(wait_port dies.err)
	timeout 60 tokreplay --quiet --base-url "http://127.0.0.1:$port" -c 1 good.tok -o dies.tok || return 1
	"$rows" dies.tok >got && grep -q '^response 39 error connect' got && grep -q '^response 0 ok' got
}
check 'an engine that dies in the middle' dies
done_testing
