if HAVE_CMOCKA
check_PROGRAMS += tests/unit/wire
tests_unit_wire_SOURCES = tests/unit/wire.c
tests_unit_wire_LDADD = $(FORMATS_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/wire
endif
