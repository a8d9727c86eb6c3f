#!/bin/sh
# What tokrecord lets pass: methods, targets, headers, framing, bodies.
. "$top_srcdir/tests/cli/lib.sh"
command -v python3 >/dev/null || { skip 'what passes' 'no python3'; done_testing; exit 0; }
python3 "$top_srcdir/tests/cli/record_http.py"
