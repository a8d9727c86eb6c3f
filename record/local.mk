noinst_LIBRARIES += record/librecord.a
record_librecord_a_SOURCES = \
	record/capture.c record/capture.h \
	record/gunzip.c record/gunzip.h \
	record/headers.c record/headers.h \
	record/listen.c record/listen.h \
	record/outcome.c record/outcome.h \
	record/proxy.c record/proxy.h \
	record/recorder.c record/recorder.h \
	record/relay.c record/relay.h \
	record/response.c record/response.h \
	record/secrets.c record/secrets.h
bin_PROGRAMS += tokrecord
tokrecord_SOURCES = record/tokrecord.c
tokrecord_LDADD = $(RECORD_LIBS)
dist_man_MANS += record/tokrecord.1
