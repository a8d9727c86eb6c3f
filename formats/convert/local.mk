formats_libformats_a_SOURCES += \
	formats/convert/azure.c \
	formats/convert/cat.c formats/convert/cat.h \
	formats/convert/check.c formats/convert/check.h \
	formats/convert/dump.c formats/convert/dump.h \
	formats/convert/import.c formats/convert/import.h \
	formats/convert/import_write.c formats/convert/import_write.h \
	formats/convert/json.c formats/convert/json.h \
	formats/convert/lines.h \
	formats/convert/mooncake.c \
	formats/convert/number.c formats/convert/number.h \
	formats/convert/rows.c formats/convert/rows.h \
	formats/convert/stat.c formats/convert/stat.h formats/convert/stat_print.c \
	formats/convert/stat_sessions.c \
	formats/convert/timestamp.c formats/convert/timestamp.h
bin_PROGRAMS += tokconvert
tokconvert_SOURCES = formats/convert/tokconvert.c
tokconvert_LDADD = $(FORMATS_LIBS)
dist_man_MANS += formats/convert/tokconvert.1
