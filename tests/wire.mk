if HAVE_CMOCKA
check_PROGRAMS += tests/unit/wire
tests_unit_wire_SOURCES = tests/unit/wire.c
tests_unit_wire_LDADD = $(FORMATS_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/protocols
tests_unit_protocols_SOURCES = tests/unit/protocols.c
tests_unit_protocols_LDADD = $(FORMATS_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/sse
tests_unit_sse_SOURCES = tests/unit/sse.c tests/fuzz/sse.c
tests_unit_sse_LDADD = $(FORMATS_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/transcripts
tests_unit_transcripts_SOURCES = tests/unit/transcripts.c
tests_unit_transcripts_LDADD = $(FORMATS_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/wire tests/unit/protocols tests/unit/sse tests/unit/transcripts
endif

check_PROGRAMS += tests/fuzz/api tests/fuzz/scan tests/fuzz/sse
tests_fuzz_api_SOURCES = tests/fuzz/api.c
tests_fuzz_scan_SOURCES = tests/fuzz/scan.c
tests_fuzz_sse_SOURCES = tests/fuzz/sse.c
if LIBFUZZER
tests_fuzz_api_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_scan_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_sse_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
else
tests_fuzz_api_SOURCES += tests/fuzz/onefile.c
tests_fuzz_scan_SOURCES += tests/fuzz/onefile.c
tests_fuzz_sse_SOURCES += tests/fuzz/onefile.c
endif

bench_PROGS += tests/bench/sse
tests_bench_sse_SOURCES = tests/bench/sse.c
