#include <config.h>

#include "plot/palette.h"

const char palette_ink[] = "#000000";

const char *palette_colour(size_t i)
{
	static const char *const colours[PALETTE_COLOURS] = {
		"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442",
	};
	return colours[i % PALETTE_COLOURS];
}

int palette_point(size_t i, int hollow)
{
	/* circle, square, triangle, diamond, triangle on its tip, pentagon */
	static const int filled[PALETTE_POINTS] = { 7, 5, 9, 13, 11, 15 };
	return filled[i % PALETTE_POINTS] - (hollow ? 1 : 0);
}

int palette_dash(size_t i)
{
	static const int dashes[PALETTE_DASHES] = { 1, 2, 3 };
	return dashes[i % PALETTE_DASHES];
}
