#!/bin/sh
# The operator's listener: valid Prometheus text, right numbers, and nothing of it at the
# clients' address.
. "$top_srcdir/tests/cli/lib.sh"
for t in python3 curl; do
	command -v $t >/dev/null || { skip 'metrics' "no $t"; done_testing; exit 0; }
done
python3 "$top_srcdir/tests/server/paced.py" >port &
pids="$pids $!"
i=0; until test -s port; do i=$((i + 1)); test $i -lt 100 || exit 99; sleep 0.1; done
upstream=http://127.0.0.1:$(cat port)
tokrecord --listen 127.0.0.1:0 --metrics 0 --upstream "$upstream" -o run.tok 2>run.err &
recorder=$!
pids="$pids $recorder"
base=http://127.0.0.1:$(wait_port run.err)
metrics=$(sed -n 's/^metrics at //p' run.err)
valid() { curl -sf "$metrics" >text && python3 "$top_srcdir/tests/cli/prometheus.py" text; }
has() { grep -qxF "$1" text || { grep -v '^#' text; echo "no: $1"; return 1; }; }

check 'valid before anything happened' valid
loopback() { echo "$metrics" | grep -q '^http://127\.0\.0\.1:[0-9]*/metrics$'; }
check 'on loopback unless told otherwise' loopback
work() {
	for k in 1 2 3; do curl -sN "$base/v1/chat/completions" -d '{"n":5,"gap":0.02,"stream":true}' >"out$k"; done
	curl -s "$base/v1/chat/completions" -d '{"status":503}' >/dev/null
	curl -s "$base/v1/models" >/dev/null
	curl -sN -m 0.5 "$base/v1/chat/completions" -d '{"n":500,"gap":0.02,"stream":true}' >gone
	sleep 1
	valid
}
check 'valid after some traffic' work
counts() {
	has 'toktrace_record_requests_total{api="chat",status="ok",code="200"} 3' &&
	has 'toktrace_record_requests_total{api="chat",status="error",code="503"} 1' &&
	has 'toktrace_record_requests_total{api="chat",status="cancelled",code="200"} 1' &&
	has 'toktrace_record_requests_total{api="other",status="ok",code="200"} 1' &&
	has 'toktrace_record_errors_total{kind="http_503"} 1' &&
	has 'toktrace_record_requests_in_flight 0' &&
	has 'toktrace_record_completion_tokens_total 15' &&
	has 'toktrace_record_prompt_tokens_total 21' &&
	has 'toktrace_record_ttft_seconds_count 3' &&
	has 'toktrace_record_e2e_seconds_count 3' &&
	has 'toktrace_record_dropped_records_total 0' &&
	has 'toktrace_record_recording 1'
}
check 'requests, tokens, errors' counts
bytes() {
	want=$(cat out1 out2 out3 | wc -c)
	got=$(sed -n 's/^toktrace_record_sent_bytes_total //p' text)
	test "$got" -ge "$want" && test "$got" -le $((want + 20000)) || { echo "$got, at least $want"; return 1; }
	has 'toktrace_record_received_bytes_total 144' # 3 x 32 + 14 + 34
}
check 'bytes' bytes
file() { test "$(sed -n 's/^toktrace_record_file_bytes //p' text)" -eq "$(stat -c %s run.tok)"; }
check 'file size' file
passes() { test "$(curl -s "$base/metrics")" = 'GET /metrics' && test "$(curl -s "$base/healthz")" = 'GET /healthz'; }
check "the engine's own /metrics passes" passes
health() { test "$(curl -s "${metrics%metrics}healthz")" = ok && test "$(curl -s -o x -w '%{http_code}' "${metrics%metrics}v1/models")" = 404; }
check '/healthz, and nothing else' health
methods() { test "$(curl -s -o x -w '%{http_code}' "$metrics" -d x)" = 501 || test "$(curl -s -o x -w '%{http_code}' "$metrics" -d x)" = 405; }
check 'POST is refused' methods
taken() {
	fails 1 tokrecord --listen 127.0.0.1:0 --metrics "$(echo "$metrics" | sed 's#.*//\(.*\)/.*#\1#')" --upstream "$upstream" -o x.tok 2>err &&
		test "$(wc -l <err)" -eq 1 && grep -q -- '--metrics' err && ! test -e x.tok || { cat err; return 1; }
}
check 'a port in use: one line, no file' taken
ends() { kill -TERM $recorder && wait $recorder && tokconvert check run.tok; }
check 'ends tidily' ends
done_testing
