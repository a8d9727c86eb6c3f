cli_tests += tests/cli/record.sh tests/cli/record-http.sh
EXTRA_DIST += tests/server/upstream.py tests/server/raw.py tests/cli/record_http.py
