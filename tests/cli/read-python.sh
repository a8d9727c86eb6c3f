#!/bin/sh
# A trace is read by ten lines of Python with the usual packages, and by the zstd tool.
. "$top_srcdir/tests/cli/lib.sh"

python=
for p in /usr/bin/python3 python3; do
	"$p" -c 'import msgpack, zstandard' 2>/dev/null && { python=$p; break; }
done
"$top_builddir/tests/trace/sample" one.tok || exit 99
cat one.tok one.tok >two.tok

cat >read.py <<'EOF'
import itertools, msgpack, sys, zstandard
with open(sys.argv[1], "rb") as f:
    data = zstandard.ZstdDecompressor().stream_reader(f, read_across_frames=True)
    for r in msgpack.Unpacker(data, raw=False):
        print(r["kind"], r.get("id", "-"), end="")
        if r["kind"] == "response":
            print("", list(itertools.accumulate(r["dt"])), r["len"], ascii(r["text"]), end="")
        print()
EOF
cat >one.want <<'EOF'
header -
request 0
response 0 [310000000, 330000000, 350000000] [3, 4, 4] 'Red fox ran'
request 1
response 1 [1310000000, 1330000000] [3, 4] '\u4f60\U0001f642'
request 2
response 2 [2310000000, 2330000000] [2, 1] b'a\xffb'
end -
EOF
cat one.want one.want >two.want
same() { "$python" read.py "$1.tok" >out && diff "$1.want" out; }
if test -n "$python"; then
	check 'python reads a trace' same one
	check 'python reads two traces in one file' same two
else
	skip 'python reads a trace' 'python3 has no msgpack and zstandard here'
	skip 'python reads two traces in one file' 'python3 has no msgpack and zstandard here'
fi

doubled() { zstd -qdc one.tok >one.raw && zstd -qdc two.tok >two.raw && cat one.raw one.raw | cmp - two.raw; }
if command -v zstd >/dev/null; then
	check 'zstd finds it whole' zstd -qt two.tok
	check 'zstd reads two traces as one stream' doubled
else
	skip 'zstd finds it whole' 'no zstd here'
	skip 'zstd reads two traces as one stream' 'no zstd here'
fi
done_testing
