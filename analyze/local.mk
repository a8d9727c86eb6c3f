noinst_LIBRARIES += analyze/libanalyze.a
analyze_libanalyze_a_SOURCES = \
	analyze/analysis.c analyze/analysis.h \
	analyze/group.c analyze/group.h \
	analyze/layers.c analyze/layers.h \
	analyze/out_json.c \
	analyze/out_requests.c \
	analyze/out_table.c analyze/output.h \
	analyze/request.c analyze/request.h \
	analyze/rounds.c analyze/rounds.h \
	analyze/shards.c analyze/shards.h \
	analyze/stats.c analyze/stats.h \
	analyze/texts.c analyze/texts.h \
	analyze/tokens.c analyze/tokens.h \
	analyze/tpot.c analyze/tpot.h \
	analyze/validity.c analyze/validity.h \
	analyze/window.c analyze/window.h
bin_PROGRAMS += tokanalyze
tokanalyze_SOURCES = analyze/tokanalyze.c
tokanalyze_LDADD = $(ANALYZE_LIBS)
dist_man_MANS += analyze/tokanalyze.1
