# The house itself: include direction, manual pages, golden files, old fuzz inputs.
cli_tests += \
	tests/cli/fuzz-corpus.sh \
	tests/cli/golden.sh \
	tests/cli/layers.sh \
	tests/cli/manpages.sh
