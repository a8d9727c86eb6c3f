#!/bin/sh
# Past fuzz inputs stay fixed: each target runs its corpus.
. "$top_srcdir/tests/cli/lib.sh"
for dir in "$top_srcdir"/tests/fuzz/corpus/*/; do
	test -d "$dir" || continue
	t=$(basename "$dir")
	check "$t corpus" "$top_builddir/tests/fuzz/$t" "$dir"*
done
done_testing
