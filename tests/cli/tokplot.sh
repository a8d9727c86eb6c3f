#!/bin/sh
# tokplot on traces with known times (plot_trace.c): figures, outputs, mistakes.
. "$top_srcdir/tests/cli/lib.sh"
trace=$top_builddir/tests/unit/plot_trace
"$trace" run.tok || exit 99
"$trace" bad.tok m failed || exit 99

# curve FILE "PANEL, CURVE": the points of a curve on one line, "x:y:unsure ...".
curve() {
	awk -v head="# $2" '$0 == head { on = 1; next } on && /^#/ { next }
		on && /^$/ { exit } on { printf "%s%s:%s:%s", sep, $1, $2, $3; sep = " " }' "$1"
}
is() { test "$1" = "$2" || { echo "got $1"; echo "want $2"; return 1; }; }
figures() { is "$(curve "$1" "$2")" "$3"; }

check 'scripts alone' tokplot all run.tok --script s --layers 1k
check 'no picture is drawn with them' test ! -e s/latency.png -a -s s/latency.gp -a -s s/ttft.dat
ttft='Time to first token (TTFT)'
tpot='Time per output token (TPOT)'
e2e='End to end (E2E)'
check 'TTFT p50 of short requests' figures s/latency.dat "$ttft, p50, [0,1024]" '1:10:1 8:80:1 32:320:1'
check 'TTFT p99 of long requests' figures s/latency.dat "$ttft, p99, (1024,inf)" '1:20:1 8:160:1 32:640:1'
check 'TPOT p95' figures s/latency.dat "$tpot, p95, [0,1024]" '1:20:1 8:20:1 32:20:1'
check 'E2E p50 of long requests' figures s/latency.dat "$e2e, p50, (1024,inf)" '1:100:1 8:240:1 32:720:1'
# 30 tokens of a layer within 11 s, TTFT and 80 ms of the last request, which is long
check 'output throughput of a layer' figures s/throughput.dat 'Output throughput, [0,1024]' \
	'1:2.702702703:0 8:2.669039146:0 32:2.559726962:0'
check 'output throughput of layers side by side' figures s/throughput.dat \
	'Output throughput, all layers' '1:5.405405405:0 8:5.338078292:0 32:5.119453925:0'
check 'distribution of equal TTFT' figures s/ttft.dat 'TTFT at concurrency 8, (1024,inf)' \
	"$(for i in 0 1 2 3 4 5; do
		echo "$i" | awk '{ printf "160:%.10g:0 160:%.10g:0 ", $1 / 6 * 100, ($1 + 1) / 6 * 100 }'
	done | sed 's/ $//')"
check 'all requests as one layer' sh -c 'tokplot latency run.tok --script one --layers 100k &&
	grep -q "p50, \[0,102400\]" one/latency.dat'
check 'model, engine, requests and method are said' sh -c 'grep -q "model m" s/latency.gp &&
	grep -q "engine vllm 0.9.1; 36 ok of 37 requests; percentiles: linear" s/latency.gp'

# The same figures by way of tokanalyze's tables.
tokanalyze --format tsv --layers 1k run.tok >groups.tsv
tokanalyze --per-request --format tsv --layers 1k run.tok >requests.tsv
same_latency() { # TABLE: the data of the script but for digits that the table rounds
	tokplot latency "$1" --script t && cmp s/latency.dat t/latency.dat
}
check 'latency from a table of groups' same_latency groups.tsv
check 'latency from a table of requests' same_latency requests.tsv
from_pipe() { tokplot latency - --script t2 <groups.tsv && cat groups.tsv | tokplot latency --script t3 &&
	cmp s/latency.dat t2/latency.dat && cmp s/latency.dat t3/latency.dat; }
check 'a table from a file on stdin and from a pipe' from_pipe
distribution() { tokplot ttft requests.tsv --script t && cmp s/ttft.dat t/ttft.dat; }
check 'TTFT from a table of requests' distribution
layer_only() { tokplot throughput groups.tsv --script t && figures t/throughput.dat \
	'Request throughput, (1024,inf)' '1:0.5405405405:0 8:0.5338078292:0 32:0.5119453925:0'; }
check 'throughput from a table of groups' layer_only

if command -v gnuplot >/dev/null; then
	alone() { ( cd s && LC_ALL=C.UTF-8 gnuplot -d "$1.gp" 2>err && test -s "$1.png" && test ! -s err ); }
	for kind in latency throughput ttft; do
		check "$kind.gp runs under gnuplot alone" alone $kind
	done
	files() { test "$(ls "$1" | tr '\n' ' ')" = "$2" || { ls "$1"; return 1; }; }
	into_dir() { tokplot all run.tok -o d/ && files d 'latency.png throughput.png ttft.png '; }
	check 'several kinds into a directory' into_dir
	prefixed() {
		mkdir p && tokplot latency,ttft run.tok -o p/run.svg && files p 'run-latency.svg run-ttft.svg '
	}
	check 'several kinds under a prefix' prefixed
	one_file() { tokplot ttft run.tok -o one.txt && grep -q 'TTFT at concurrency 32' one.txt; }
	check 'one kind into a file' one_file
	piped() { tokplot latency run.tok --format dumb >o && grep -q 'concurrency (requests' o; }
	check 'text into a pipe' piped
	from_stdin() { cat run.tok | tokplot latency - --format dumb >o2 && cmp o o2; }
	check 'a trace from a pipe' from_stdin
	overlay() {
		cp run.tok "it's \`touch PWNED\`.tok"
		tokplot latency run.tok "it's \`touch PWNED\`.tok" -o two.svg --layers 1k &&
			grep -qF 'run: [0,1024]' two.svg && grep -qF "it's \`touch PWNED\`: [0,1024]" two.svg &&
			test ! -e PWNED
	}
	check 'two traces over one another, named' overlay
	target() {
		tokplot latency run.tok -o t.svg --goodput ttft:250 tpot:50 &&
			grep -q 'target 250 ms' t.svg && grep -q 'target 50 ms' t.svg
	}
	check 'service levels are drawn' target
	nothing() {
		fails 1 tokplot all bad.tok -o none/ 2>err && is "$(ls none)" '' &&
			is "$(grep -c 'nothing to plot: bad has no ok request (of 37)' err)" 3
	}
	check 'a trace without an ok request' nothing
	beside() {
		tokplot latency run.tok bad.tok -o beside.svg && grep -q 'bad is not drawn: it has no ok request' beside.svg
	}
	check 'a trace without an ok request beside a good one' beside
	cut() {
		head -c 1200 run.tok >cut.tok
		fails 1 tokplot latency cut.tok -o cut.svg 2>err && grep -q 'cut.tok: ' err
	}
	check 'a cut trace is said to be so' cut
	titled() { tokplot latency run.tok -o title.svg --title 'Our <run>' && grep -q 'Our &lt;run>' title.svg; }
	check 'title' titled
	size() { tokplot latency run.tok -o size.svg --size 900x700 && grep -q 'width="900" height="700"' size.svg; }
	check 'size' size
	full() {
		test -c /dev/full || return 0
		fails 1 tokplot latency run.tok --format dumb >/dev/full 2>err && is "$(grep -c . err)" 1 &&
			grep -q 'standard output' err
	}
	check 'a full disk behind stdout' full
else
	skip 'pictures' 'no gnuplot'
fi

says() { # CODE WORDS COMMAND...: exit code, and one line on stderr with the words
	code=$1 words=$2; shift 2
	fails "$code" "$@" 2>err </dev/null || { cat err; return 1; }
	grep -q -- "$words" err && is "$(grep -c . err)" 1 || { cat err; return 1; }
}
check 'kinds are listed' sh -c 'test "$(tokplot --list | grep -c "^[a-z]* *[A-Za-z]")" -ge 3'
check 'a kind misspelt' says 2 "did you mean 'latency'" tokplot latecny run.tok -o x.png
check 'no kind' says 2 'say what to draw' tokplot
check 'no output' says 2 'say where the picture goes: -o FILE.png' tokplot latency run.tok
check 'no such format' says 2 'png, svg or dumb' tokplot latency run.tok --format gif
check 'no such suffix' says 2 'the suffix tells no format' tokplot latency run.tok -o x.gif
check 'no such option' says 2 'try .tokplot --help' tokplot latency run.tok --outptu x.png
check 'a size that is none' says 2 'write WIDTHxHEIGHT' tokplot latency run.tok -o x.png --size big
check 'a size too small' says 1 'give a larger --size' tokplot latency run.tok -o x.png --size 330x250
check 'a level that is none' says 2 'ttft:MS' tokplot latency run.tok -o x.png --goodput itl:5
check 'a level of 0' says 2 'above 0' tokplot latency run.tok -o x.png --goodput ttft:0
check 'several pictures on one stdout' says 2 'one svg only' tokplot all run.tok --format svg
check 'a missing file' says 1 'none.tok: No such file' tokplot latency none.tok -o x.png
check 'a table that is none' says 1 'x.tsv: no table of tokanalyze' sh -c \
	'printf "a\tb\n1\t2\n" >x.tsv; tokplot latency x.tsv -o x.png'
check 'an empty file' says 1 'empty.tsv: ' sh -c ': >empty.tsv; tokplot latency empty.tsv -o x.png'
check 'single TTFTs of a table of groups' says 1 'a table of groups has no single TTFTs' \
	tokplot ttft groups.tsv -o x.png
check 'a directory' says 1 'Is a directory' tokplot latency . -o x.png
check 'no picture is left by any of them' test ! -e x.png
done_testing
