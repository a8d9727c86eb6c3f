if HAVE_CMOCKA
check_PROGRAMS += tests/unit/base
tests_unit_base_SOURCES = tests/unit/base.c
tests_unit_base_LDADD = $(FORMATS_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/base
endif
