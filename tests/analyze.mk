if HAVE_CMOCKA
check_PROGRAMS += tests/unit/analyze
tests_unit_analyze_SOURCES = tests/unit/analyze.c
tests_unit_analyze_LDADD = $(ANALYZE_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/analyze
endif
