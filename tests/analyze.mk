if HAVE_CMOCKA
check_PROGRAMS += tests/unit/analyze tests/unit/analyze_groups tests/unit/shards
tests_unit_shards_SOURCES = tests/unit/shards.c
tests_unit_shards_LDADD = $(ANALYZE_LIBS) $(CMOCKA_LIBS)
tests_unit_analyze_SOURCES = tests/unit/analyze.c tests/unit/made.c tests/unit/made.h
tests_unit_analyze_LDADD = $(ANALYZE_LIBS) $(CMOCKA_LIBS)
tests_unit_analyze_groups_SOURCES = tests/unit/analyze_groups.c tests/unit/made.c tests/unit/made.h
tests_unit_analyze_groups_LDADD = $(ANALYZE_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/analyze tests/unit/analyze_groups tests/unit/shards
endif
