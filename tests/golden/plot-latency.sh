"$top_builddir/tests/unit/plot_sample" levels latency svg
