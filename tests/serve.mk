# tests of: serve
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/engine tests/unit/profile tests/unit/serve
tests_unit_engine_SOURCES = tests/unit/engine.c
tests_unit_engine_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_profile_SOURCES = tests/unit/profile.c
tests_unit_profile_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_serve_SOURCES = tests/unit/serve.c
tests_unit_serve_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/engine tests/unit/profile tests/unit/serve
endif

check_PROGRAMS += tests/fuzz/profile
tests_fuzz_profile_SOURCES = tests/fuzz/profile.c
tests_fuzz_profile_LDADD = $(REPLAY_LIBS)
if LIBFUZZER
tests_fuzz_profile_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
else
tests_fuzz_profile_SOURCES += tests/fuzz/onefile.c
endif

cli_tests += \
	tests/cli/serve-profile.sh \
	tests/cli/serve-roundtrip.sh \
	tests/cli/serve-trace.sh
check_PROGRAMS += tests/serve/mktrace
tests_serve_mktrace_SOURCES = tests/serve/mktrace.c
tests_serve_mktrace_LDADD = $(FORMATS_LIBS)
