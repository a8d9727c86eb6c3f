#!/bin/sh
# Azure CSV: times to 100 ns, zones, columns by name, and what is wrong with a file.
. "$top_srcdir/tests/cli/lib.sh"
command -v jq >/dev/null || { skip 'azure' 'no jq'; done_testing; exit 0; }

head='TIMESTAMP,ContextTokens,GeneratedTokens'
requests() { tokconvert dump "$1" | jq -r "select(.kind == \"request\") | $2" | paste -sd' '; }
is() { test "$1" = "$2" || { echo "got  $1"; echo "want $2"; return 1; }; }
# offsets FILE "NS...": the requests' times.
offsets() {
	tokconvert import --from azure "$1" -o out.tok && is "$(requests out.tok .scheduled_ns)" "$2"
}
# refused FILE WORDS...: exit 1, one line, which holds each of the words.
refused() {
	f=$1; shift
	fails 1 tokconvert import --from azure "$f" -o bad.tok 2>err || return 1
	cat err
	test "$(wc -l <err)" -eq 1 || return 1
	for w in "$@"; do grep -qF -- "$w" err || { echo "no '$w'"; return 1; }; done
}

# A mark of byte order, CRLF, a blank last line, seven digits.
{
	printf '\357\273\277%s\r\n' "$head"
	printf '2031-02-03 04:05:06.1000000,120,10\r\n2031-02-03 04:05:06.1000100,90,3\r\n'
	printf '2031-02-03 04:05:06.1090000,300,7\r\n2031-02-03 04:05:07.0000001,44,2\r\n\r\n'
} >a.csv
# 0, 0.010, 9.0 and 900.0001 ms.
check 'seven digits are kept' offsets a.csv '0 10000 9000000 900000100'
check 'lengths' is "$(requests out.tok '"\(.input_tokens)/\(.output_tokens)"')" '120/10 90/3 300/7 44/2'
check 'the format is found by content' tokconvert import a.csv -o sniffed.tok
check 'the time of day is kept as the epoch' is "$(tokconvert dump out.tok | sed -n 's/.*"epoch_wall_ns":\([0-9]*\).*/\1/p')" \
	1927857906100000000
check 'no prefix is made up' is "$(tokconvert stat --format json out.tok | jq -c .prefix)" null

printf '%s\n' "$head" '2031-02-03 04:05:06+00:00,1,1' '2031-02-03 04:05:06.100000+00:00,1,1' \
	'2031-02-03T04:05:06.25Z,1,1' '2031-02-03 06:05:06.300000+02:00,1,1' >b.csv
check 'zones' offsets b.csv '0 100000000 250000000 300000000'

# A zone with a jump between the two would make about 0 of it.
printf '%s\n' "$head" '2031-03-09 01:59:59.9999999,1,1' '2031-03-09 03:00:00.0000001,1,1' >c.csv
in_zone() { (TZ=$1; export TZ; offsets c.csv '0 3600000000200'); }
check 'no zone is UTC, in New York' in_zone America/New_York
check 'no zone is UTC, by a rule' in_zone 'EST5EDT,M3.2.0,M11.1.0'
check 'no zone is UTC, in Kathmandu' in_zone Asia/Kathmandu
printf '%s\n' "$head" '2031-12-31 23:59:59.5,1,1' '2032-01-01 00:00:00.25,1,1' '2032-02-28 23:59:59,1,1' \
	'2032-02-29 00:00:00,1,1' '2032-03-01 00:00:00-0130,1,1' >leap.csv
check 'years and leap days' offsets leap.csv '0 750000000 5097599500000000 5097600500000000 5189400500000000'

printf '%s\n' 'region,generatedtokens , "CONTEXTTOKENS",Timestamp,x' \
	'"eu",7,"33", 2031-02-03 04:05:06.5 ,' 'eu,8.0,34,2031-02-03 04:05:06,1' >names.csv
check 'columns by name, quotes, blanks, further columns' offsets names.csv '0 500000000'
check 'lengths of those' is "$(requests out.tok '"\(.input_tokens)/\(.output_tokens)"')" '34/8 33/7'

# Out of order: sorted by time, in file order where that is equal, and said.
printf '%s\n' "$head" '2031-01-01 00:00:02,1,1' '2031-01-01 00:00:01,2,1' '2031-01-01 00:00:02,3,1' \
	'2031-01-01 00:00:01,4,1' >order.csv
check 'out of order' offsets order.csv '0 0 1000000000 1000000000'
check 'file order within a time' is "$(requests out.tok .input_tokens)" '2 4 1 3'
said() { tokconvert import order.csv -o out.tok 2>err; cat err; grep -q '4 rows read, 4 written; not in order of time at 2 places' err; }
check 'it is said' said
check 'and kept in the header' is "$(tokconvert dump out.tok | jq -r 'select(.kind == "header").run | "\(.rows_read) \(.rows_written) \(.inversions) \(.time_unit)"')" \
	'4 4 2 wall clock'
digest() { is "$(tokconvert dump out.tok | jq -r 'select(.kind == "header").source_digest')" "$(sha256sum <order.csv | cut -c1-64)"; }
check 'with the digest of the file' digest

: >empty.csv
check 'empty file' refused empty.csv 'empty.csv: empty' "$head"
echo "$head" >heading.csv
check 'heading alone' refused heading.csv 'heading.csv: no rows'
printf 'TIMESTAMP,GeneratedTokens\n2031-01-01 00:00:00,1\n' >nocolumn.csv
check 'missing column' refused nocolumn.csv 'line 1' 'no column ContextTokens' "$head"
printf '%s\n' "$head" '2031-01-01 00:00:00,1,1' '2031-01-01 00:00:00,1' >short.csv
check 'short line' refused short.csv 'short.csv: line 3' 'no GeneratedTokens'
for bad in '-1' '1.5' '1e3' '' 'x' '9999999999' '99999999999999999999999' '0x10' 'nan'; do
	printf '%s\n' "$head" "2031-01-01 00:00:00,1,1" "2031-01-01 00:00:00,$bad,1" >tokens.csv
	check "input tokens '$bad'" refused tokens.csv 'tokens.csv: line 3, column 21' ContextTokens "'$bad'"
done
for bad in '2031-02-30 00:00:00' '2031-13-01 00:00:00' '2031-01-01 24:00:00' '2031-01-01' '12.5' '' \
	'2031-01-01 00:00:00.' '2031-01-01 00:00:00+25:00' '2031-01-01 00:00:00 UTC' '2031-1-1 00:00:00' \
	'2031-01-01 00:00:00.1234567891' '0001-01-01 00:00:00' '2031-01-01 00:61:00'; do
	printf '%s\n' "$head" "$bad,1,1" >time.csv
	check "time '$bad'" refused time.csv 'time.csv: line 2, column 1' TIMESTAMP "'$bad'"
done
check 'missing file' refused none.csv 'none.csv: cannot open'
mkdir dir
check 'directory' refused dir 'dir: cannot read'
head -c 4096 /dev/urandom | tr -d '\n' >garbage
check 'garbage' refused garbage 'garbage: line 1'
clean() { refused "$1" 'line 2' || return 1; ! LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177-\377]')" err; }
printf '%s\n\033]0;evil\007\377,1,1\n' "$head" >control.csv
check 'control bytes of a file are not said' clean control.csv

skip_bad() {
	tokconvert import --skip-bad short.csv -o out.tok 2>err || return 1
	cat err
	grep -q '2 rows read, 1 written, 1 dropped (missing)' err
}
check 'skipped rows are counted' skip_bad
printf '%s\n' "$head" 'x,1,1' 'y,1,1' >allbad.csv
all_bad() { fails 1 tokconvert import --skip-bad allbad.csv -o bad.tok 2>err; cat err; grep -q 'all 2 rows are bad' err; }
check 'nothing but bad rows' all_bad
done_testing
