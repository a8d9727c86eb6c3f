"$top_builddir/tests/unit/plot_sample" gaps latency png
