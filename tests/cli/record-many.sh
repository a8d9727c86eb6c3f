#!/bin/sh
# 2,000 streams at once: each is whole, each is recorded, nothing of them stays behind.
. "$top_srcdir/tests/cli/lib.sh"
limit=$(ulimit -H -n)
test "$limit" = unlimited || test "$limit" -ge 8192 || { skip 'many streams' "$limit open files are too few"; skip 'nothing left' 'as before'; done_testing; exit 0; }
many() {
	timeout 150 "$top_builddir/tests/bench/proxy" 2000 2 2 >many.out || { cat many.out; return 1; }
	# 3 rounds x 2,000 streams x 4 tokens, direct and through; 6,000 exchanges in the trace.
	grep -q '^through tokrecord *24000 ' many.out && grep -q ' 6000 responses.*: ok$' many.out || { cat many.out; return 1; }
}
check '2,000 streams at once are whole' many
nothing_left() { grep -qE ' (0|-[0-9]+) descriptors more than before$' many.out || { cat many.out; return 1; }; }
check 'no descriptor stays behind' nothing_left
done_testing
