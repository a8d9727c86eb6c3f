#!/bin/sh
# Imported public traces have the figures that were computed from their rows elsewhere.
. "$top_srcdir/tests/cli/lib.sh"
command -v python3 >/dev/null || { skip 'figures' 'no python3'; done_testing; exit 0; }
PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE
compare() { python3 "$top_srcdir/tests/cli/import_figures.py" "$@"; }

data=$top_srcdir/tests/data
for f in mooncake_arxiv.slice40.jsonl mooncake_conversation.head300.jsonl azure_code.head500.csv; do
	check "$f" compare "$data/$f" "$data/figures.json" "$f"
done
# The whole files are too large to ship; developers have them beside the checkout.
shared=$top_srcdir/../shared
for f in mooncake/conversation_trace.head6500.jsonl mooncake/synthetic_trace.jsonl \
	mooncake/arxiv_mooncake_trace.slice40.jsonl azure/AzureLLMInferenceTrace_code.csv; do
	if test -f "$shared/data/$f"; then
		check "$f" compare "$shared/data/$f" "$shared/research/expected.json" "$f"
	else
		skip "$f" 'shared data not at hand'
	fi
done
done_testing
