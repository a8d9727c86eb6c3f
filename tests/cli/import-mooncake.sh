#!/bin/sh
# Mooncake JSONL: exact ids and times, its dialects, and what is wrong with a file.
. "$top_srcdir/tests/cli/lib.sh"
command -v jq >/dev/null || { skip 'mooncake' 'no jq'; done_testing; exit 0; }

requests() { tokconvert dump "$1" | jq -r "select(.kind == \"request\") | $2" | paste -sd' '; }
is() { test "$1" = "$2" || { echo "got  $1"; echo "want $2"; return 1; }; }
imported() { f=$1; shift; tokconvert import --from mooncake "$@" "$f" -o out.tok 2>err || { cat err; return 1; }; }
said() { cat err; grep -qF -- "$1" err; }
refused() {
	f=$1; shift
	fails 1 tokconvert import --from mooncake "$f" -o bad.tok 2>err || return 1
	cat err
	test "$(wc -l <err)" -eq 1 || return 1
	for w in "$@"; do grep -qF -- "$w" err || { echo "no '$w'"; return 1; }; done
}

cat >d18.jsonl <<'EOF'
{"timestamp": 0, "input_length": 600, "output_length": 12, "hash_ids": [0, 1]}
{"timestamp": 0, "input_length": 600, "output_length":27 12, "hash_ids": [0, 2]}
{"timestamp": 3000, "input_length": 1024, "output_length": 5, "hash_ids": [4294967296, 8589934592]}
{"timestamp": 3000, "input_length": 20, "output_length": 8, "hash_ids": [0, 1]}
EOF
check 'a broken line is named and ends the import' refused d18.jsonl 'd18.jsonl: line 2, column 5'
check 'no trace is left of it' test ! -e bad.tok
check 'skipped if asked' imported d18.jsonl --skip-bad
check 'and counted' said '4 rows read, 3 written, 1 dropped (syntax)'
check 'a row whose blocks do not fit is named' said 'line 4: the number of blocks does not fit'
check 'times are milliseconds' is "$(requests out.tok .scheduled_ns)" '0 3000000000 3000000000'
check 'output lengths' is "$(requests out.tok .output_tokens)" '12 5 8'
ids() { tokconvert dump out.tok | sed -n 's/.*"blocks":\[\([^]]*\)\].*/\1/p' | paste -sd' '; }
check 'ids' is "$(ids)" '0,1 4294967296,8589934592 0,1'
check 'ids with equal low halves are different blocks' \
	is "$(tokconvert stat --format json out.tok | jq -c '[.prefix.blocks, .prefix.distinct, .prefix.hit_blocks, .prefix.hit_tokens]')" '[6,4,2,20]'
check 'found by content' tokconvert import --skip-bad d18.jsonl -o sniffed.tok

cat >ids.jsonl <<'EOF'
{"timestamp":1.5,"input_length":1024,"hash_ids":[9007199254740993,18446744073709551615]}
{"timestamp":1e3,"input_length":1024,"hash_ids":[9007199254740992,18446744073709551614]}
{"timestamp":1760000000000.0000015,"input_length":1,"hash_ids":[]}
EOF
check 'imports' imported ids.jsonl
check 'ids are exact to 64 bits' is "$(ids)" '9007199254740993,18446744073709551615 9007199254740992,18446744073709551614'
# 1.5 ms is time 0; the last is rounded to the nearest nanosecond.
check 'fractions of milliseconds' is "$(tokconvert dump out.tok | sed -n 's/.*"scheduled_ns":\([0-9]*\).*/\1/p' | paste -sd' ')" \
	'0 998500000 1759999999998500002'

cat >dialect.jsonl <<'EOF'

{"session_id":"a","timestamp":5,"input_length":10,"output_length":1,"model":"m-1","priority":3}
{"session_id":"b","timestamp":6,"input_length":20,"hash_ids":null}
{"session_id":"a","input_length":30.0,"output_length":2}
{"session_id":7,"timestamp":7,"input_length":40}
{"session_id":"a","timestamp":9,"input_length":50}
EOF
check 'rows with lengths alone' imported dialect.jsonl
check 'sessions' is "$(requests out.tok '"\(.session):\(.turn):\(.parent)"')" 'a:0:null b:0:null a:1:0 7:0:null a:2:2'
check 'an unknown time stays unknown' is "$(requests out.tok .scheduled_ns)" '0 1000000 null 2000000 4000000'
check 'an unknown output length, too' is "$(requests out.tok .output_tokens)" '1 null 2 null null'
check 'models' is "$(requests out.tok .model)" 'm-1 null null null null'
check 'no blocks, no prefix figures' is "$(tokconvert stat --format json out.tok | jq -c .prefix)" null

printf '%s\n' '{"timestamp":20,"input_length":1}' '{"timestamp":10,"input_length":2}' \
	'{"timestamp":20,"input_length":3}' '{"timestamp":10,"input_length":4}' >order.jsonl
check 'out of order' imported order.jsonl
check 'said' said 'not in order of time at 2 places'
check 'sorted, in file order within a time' is "$(requests out.tok .input_tokens)" '2 4 1 3'

good='{"timestamp":0,"input_length":5,"output_length":5}'
for row in '"delay":3:unsupported' '"messages":[]:unsupported' '"text_input":"x":unsupported' \
	'"payload":{}:unsupported' '"tools":[]:unsupported' '"timestamp":"3":value' \
	'"hash_ids":{}:value' '"hash_ids":[-1]:value' '"hash_ids":[1.5]:value' '"hash_ids":["a"]:value' \
	'"hash_ids":[18446744073709551616]:value' '"output_length":-1:value' '"output_length":1.5:value' \
	'"output_length":true:value' '"output_length":99999999999999999999:value' '"session_id":[]:value' \
	'"timestamp":1e30:value'; do
	json=${row%:*}; key=${json%%:*}
	printf '%s\n{"input_length":5,%s}\n' "$good" "$json" >row.jsonl
	check "refused: $json" refused row.jsonl 'row.jsonl: line 2, column' "$key"
	check "skipped: $json" imported row.jsonl --skip-bad
	check "counted: $json" said "2 rows read, 1 written, 1 dropped (${row##*:})"
done
for line in '[1]' '5' '"x"' '{' '{"input_length":1}}' "{'input_length':1}" '{"input_length":1,"input_length":2}' \
	'{"input_length":01}' "$(printf '{"input_length":1,"x":"\377"}')" 'null'; do
	printf '%s\n%s\n' "$good" "$line" >row.jsonl
	check "refused: $line" refused row.jsonl 'row.jsonl: line 2, column'
done
printf '%s\n{"timestamp":0,"output_length":5}\n' "$good" >row.jsonl
check 'no input length' refused row.jsonl 'line 2' 'no "input_length"'
printf '{"timestamp":0,"input_length":0}\n' >row.jsonl
check 'no tokens' imported row.jsonl
check 'are said' said 'line 1: 0 tokens'
: >empty.jsonl
check 'empty file' refused empty.jsonl 'empty.jsonl: no rows'
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "["; print "" }' >deep.jsonl
check 'deep nesting' refused deep.jsonl 'deep.jsonl: line 1'
piped() { tokconvert import - -o - <order.jsonl 2>err | tokconvert check - 2>&1; }
check 'from and to a pipe' piped
done_testing
