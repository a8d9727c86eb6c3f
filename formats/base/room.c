#include <config.h>

#include "formats/base/room.h"

#include <stdlib.h>
#include <string.h>

int room_for_one(void *array, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? 2 * *cap : 16;
	void *old, *p;

	if (n < *cap)
		return 0;
	/* Whatever it points to, the pointer itself is copied as bytes. */
	memcpy(&old, array, sizeof(old));
	p = realloc(old, more * size);
	if (!p)
		return -1;
	memcpy(array, &p, sizeof(p));
	*cap = more;
	return 0;
}
