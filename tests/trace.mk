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
