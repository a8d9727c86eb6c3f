noinst_LIBRARIES += analyze/libanalyze.a
analyze_libanalyze_a_SOURCES = \
	analyze/analysis.c analyze/analysis.h \
	analyze/group.c analyze/group.h \
	analyze/layers.c analyze/layers.h \
	analyze/request.c analyze/request.h \
	analyze/stats.c analyze/stats.h \
	analyze/tokens.c analyze/tokens.h \
	analyze/tpot.c analyze/tpot.h \
	analyze/validity.c analyze/validity.h \
	analyze/window.c analyze/window.h
