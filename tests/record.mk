cli_tests += tests/cli/record.sh tests/cli/record-http.sh tests/cli/record-flow.sh tests/cli/record-upstreams.sh tests/cli/record-tls-ends.sh
EXTRA_DIST += tests/server/upstream.py tests/server/raw.py tests/cli/record_http.py tests/cli/record_flow.py tests/cli/record_upstreams.py tests/cli/record_tls.py

# Operation: ends, files, disks, metrics.
cli_tests += \
	tests/cli/record-disk.sh \
	tests/cli/record-metrics.sh \
	tests/cli/record-rotate.sh \
	tests/cli/record-signals.sh
EXTRA_DIST += tests/cli/prometheus.py tests/server/paced.py

if HAVE_CMOCKA
check_PROGRAMS += tests/unit/spool tests/unit/recorder tests/unit/livestats
check_PROGRAMS += tests/unit/passing tests/unit/unpack tests/unit/response
tests_unit_response_SOURCES = tests/unit/response.c
tests_unit_response_LDADD = $(RECORD_LIBS) $(CMOCKA_LIBS)
tests_unit_passing_SOURCES = tests/unit/passing.c
tests_unit_passing_LDADD = $(RECORD_LIBS) $(CMOCKA_LIBS)
tests_unit_unpack_SOURCES = tests/unit/unpack.c
tests_unit_unpack_LDADD = $(RECORD_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/passing tests/unit/unpack tests/unit/response
tests_unit_spool_SOURCES = tests/unit/spool.c
tests_unit_spool_LDADD = $(RECORD_LIBS) $(CMOCKA_LIBS)
tests_unit_recorder_SOURCES = tests/unit/recorder.c
tests_unit_recorder_LDADD = $(RECORD_LIBS) $(CMOCKA_LIBS)
tests_unit_livestats_SOURCES = tests/unit/livestats.c
tests_unit_livestats_LDADD = $(RECORD_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/spool tests/unit/recorder tests/unit/livestats
endif
cli_tests += tests/cli/record-mixed.sh tests/cli/record-browser.sh
EXTRA_DIST += tests/server/mixed.py tests/cli/record_mixed.py

bench_PROGS += tests/bench/proxy
check_PROGRAMS += tests/bench/proxy
cli_tests += tests/cli/record-many.sh tests/cli/record-tls.sh
tests_bench_proxy_SOURCES = tests/bench/proxy.c tests/bench/paced.c tests/bench/paced.h
