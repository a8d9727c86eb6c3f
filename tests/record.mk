cli_tests += tests/cli/record.sh
EXTRA_DIST += tests/server/upstream.py
