formats_libformats_a_SOURCES += \
	formats/trace/block.c formats/trace/block.h \
	formats/trace/copy.c formats/trace/copy.h \
	formats/trace/decode.c formats/trace/decode.h \
	formats/trace/decode_events.c formats/trace/decode_events.h \
	formats/trace/encode.c formats/trace/encode.h \
	formats/trace/exchanges.c formats/trace/exchanges.h \
	formats/trace/health.c formats/trace/health.h \
	formats/trace/mp.c formats/trace/mp.h \
	formats/trace/origin.c \
	formats/trace/pack.c formats/trace/pack.h \
	formats/trace/reader.c formats/trace/reader.h \
	formats/trace/record.c formats/trace/record.h \
	formats/trace/unblock.c formats/trace/unblock.h \
	formats/trace/writer.c formats/trace/writer.h
dist_man_MANS += formats/trace/toktrace.5
