"$top_builddir/tests/unit/plot_sample" levels throughput svg
