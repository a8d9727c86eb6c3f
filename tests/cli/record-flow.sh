#!/bin/sh
# tokrecord between a slow side and a fast one, and clients that leave.
. "$top_srcdir/tests/cli/lib.sh"
command -v python3 >/dev/null && test -d /proc/self/fd ||
	{ skip 'backpressure' 'no python3 or no /proc'; done_testing; exit 0; }
python3 "$top_srcdir/tests/cli/record_flow.py"
