#!/bin/sh
# Random files of each format against a plain reading of their rows.
. "$top_srcdir/tests/cli/lib.sh"
command -v python3 >/dev/null || { skip 'random files' 'no python3'; done_testing; exit 0; }
PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE
for seed in 1 2 3; do
	check "random files, seed $seed" python3 "$top_srcdir/tests/cli/import_random.py" $seed 8
done
done_testing
