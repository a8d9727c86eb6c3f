/*
 * How curves are told apart: colour, point and dash, each of them enough alone, so that
 * a chart survives colour blindness, a black-and-white print and a text terminal.
 * Colours: Okabe and Ito, "Color universal design", 2008, in the order of contrast on
 * white; their yellow comes last.
 */
#ifndef PLOT_PALETTE_H
#define PLOT_PALETTE_H

#include <stddef.h>

enum { PALETTE_COLOURS = 7, PALETTE_POINTS = 6, PALETTE_DASHES = 3 };

/* Black, kept for totals and for legend entries that speak of no single curve. */
extern const char palette_ink[];

/* "#0072B2"; i wraps around. */
const char *palette_colour(size_t i);
/* gnuplot's point type of shape i, filled or hollow (pngcairo, svg, pdfcairo agree). */
int palette_point(size_t i, int hollow);
/* gnuplot's dash type: 0 solid, 1 dashed, 2 dotted. */
int palette_dash(size_t i);

#endif
