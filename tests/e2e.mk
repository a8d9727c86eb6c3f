cli_tests += tests/cli/real-engine.sh
EXTRA_DIST += tests/e2e tests/demo.sh quickstart
