noinst_LIBRARIES += record/librecord.a
record_librecord_a_SOURCES = \
	record/capture.c record/capture.h \
	record/gunzip.c record/gunzip.h \
	record/outcome.c record/outcome.h \
	record/response.c record/response.h \
	record/secrets.c record/secrets.h
