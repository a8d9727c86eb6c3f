#!/bin/sh
# tokrecord with several upstreams, on unix sockets, and with too few descriptors.
. "$top_srcdir/tests/cli/lib.sh"
command -v python3 >/dev/null && command -v zstd >/dev/null && test -d /proc/self/fd ||
	{ skip 'several upstreams' 'no python3, zstd or /proc'; done_testing; exit 0; }
python3 "$top_srcdir/tests/cli/record_upstreams.py"
