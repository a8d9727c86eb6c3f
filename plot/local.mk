noinst_LIBRARIES += plot/libplot.a
plot_libplot_a_SOURCES = \
	plot/axis.c plot/axis.h \
	plot/chart.c plot/chart.h \
	plot/data.c plot/data.h \
	plot/escape.c plot/escape.h \
	plot/figure.c plot/figure.h \
	plot/gnuplot.c plot/gnuplot.h \
	plot/latency.c \
	plot/page.c plot/page.h \
	plot/palette.c plot/palette.h \
	plot/place.c plot/place.h \
	plot/render.c \
	plot/script.c plot/script.h \
	plot/series.c plot/series.h \
	plot/throughput.c \
	plot/ttft.c
