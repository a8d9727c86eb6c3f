#!/bin/sh
# Dependencies run one way:
#   formats <- record <- replay    formats <- analyze <- plot    analyze <- replay
# and inside formats: base <- wire <- trace, table <- convert.
. "$top_srcdir/tests/cli/lib.sh"

# only DIR ALLOWED...: no file of DIR includes a directory of ours that is not allowed.
only() {
	dir=$1; shift
	allowed=$(echo "$@" | tr ' ' '|')
	ours='formats|record|replay|analyze|plot|tests'
	! grep -rnE "^#[[:space:]]*include \"($ours)/" --include='*.[ch]' "$top_srcdir/$dir" |
		grep -vE "include \"($allowed)/"
}
# alone HEADER FILES...: only these files include the system header.
alone() {
	header=$1; shift
	got=$(cd "$top_srcdir" && grep -rlE "^#include <$header" --include='*.[ch]' \
		formats record replay analyze plot | sort | tr '\n' ' ')
	for f in $got; do
		case " $* " in *" $f "*) ;; *) echo "$f includes <$header>"; return 1 ;; esac
	done
}
check 'base knows nothing of the field' only formats/base formats/base
check 'wire stands on base' only formats/wire formats/base formats/wire
check 'trace stands on base and wire' only formats/trace formats/base formats/wire formats/trace
check 'table stands on base' only formats/table formats/base formats/table
check 'formats includes no tool' only formats formats
check 'record stands on formats' only record formats record
check 'analyze stands on formats' only analyze formats analyze
check 'plot stands on analyze' only plot formats analyze plot
check 'replay stands on record and analyze' only replay formats record analyze replay
check 'libcurl has one home' alone 'curl/' record/loop.h record/preconnect.h record/transfer.h
check 'zstd has one home' alone 'zstd' formats/trace/block.c formats/trace/unblock.c
check 'msgpack has one home' alone 'msgpack' formats/trace/pack.h
check 'libcrypto has one home, and so has libssl' alone 'openssl/' formats/base/digest.c record/tls.c
done_testing
