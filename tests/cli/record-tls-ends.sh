#!/bin/sh
# TLS at its edges: certificates of others, cut streams, clients that leave or do not read.
. "$top_srcdir/tests/cli/lib.sh"
for t in python3 openssl curl; do
	command -v $t >/dev/null || { skip 'TLS' "no $t"; done_testing; exit 0; }
done
python3 "$top_srcdir/tests/cli/record_tls.py"
