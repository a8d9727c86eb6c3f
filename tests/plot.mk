# tests of: plot
check_PROGRAMS += tests/unit/plot_sample
tests_unit_plot_sample_SOURCES = tests/unit/plot_sample.c
tests_unit_plot_sample_LDADD = $(PLOT_LIBS)
check_PROGRAMS += tests/unit/plot_trace
tests_unit_plot_trace_SOURCES = tests/unit/plot_trace.c
tests_unit_plot_trace_LDADD = $(FORMATS_LIBS)
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/plot
tests_unit_plot_SOURCES = tests/unit/plot.c
tests_unit_plot_LDADD = $(PLOT_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/plot
endif
cli_tests += tests/cli/plot-pictures.sh tests/cli/tokplot.sh
