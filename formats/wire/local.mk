formats_libformats_a_SOURCES +=
