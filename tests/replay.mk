# tests of: replay
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/prompt tests/unit/schedule
tests_unit_prompt_SOURCES = tests/unit/prompt.c
tests_unit_prompt_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_schedule_SOURCES = tests/unit/schedule.c
tests_unit_schedule_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/prompt tests/unit/schedule
endif
