/* plot: text made safe (case D22), axes, points that a log axis cannot show (D23). */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "plot/axis.h"
#include "plot/escape.h"
#include "plot/figure.h"
#include "plot/page.h"

static void quoted(const char *text, size_t n, size_t cols, const char *want)
{
	struct buf b;

	buf_init(&b, 4096);
	assert_int_equal(escape_quoted(&b, (struct str){ text, n }, cols), 0);
	assert_string_equal(buf_cstr(&b), want);
	buf_release(&b);
}

static void labels_are_quoted(void **state)
{
	(void)state;
	quoted("plain", 5, 80, "'plain'");
	quoted("it's `x`", 8, 80, "'it''s `x`'");
	quoted("a\"b\\c", 5, 80, "'a\"b\\c'");
	quoted("''", 2, 80, "''''''");
	quoted("", 0, 80, "''");
	quoted(NULL, 0, 80, "''");
	quoted("a\nb\tc\x1b[0m\x7f", 10, 80, "'a b c [0m '");
	quoted("a\0b", 3, 80, "'a b'");
	quoted("x]]>y", 5, 80, "'x]] >y'");
}

static void labels_are_valid_utf8(void **state)
{
	(void)state;
	quoted("\xE6\xA8\xA1\xE5\x9E\x8B", 6, 80, "'\xE6\xA8\xA1\xE5\x9E\x8B'");
	quoted("a\xFFz", 3, 80, "'a\xEF\xBF\xBDz'");
	quoted("a\xE6\xA8", 3, 80, "'a\xEF\xBF\xBD\xEF\xBF\xBD'");
	quoted("\xC0\x80", 2, 80, "'\xEF\xBF\xBD\xEF\xBF\xBD'"); /* overlong NUL */
	quoted("\xC2\x9B" "2J", 4, 80, "' 2J'");                 /* C1 control */
	quoted("\xE2\x80\xAE" "abc", 6, 80, "' abc'");           /* right-to-left override */
	quoted("\xEF\xBF\xBE", 3, 80, "'\xEF\xBF\xBD'");         /* U+FFFE */
}

static void long_labels_are_cut(void **state)
{
	(void)state;
	quoted("123456", 6, 6, "'123456'");
	quoted("1234567", 7, 6, "'12345\xE2\x80\xA6'");
	/* wide characters take two columns; half of one is not shown */
	quoted("\xE6\xA8\xA1\xE6\xA8\xA1", 6, 4, "'\xE6\xA8\xA1\xE6\xA8\xA1'");
	quoted("\xE6\xA8\xA1\xE6\xA8\xA1\xE6\xA8\xA1", 9, 5,
		"'\xE6\xA8\xA1\xE6\xA8\xA1\xE2\x80\xA6'");
	quoted("\xE6\xA8\xA1\xE6\xA8\xA1\xE6\xA8\xA1", 9, 4, "'\xE6\xA8\xA1\xE2\x80\xA6'");
}

static struct extent extent_of(const double *v, size_t n)
{
	struct extent x;

	extent_init(&x);
	for (size_t i = 0; i < n; i++)
		extent_add(&x, v[i]);
	return x;
}

static void ranges_hold_all_values(void **state)
{
	const double v[] = { 3, NAN, 50, 10 }, zero[] = { 0, 0 }, one[] = { 7 };
	struct extent x = extent_of(v, 4);
	struct axis a;

	(void)state;
	assert_int_equal(x.n, 3);
	axis_from_zero(&a, &x);
	assert_true(a.lo == 0 && a.hi > 50);
	x = extent_of(zero, 2);
	axis_spread(&a, &x);
	assert_true(!a.log && a.lo == 0 && a.hi == 1);
	x = extent_of(one, 1);
	axis_log(&a, &x);
	assert_true(a.lo == 3.5 && a.hi == 14 && a.n_tics > 1);
	x = extent_of(NULL, 0);
	axis_from_zero(&a, &x);
	assert_true(a.lo < a.hi);
}

static void latency_is_logarithmic_when_spread(void **state)
{
	const double narrow[] = { 1, 20 }, wide[] = { 0, 1, 20.5 };
	struct extent x = extent_of(narrow, 2);
	struct axis a;

	(void)state;
	axis_spread(&a, &x);
	assert_false(a.log);
	x = extent_of(wide, 3);
	axis_spread(&a, &x);
	assert_true(a.log && a.lo > 0 && a.lo <= 1 && a.hi >= 20.5);
	for (size_t i = 1; i < a.n_tics; i++)
		assert_true(a.tics[i] > a.tics[i - 1] && a.tics[i] <= a.hi);
}

static void levels_have_their_tics(void **state)
{
	const double wide[] = { 1, 8, 32 }, close[] = { 4, 8, 16 }, one[] = { 5 };
	const double crowd[] = { 1, 2, 100, 101 };
	struct axis a;

	(void)state;
	axis_levels(&a, wide, 3, 0.05);
	assert_true(a.log && a.base == 2 && a.lo < 1 && a.lo > 0 && a.hi > 32);
	assert_int_equal(a.n_tics, 3);
	assert_true(a.tics[0] == 1 && a.tics[1] == 8 && a.tics[2] == 32);
	axis_levels(&a, close, 3, 0.05);
	assert_false(a.log);
	axis_levels(&a, one, 1, 0.05);
	assert_true(a.lo < 5 && a.hi > 5 && a.n_tics == 1);
	axis_levels(&a, crowd, 4, 0.05);
	assert_int_equal(a.n_tics, 3);
}

static void log_axes_drop_what_they_cannot_show(void **state)
{
	const double y[] = { 0, 10, -1, 300 };
	struct style style = { .colour = "#000000" };
	struct figure f;
	struct panel *p;
	struct curve *c;
	size_t of;

	(void)state;
	figure_init(&f, "test");
	p = figure_panel(&f);
	c = figure_curve(&f, p, "c", &style);
	for (int i = 0; i < 4; i++)
		figure_point(&f, c, i + 1, y[i], false);
	p->y.log = true;
	assert_int_equal(panel_drop_unshown(p, &of), 2);
	assert_int_equal(of, 4);
	assert_int_equal(c->n, 2);
	assert_true(c->p[0].y == 10 && !c->p[0].after_gap);
	assert_true(c->p[1].y == 300 && c->p[1].after_gap);
	figure_release(&f);
}

static void inside(struct box b)
{
	assert_true(b.left >= 0 && b.right <= 1 && b.left < b.right);
	assert_true(b.bottom >= 0 && b.top <= 1 && b.bottom < b.top);
}

static bool apart(struct box a, struct box b)
{
	return a.right < b.left || b.right < a.left || a.top < b.bottom || b.top < a.bottom;
}

/* Panels, legend, title and notes of any figure have places of their own on the page. */
static void nothing_overlaps(void **state)
{
	struct layout l;
	struct err e;

	(void)state;
	for (const struct format *f = formats; f->name; f++)
		for (size_t n = 1; n <= PAGE_PANELS; n++) {
			struct page page = { .format = f };
			struct content c = { .panels = n, .head_lines = 4, .note_lines = 3, .legend_cols = 56,
				.legend_entries = f->font ? 18 : 0, .tic_cols = 6 };

			assert_int_equal(page_layout(&page, &c, &l, &e), 0);
			for (size_t i = 0; i < n; i++) {
				inside(l.panel[i]);
				assert_true(l.panel[i].bottom > l.notes_top);
				assert_true(l.panel[i].top < l.head_top - (double)c.head_lines * l.line);
				assert_true(!f->font || apart(l.panel[i], l.legend));
				for (size_t k = 0; k < i; k++)
					assert_true(apart(l.panel[i], l.panel[k]));
			}
			assert_true(!f->font || l.legend_fit >= c.legend_entries);
		}
}

static void a_page_can_be_too_small(void **state)
{
	struct page page = { .format = format_named("png"), .w = 330, .h = 250 };
	struct content c = { .panels = 3, .head_lines = 4, .note_lines = 1, .tic_cols = 4 };
	struct layout l;
	struct err e;

	(void)state;
	assert_int_equal(page_layout(&page, &c, &l, &e), -1);
	assert_string_equal(e.msg, "330x250 is too small for this chart; give a larger --size");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_quoted),
		cmocka_unit_test(labels_are_valid_utf8),
		cmocka_unit_test(long_labels_are_cut),
		cmocka_unit_test(ranges_hold_all_values),
		cmocka_unit_test(latency_is_logarithmic_when_spread),
		cmocka_unit_test(levels_have_their_tics),
		cmocka_unit_test(nothing_overlaps),
		cmocka_unit_test(a_page_can_be_too_small),
		cmocka_unit_test(log_axes_drop_what_they_cannot_show),
	};
	return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
