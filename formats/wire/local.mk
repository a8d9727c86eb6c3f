formats_libformats_a_SOURCES += \
	formats/wire/event.c formats/wire/event.h
