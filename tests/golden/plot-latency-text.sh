"$top_builddir/tests/unit/plot_sample" two-runs latency dumb
