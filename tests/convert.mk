# tests of: convert
cli_tests += \
	tests/cli/import-azure.sh \
	tests/cli/import-figures.sh \
	tests/cli/import-mooncake.sh \
	tests/cli/import-random.sh \
	tests/cli/tokconvert.sh
EXTRA_DIST += tests/cli/import_figures.py tests/cli/import_random.py

if HAVE_CMOCKA
check_PROGRAMS += tests/unit/convert
tests_unit_convert_SOURCES = tests/unit/convert.c
tests_unit_convert_LDADD = $(FORMATS_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/convert
endif

# Writes the traces that tests/cli/tokconvert.sh reads.
check_PROGRAMS += tests/unit/convert_trace
tests_unit_convert_trace_SOURCES = tests/unit/convert_trace.c
tests_unit_convert_trace_LDADD = $(FORMATS_LIBS)

check_PROGRAMS += tests/fuzz/azure tests/fuzz/mooncake
tests_fuzz_azure_SOURCES = tests/fuzz/azure.c
tests_fuzz_azure_LDADD = $(FORMATS_LIBS)
tests_fuzz_mooncake_SOURCES = tests/fuzz/mooncake.c
tests_fuzz_mooncake_LDADD = $(FORMATS_LIBS)
if LIBFUZZER
tests_fuzz_azure_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_mooncake_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
else
tests_fuzz_azure_SOURCES += tests/fuzz/onefile.c
tests_fuzz_mooncake_SOURCES += tests/fuzz/onefile.c
endif
