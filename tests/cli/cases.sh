# Cases on a live stream: a scripted server, tokreplay against it, then tokanalyze.
. "$top_srcdir/tests/cli/lib.sh"
expect=$top_builddir/tests/server/expect scripted=$top_builddir/tests/server/scripted

seq 0 19 | awk '{ printf "{\"timestamp\":%d,\"input_length\":9,\"output_length\":3,\"hash_ids\":[%d]}\n",
	$1 < 9 ? 0 : 20, $1 }' >lengths.jsonl
tokconvert import lengths.jsonl -o lengths.tok

# play SCRIPT ARG...: replays the trace against a script; leaves run.tok, server.log,
# req.jsonl (one line per request, in order of sending) and all.json.
play() {
	script=$1; shift
	: >server.err
	"$scripted" ${accept:+--accept $accept} --log server.log "$script" 2>server.err &
	server=$!
	pids="$pids $server"
	port=$(wait_port server.err) || { cat server.err; return 1; }
	timeout 60 tokreplay --quiet --model m --base-url "http://127.0.0.1:$port" "$@" \
		lengths.tok -o run.tok
	played=$?
	kill $server 2>/dev/null
	wait $server 2>/dev/null
	test $played -lt 2 || { echo "tokreplay: exit $played"; return 1; }
	tokanalyze --per-request --format jsonl run.tok >req.jsonl &&
		tokanalyze --format json run.tok >all.json
}

# Times may be up to 15 ms off.  A loaded machine can be later than that, a wrong number is
# wrong every time: each case has six tries, the last two with twice the tolerance.
tries() {
	for slack in 1 1 1 1 2 2; do
		SLACK=$slack
		export SLACK
		"$@" >try.log 2>&1 && return 0
	done
	cat try.log
	return 1
}
live() { name=$1; shift; check "$name" tries "$@"; }
bytewise() { sed 's/^request/request bytes/' "$1"; }
