/* Arrays that grow as they are filled. */
#ifndef BASE_ROOM_H
#define BASE_ROOM_H

#include <stddef.h>

/*
 * Makes room for one more than n elements of the given size: *cap doubles from 16 when it
 * is reached.  array: the address of the pointer to the first element, which may move.
 * 0, or -1: out of memory, nothing has changed.
 */
int room_for_one(void *array, size_t n, size_t *cap, size_t size);

#endif
