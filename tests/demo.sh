#!/bin/sh
# The main job with no engine at hand: demo.sh SOURCE-DIR OUTPUT-DIR, the tools in PATH.
# Import a real trace slice, serve it, record a part of it, replay it at C = 1, 8, 32,
# print the table, draw the charts.
set -eu
src=$1
out=$2
mkdir -p "$out"
cd "$out"
rm -f ./*.tok ./*.png ./*.txt ./*.log
pids=
cleanup() { for p in $pids; do kill "$p" 2>/dev/null || true; done; }
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

say() { echo; echo "== $*"; }
port_of() { # FILE: waits for the line that names the port
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		port=$(sed -n 's/.*listening on [^ ]*:\([0-9][0-9]*\)$/\1/p' "$1" 2>/dev/null | head -n 1)
		test -n "$port" && { echo "$port"; return 0; }
		sleep 0.25
	done
	cat "$1" >&2
	return 1
}

say 'Import 300 requests of a public trace (Mooncake conversation trace, Apache-2.0)'
tokconvert import "$src/tests/data/mooncake_conversation.head300.jsonl" -o workload.tok
tokconvert stat workload.tok

say 'Start a simulated engine: one H200, a 9B model in BF16, prefix cache off'
sed 's/^prefix_cache = 1 /prefix_cache = 0 /' "$src/replay/profiles/h200-9b-bf16.profile" >engine.profile
tokserve --profile engine.profile --listen 127.0.0.1:0 --quiet 2>serve.log &
pids="$pids $!"
engine=http://127.0.0.1:$(port_of serve.log)
echo "tokserve answers at $engine"

say 'Record 32 of them through tokrecord, at ten times the recorded speed'
tokrecord --listen 127.0.0.1:0 --upstream "$engine" -o day.tok 2>record.log &
recorder=$!
pids="$pids $recorder"
proxy=http://127.0.0.1:$(port_of record.log)
tokreplay --base-url "$proxy" --model h200-9b-bf16 --timing recorded --speed 10 -n 32 --max-tokens 64 \
	workload.tok -o client.tok
kill -TERM "$recorder"
wait "$recorder"
tail -n 1 record.log

say 'Replay what was recorded at C = 1, 8, 32'
tokreplay --base-url "$engine" --probe -c 1,8,32 -n 8,16,32 day.tok -o run.tok
tokconvert check run.tok

say 'The capacity table'
tokanalyze --layers 4k,16k --metric-percentiles 50,95 run.tok | tee table.txt

say 'Charts'
for kind in latency throughput ttft; do
	tokplot "$kind" --layers 4k,16k run.tok -o "$kind.png"
done
tokanalyze --layers 4k,16k --format json run.tok >analysis.json

say "Left in $out"
cat <<TXT
workload.tok     the imported trace
day.tok          what tokrecord kept of it
run.tok          the replay at C = 1, 8, 32
table.txt        the table above; analysis.json: all of it for programs
latency.png throughput.png ttft.png
Next: tokreplay --base-url http://YOUR-ENGINE:8000 -c 1,8,32 $out/workload.tok -o mine.tok
TXT
