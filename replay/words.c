#include <config.h>

#include "replay/words.h"

#include <stdlib.h>
#include <string.h>

/* Each begins with the space that all but the first one need. */
static const char *const list[] = {
	" the", " river", " carries", " small", " stones", " down", " from", " high", " hills",
	" and", " every", " spring", " it", " finds", " another", " way", " around", " old",
	" bridge", " where", " children", " count", " boats", " while", " evening", " light",
	" turns", " slowly", " gold", " over", " quiet", " water", " until", " someone",
	" calls", " them", " home", " with", " a", " bell", " that", " rings", " twice",
	" before", " night", " comes", " to", " town", " whose", " windows", " keep", " their",
	" lamps", " burning", " for", " travellers", " who", " know", " no", " other", " road",
	" but", " this", " one",
};

void words_init(struct words *w, uint64_t seed, const char *digest, uint64_t choice)
{
	char head[17] = "";

	memcpy(head, digest, strnlen(digest, sizeof(head) - 1));
	rng_init(&w->rng, seed ^ strtoull(head, NULL, 16), "tokserve.words", choice);
	w->begun = false;
}

struct str words_next(struct words *w)
{
	const char *s = list[rng_below(&w->rng, sizeof(list) / sizeof(list[0]))];

	if (!w->begun)
		s++;
	w->begun = true;
	return str_of(s);
}
