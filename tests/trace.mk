if HAVE_CMOCKA
check_PROGRAMS += tests/unit/trace
tests_unit_trace_SOURCES = tests/unit/trace.c
tests_unit_trace_LDADD = $(FORMATS_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/trace
endif
