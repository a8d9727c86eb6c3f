# Public faults of other tools as cases: a scripted server, tokreplay, tokanalyze.
check_PROGRAMS += tests/server/scripted tests/server/expect
tests_server_scripted_SOURCES = tests/server/scripted.c tests/server/script.c tests/server/script.h
tests_server_expect_SOURCES = tests/server/expect.c
EXTRA_DIST += tests/server/peer.js
cli_tests += tests/cli/cases-wire.sh tests/cli/cases-end.sh tests/cli/cases-metrics.sh
EXTRA_DIST += tests/cli/cases.sh
