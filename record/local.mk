noinst_LIBRARIES += record/librecord.a
record_librecord_a_SOURCES =
