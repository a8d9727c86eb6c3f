#!/bin/sh
# Pictures of each kind in each format; names as labels (case D22); empty, single,
# equal and zero data (D23).  Drawn by plot_sample, from made-up data.
. "$top_srcdir/tests/cli/lib.sh"
sample=$top_builddir/tests/unit/plot_sample
if ! command -v gnuplot >/dev/null; then
	skip 'pictures' 'no gnuplot'
	done_testing
	exit
fi

is_png() { test "$(head -c 8 "$1" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a; }
is_svg() { grep -q '^<svg' "$1" && tail -n 2 "$1" | grep -q '^</svg>'; }
is_dumb() { grep -q '+---' "$1" && ! grep -q "$(printf '[\033\f]')" "$1"; }
# drawn CASE KIND FORMAT: a whole picture, and not a word on stderr.
drawn() {
	rm -f out
	"$sample" "$1" "$2" "$3" out 2>err || { cat err; return 1; }
	test ! -s err || { cat err; return 1; }
	"is_$3" out
}
for kind in latency throughput ttft; do
	for format in png svg dumb; do
		check "$kind as $format" drawn levels $kind $format
		check "$kind of two runs as $format" drawn two-runs $kind $format
		check "$kind of one request as $format" drawn one $kind $format
		check "$kind of equal requests as $format" drawn equal $kind $format
	done
done
check 'curves have gaps' drawn gaps latency png

# empty CASE KIND WORDS: exit 1, the words on stderr, no file left.
empty() {
	rm -f out
	fails 1 "$sample" "$1" "$2" png out 2>err || return 1
	grep -q "$3" err || { cat err; return 1; }
	test ! -e out
}
for kind in latency throughput ttft; do
	check "$kind of no ok request" empty none $kind 'nothing to plot: run has no ok request (of 5)'
done
check 'all values 0 on a log axis' empty all-zero ttft 'nothing to plot: all 4 values'
some_zero() {
	"$sample" some-zero ttft svg out 2>err &&
		grep -q '2 of 4 points are <= 0 and not shown on a log axis' err &&
		grep -q '2 of 4 points are &lt;= 0 and not shown on a log axis' out
}
check 'some values 0 on a log axis' some_zero
check 'all values 0 on a linear axis' drawn all-zero latency png
no_tpot() {
	drawn one latency svg && grep -q 'TPOT is left out: no request has one' out &&
		! grep -q 'Time per output token' out
}
check 'a metric without a value is left out and said so' no_tpot

# shown MODEL TEXT: the SVG holds the text once, and nothing of the name was run.
shown() {
	MODEL=$1 "$sample" levels latency svg out || return 1
	test ! -e PWNED || { echo 'a name was run'; return 1; }
	test "$(grep -cF -- "$2" out)" = 1 || { grep '<text>' out; return 1; }
}
check 'underscore and slash' shown 'Qwen/Qwen3_8B-it' 'Qwen/Qwen3_8B-it'
check 'quote and backticks' shown "it's \`touch PWNED\`" "it's \`touch PWNED\`"
check 'command in braces' shown "\$(touch PWNED)" "\$(touch PWNED)"
check 'end of string, then a command' shown "'; system('touch PWNED'); x='" \
	"'; system('touch PWNED'); x='"
check 'double quote and backslash' shown 'a"b\c' 'a"b\c'
check 'per cent, braces, macro' shown '100% {sub}^2 @foo' '100% {sub}^2 @foo'
check 'line feed' shown 'two
lines' 'model two lines'
check 'Chinese' shown '模型' '模型'
check 'empty' shown '' 'engine vllm 0.9; 66 ok of 68 requests'
x300=$(printf '%0300d' 0)
check '300 characters' shown "$x300" '00000…'
check 'markup' shown '<b>&amp;]]>' '&lt;b>&amp;amp;]] >'
check 'not UTF-8' shown "$(printf 'a\377z')" 'model a�z'

# The picture's place: any name, nothing half-written, nothing but regular files replaced.
odd() {
	rm -rf odd; mkdir odd
	"$sample" one ttft png "odd/it's \`touch PWNED\` \"x\" .png" &&
		test "$(ls odd | wc -l)" = 1 && is_png odd/it* && test ! -e PWNED
}
check 'output path with quotes and spaces' odd
kept() {
	echo old >keep.png
	fails 1 "$sample" none ttft png keep.png && test "$(cat keep.png)" = old
}
check 'a failed run leaves the old picture' kept
linked() {
	echo old >real.png; ln -sf real.png link.png
	"$sample" one ttft png link.png && test -L link.png && is_png real.png
}
check 'a symbolic link is followed' linked
full() {
	test -c /dev/full || return 0
	fails 1 "$sample" one ttft png /dev/full 2>err && grep -q '/dev/full: No space' err &&
		test -c /dev/full
}
check 'a full device' full
nowhere() { fails 1 "$sample" one ttft png no/such/dir.png 2>err && grep -q 'no/such/dir.png: ' err; }
check 'a directory that is missing' nowhere
missing() {
	mkdir -p empty-path
	( PATH=$PWD/empty-path; fails 1 "$sample" one ttft png x.png ) 2>err
	grep -q 'gnuplot is not installed.*apt install gnuplot-nox' err && test ! -e x.png
}
check 'no gnuplot' missing
# broken EXIT WORDS: a gnuplot that fails.
broken() {
	mkdir -p fake
	printf '#!/bin/sh\necho oops >&2\nexit %s\n' "$1" >fake/gnuplot; chmod +x fake/gnuplot
	( PATH=$PWD/fake:$PATH; fails 1 "$sample" one ttft png y.png ) 2>err
	grep -q "$2" err && test ! -e y.png
}
check 'gnuplot fails' broken 3 'gnuplot failed: oops'
check 'gnuplot draws nothing' broken 0 'gnuplot drew nothing'
startup() {
	mkdir -p home; echo "system('touch PWNED')" >home/.gnuplot
	HOME=$PWD/home "$sample" one ttft png z.png && test ! -e PWNED
}
check 'start-up files of gnuplot are not read' startup
clean() {
	mkdir -p tmp; TMPDIR=$PWD/tmp "$sample" levels ttft png z.png && test -z "$(ls tmp)"
}
check 'no temporary files are left' clean
done_testing
