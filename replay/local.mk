noinst_LIBRARIES += replay/libreplay.a
replay_libreplay_a_SOURCES = \
	replay/tokens.c replay/tokens.h

# The simulated engine and tokserve.
replay_libreplay_a_SOURCES += \
	replay/accepted.c replay/accepted.h \
	replay/ask.c replay/ask.h \
	replay/blockids.c replay/blockids.h \
	replay/pieces.c replay/pieces.h \
	replay/chunk.c replay/chunk.h replay/whole.c \
	replay/engine.c replay/engine.h \
	replay/httpd.c replay/httpd.h \
	replay/httppage.c replay/httppage.h \
	replay/httpreq.c replay/httpreq.h \
	replay/pages.c replay/pages.h \
	replay/prefix.c replay/prefix.h \
	replay/profile.c replay/profile.h \
	replay/recordings.c replay/recordings.h \
	replay/seqs.c replay/seqs.h \
	replay/served.c replay/served.h \
	replay/sim.c replay/sim.h \
	replay/spelling.c replay/spelling.h \
	replay/words.c replay/words.h
bin_PROGRAMS += tokserve
tokserve_SOURCES = replay/tokserve.c
tokserve_CPPFLAGS = $(AM_CPPFLAGS) -DPKGDATADIR='"$(pkgdatadir)"'
tokserve_LDADD = $(REPLAY_LIBS)
dist_pkgdata_DATA = replay/profiles/h200-9b-bf16.profile
dist_man_MANS += replay/tokserve.1

# The replayer and tokreplay.
replay_libreplay_a_SOURCES += \
	replay/answer.c replay/answer.h \
	replay/crew.c replay/crew.h \
	replay/difference.c replay/difference.h \
	replay/arrivals.c replay/arrivals.h \
	replay/checks.c replay/checks.h \
	replay/dispatch.c replay/dispatch.h \
	replay/driver.c replay/driver.h \
	replay/exact.c replay/exact.h \
	replay/fit.c replay/fit.h \
	replay/heap.c replay/heap.h \
	replay/launch.c replay/launch.h \
	replay/live.c replay/live.h \
	replay/mailbox.c replay/worker.c replay/worker.h \
	replay/options.c replay/options.h \
	replay/options_body.c replay/options_body.h \
	replay/options_engine.c replay/options_engine.h \
	replay/options_verify.c replay/options_verify.h \
	replay/options_rounds.c replay/options_rounds.h \
	replay/options_load.c replay/options_load.h replay/options_shape.c \
	replay/outputs.c replay/outputs.h \
	replay/phases.c replay/phases.h \
	replay/placing.c replay/placing.h \
	replay/plan.c replay/plan.h \
	replay/pool.c replay/pool.h \
	replay/probe.c replay/probe.h \
	replay/progress.c replay/progress.h \
	replay/prompt.c replay/prompt.h \
	replay/prompt_text.c replay/prompt_text.h \
	replay/ramp.c replay/ramp.h \
	replay/recorded.c replay/recorded.h \
	replay/request.c replay/request.h \
	replay/runlog.c replay/runlog.h \
	replay/running.c replay/running.h \
	replay/say.c replay/say.h \
	replay/scenario.c replay/scenario.h \
	replay/schedule.c replay/schedule.h \
	replay/shard.c replay/shard.h \
	replay/source.c replay/source.h \
	replay/tally.c replay/tally.h \
	replay/stages.c replay/stages.h \
	replay/start.c replay/start.h \
	replay/talk.c replay/talk.h \
	replay/target.c replay/target.h \
	replay/tokenize.c replay/tokenize.h \
	replay/verify.c replay/verify.h \
	replay/verify_files.c replay/verify_files.h \
	replay/verify_out.c replay/verify_out.h \
	replay/verify_pair.c replay/verify_pair.h
bin_PROGRAMS += tokreplay
tokreplay_SOURCES = replay/tokreplay.c
tokreplay_LDADD = $(REPLAY_LIBS)
dist_man_MANS += replay/tokreplay.1
