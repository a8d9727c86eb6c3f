# tests of: replay
if HAVE_CMOCKA
replay_units = tests/unit/dispatch tests/unit/driver tests/unit/fit tests/unit/rounds tests/unit/live tests/unit/plan tests/unit/prompt \
	tests/unit/request tests/unit/schedule tests/unit/target \
	tests/unit/difference tests/unit/verify
check_PROGRAMS += $(replay_units)
TESTS += $(replay_units)
tests_unit_dispatch_SOURCES = tests/unit/dispatch.c
tests_unit_dispatch_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_driver_SOURCES = tests/unit/driver.c
tests_unit_driver_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_fit_SOURCES = tests/unit/fit.c
tests_unit_fit_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_rounds_SOURCES = tests/unit/rounds.c
tests_unit_rounds_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_live_SOURCES = tests/unit/live.c
tests_unit_live_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_plan_SOURCES = tests/unit/plan.c
tests_unit_plan_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_prompt_SOURCES = tests/unit/prompt.c
tests_unit_prompt_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_request_SOURCES = tests/unit/request.c
tests_unit_request_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_schedule_SOURCES = tests/unit/schedule.c
tests_unit_schedule_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_target_SOURCES = tests/unit/target.c
tests_unit_target_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_difference_SOURCES = tests/unit/difference.c tests/unit/talk.c tests/unit/talk.h
tests_unit_difference_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
tests_unit_verify_SOURCES = tests/unit/verify.c tests/unit/talk.c tests/unit/talk.h
tests_unit_verify_LDADD = $(REPLAY_LIBS) $(CMOCKA_LIBS)
endif

check_PROGRAMS += tests/fuzz/stages
tests_fuzz_stages_SOURCES = tests/fuzz/stages.c
tests_fuzz_stages_LDADD = $(REPLAY_LIBS)
if LIBFUZZER
tests_fuzz_stages_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
else
tests_fuzz_stages_SOURCES += tests/fuzz/onefile.c
endif

check_PROGRAMS += tests/replay/lengths tests/replay/rows
tests_replay_lengths_SOURCES = tests/replay/lengths.c
tests_replay_lengths_LDADD = $(FORMATS_LIBS)
tests_replay_rows_SOURCES = tests/replay/rows.c
tests_replay_rows_LDADD = $(FORMATS_LIBS)
cli_tests += \
	tests/cli/load.sh \
	tests/cli/replay.sh \
	tests/cli/rounds.sh \
	tests/cli/replay-faults.sh \
	tests/cli/threads.sh \
	tests/cli/transport.sh \
	tests/cli/verify.sh

check_PROGRAMS += tests/fuzz/answer
tests_fuzz_answer_SOURCES = tests/fuzz/answer.c
tests_fuzz_answer_LDADD = $(REPLAY_LIBS)
if LIBFUZZER
tests_fuzz_answer_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
else
tests_fuzz_answer_SOURCES += tests/fuzz/onefile.c
endif
