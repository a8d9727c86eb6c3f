formats_libformats_a_SOURCES += \
	formats/convert/azure.c \
	formats/convert/import.c formats/convert/import.h \
	formats/convert/lines.h \
	formats/convert/mooncake.c \
	formats/convert/timestamp.c formats/convert/timestamp.h
