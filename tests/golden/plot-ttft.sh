"$top_builddir/tests/unit/plot_sample" levels ttft svg
