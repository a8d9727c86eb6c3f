# Every test speaks TAP, so that "make check" counts single cases.
TEST_EXTENSIONS = .sh
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = \
	LC_ALL=C; export LC_ALL; \
	TZ=UTC0; export TZ; \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	MANDOC='$(MANDOC)'; export MANDOC; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	PATH='$(abs_top_builddir)$(PATH_SEPARATOR)'$$PATH; export PATH;

# Shell tests and their library; each area appends to cli_tests.
cli_tests =
EXTRA_DIST += tests/cli/lib.sh

# Benches append to bench_PROGS; they are built and run on demand only.
bench_PROGS =

# One file per area: unit tests, fuzz targets, shell tests.
include tests/base.mk
include tests/wire.mk
include tests/trace.mk
include tests/table.mk
include tests/convert.mk
include tests/record.mk
include tests/keep.mk
include tests/replay.mk
include tests/serve.mk
include tests/analyze.mk
include tests/plot.mk
include tests/cases.mk
include tests/e2e.mk
include tests/house.mk

TESTS += $(cli_tests)
EXTRA_DIST += $(cli_tests) tests/golden tests/data tests/fuzz/corpus tests/fuzz/onefile.c

golden-update: all
	$(AM_TESTS_ENVIRONMENT) UPDATE=1 $(SHELL) $(srcdir)/tests/cli/golden.sh

EXTRA_PROGRAMS += $(bench_PROGS)
CLEANFILES += $(bench_PROGS)
bench: all $(bench_PROGS)
	@for b in $(bench_PROGS); do $(AM_TESTS_ENVIRONMENT) ./$$b || exit 1; done

.PHONY: bench golden-update
