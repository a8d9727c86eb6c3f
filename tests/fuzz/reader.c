/* Any bytes as a trace file, and as the records in a good one: no crash, no hang. */
#include <config.h>

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/trace/block.h"
#include "formats/trace/exchanges.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void load(int fd)
{
	struct trace_data d;
	struct err e;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (trace_data_load(path, true, &d, &e) >= 0)
		trace_data_release(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int as_file = memfd_create("file", MFD_CLOEXEC), as_records = memfd_create("records", MFD_CLOEXEC);
	struct block_writer *b = block_writer_create(as_records);
	struct err e;

	if (as_file >= 0 && write(as_file, data, size) == (ssize_t)size)
		load(as_file);
	if (as_records >= 0 && b && block_put(b, data, size, &e) == 0 && block_finish(b, &e) == 0)
		load(as_records);
	block_writer_free(b);
	close(as_file);
	close(as_records);
	return 0;
}
