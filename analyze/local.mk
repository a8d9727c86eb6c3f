noinst_LIBRARIES += analyze/libanalyze.a
analyze_libanalyze_a_SOURCES =
