# formats/: every shape the data takes.  Inside: base <- wire, trace, table <- convert.
noinst_LIBRARIES += formats/libformats.a
formats_libformats_a_SOURCES =
include formats/base/local.mk
include formats/wire/local.mk
include formats/trace/local.mk
include formats/table/local.mk
include formats/convert/local.mk
