formats_libformats_a_SOURCES += \
	formats/table/inside.h \
	formats/table/machines.c \
	formats/table/people.c \
	formats/table/table.c formats/table/table.h
