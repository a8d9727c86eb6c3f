noinst_LIBRARIES += plot/libplot.a
plot_libplot_a_SOURCES =
