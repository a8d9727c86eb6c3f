noinst_LIBRARIES += plot/libplot.a
plot_libplot_a_SOURCES = \
	plot/axis.c plot/axis.h \
	plot/chart.c plot/chart.h \
	plot/data.c plot/data.h \
	plot/escape.c plot/escape.h \
	plot/figure.c plot/figure.h \
	plot/from_table.c plot/from_trace.c \
	plot/gnuplot.c plot/gnuplot.h \
	plot/input.c plot/input.h \
	plot/latency.c \
	plot/outputs.c plot/outputs.h \
	plot/page.c plot/page.h \
	plot/palette.c plot/palette.h \
	plot/place.c plot/place.h \
	plot/render.c \
	plot/script.c plot/script.h \
	plot/series.c plot/series.h \
	plot/target.c plot/target.h \
	plot/throughput.c \
	plot/ttft.c

bin_PROGRAMS += tokplot
tokplot_SOURCES = plot/tokplot.c
tokplot_LDADD = $(PLOT_LIBS)
dist_man_MANS += plot/tokplot.1
