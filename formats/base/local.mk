formats_libformats_a_SOURCES += \
	formats/base/arena.c formats/base/arena.h \
	formats/base/buf.c formats/base/buf.h \
	formats/base/clock.c formats/base/clock.h \
	formats/base/digest.c formats/base/digest.h \
	formats/base/err.c formats/base/err.h \
	formats/base/idmap.c formats/base/idmap.h \
	formats/base/opt.c formats/base/opt.h \
	formats/base/portable.c formats/base/portable.h \
	formats/base/quantile.c formats/base/quantile.h \
	formats/base/room.c formats/base/room.h \
	formats/base/rng.c formats/base/rng.h formats/base/rng_draw.c \
	formats/base/secret.c formats/base/secret.h \
	formats/base/str.h \
	formats/base/unit.c formats/base/unit.h \
	formats/base/utf8.c formats/base/utf8.h
