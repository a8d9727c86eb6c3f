noinst_LIBRARIES += record/librecord.a
record_librecord_a_SOURCES = \
	record/capture.c record/capture.h \
	record/downstream.c record/downstream.h \
	record/files.c record/files.h \
	record/flight.c record/flight.h \
	record/gunzip.c record/gunzip.h \
	record/headers.c record/headers.h \
	record/keep.c record/keep.h \
	record/listen.c record/listen.h \
	record/lost.c record/lost.h \
	record/loop.c record/loop.h \
	record/outcome.c record/outcome.h \
	record/proxy.c record/proxy.h \
	record/recorder.c record/recorder.h \
	record/relay.c record/relay.h record/relay_own.h \
	record/response.c record/response.h \
	record/rotate.c record/rotate.h \
	record/run.c record/run.h \
	record/secrets.c record/secrets.h \
	record/spool.c record/spool.h \
	record/transfer.c record/transfer.h \
	record/upstream.c record/upstream.h
bin_PROGRAMS += tokrecord
tokrecord_SOURCES = record/tokrecord.c
tokrecord_LDADD = $(RECORD_LIBS)
dist_man_MANS += record/tokrecord.1
