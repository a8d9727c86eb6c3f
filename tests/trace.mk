if HAVE_CMOCKA
check_PROGRAMS += tests/unit/trace
tests_unit_trace_SOURCES = tests/unit/trace.c
tests_unit_trace_LDADD = $(FORMATS_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/trace
endif

check_PROGRAMS += tests/fuzz/decode
tests_fuzz_decode_SOURCES = tests/fuzz/decode.c
if LIBFUZZER
tests_fuzz_decode_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
else
tests_fuzz_decode_SOURCES += tests/fuzz/onefile.c
endif

cli_tests += tests/cli/hostile.sh

if HAVE_CMOCKA
check_PROGRAMS += tests/unit/health tests/unit/record tests/unit/record_odd
tests_unit_health_SOURCES = tests/unit/health.c
tests_unit_health_LDADD = $(FORMATS_LIBS) $(CMOCKA_LIBS)
tests_unit_record_SOURCES = tests/unit/record.c
tests_unit_record_LDADD = $(FORMATS_LIBS) $(CMOCKA_LIBS)
tests_unit_record_odd_SOURCES = tests/unit/record_odd.c
tests_unit_record_odd_LDADD = $(FORMATS_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/health tests/unit/record tests/unit/record_odd
endif

check_PROGRAMS += tests/fuzz/reader
tests_fuzz_reader_SOURCES = tests/fuzz/reader.c
if LIBFUZZER
tests_fuzz_reader_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
else
tests_fuzz_reader_SOURCES += tests/fuzz/onefile.c
endif

# Python reads what this writes.
check_PROGRAMS += tests/trace/sample
tests_trace_sample_SOURCES = tests/trace/sample.c
cli_tests += tests/cli/read-python.sh

bench_PROGS += tests/bench/trace
tests_bench_trace_SOURCES = tests/bench/trace.c
