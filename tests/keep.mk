# tests of: what of an exchange is kept
if HAVE_CMOCKA
keep_units = tests/unit/canon tests/unit/pieces tests/unit/redact tests/unit/sessions
check_PROGRAMS += $(keep_units)
TESTS += $(keep_units)
tests_unit_canon_SOURCES = tests/unit/canon.c
tests_unit_canon_LDADD = $(RECORD_LIBS) $(CMOCKA_LIBS)
tests_unit_pieces_SOURCES = tests/unit/pieces.c
tests_unit_pieces_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_redact_SOURCES = tests/unit/redact.c
tests_unit_redact_LDADD = $(RECORD_LIBS) $(CMOCKA_LIBS)
tests_unit_sessions_SOURCES = tests/unit/sessions.c
tests_unit_sessions_LDADD = $(RECORD_LIBS) $(CMOCKA_LIBS)
endif

check_PROGRAMS += tests/fuzz/canon tests/fuzz/redact
tests_fuzz_canon_SOURCES = tests/fuzz/canon.c
tests_fuzz_canon_LDADD = $(RECORD_LIBS)
tests_fuzz_redact_SOURCES = tests/fuzz/redact.c
tests_fuzz_redact_LDADD = $(RECORD_LIBS)
if LIBFUZZER
tests_fuzz_canon_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_redact_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
else
tests_fuzz_canon_SOURCES += tests/fuzz/onefile.c
tests_fuzz_redact_SOURCES += tests/fuzz/onefile.c
endif
cli_tests += tests/cli/record-keep.sh tests/cli/record-sessions.sh
EXTRA_DIST += tests/record/marks.py tests/record/talk.py
