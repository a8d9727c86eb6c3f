/* Where a trace comes from: tool, arguments, host.  Secrets never get in. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "formats/base/arena.h"
#include "formats/base/secret.h"
#include "formats/trace/writer.h"

enum { HOST_MAX = 24, GPU_MAX = 16, LINE = 256 };

struct trace_origin {
	struct arena store;
	struct str tool;
	struct kv *argv;
	size_t n_argv;
	struct kv host[HOST_MAX];
	size_t n_host;
	int64_t wall_ns, mono_ns;
};

static void host(struct trace_origin *o, const char *key, const char *value)
{
	if (o->n_host == HOST_MAX || !*value)
		return;
	o->host[o->n_host++] = (struct kv){
		arena_str(&o->store, str_of(key)), arena_str(&o->store, str_of(value)),
	};
}

/* Value after "key ... : value" in a /proc file; "" if it has none. */
static void proc_value(const char *path, const char *key, char value[LINE])
{
	FILE *f = fopen(path, "r");
	char line[LINE];

	value[0] = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		const char *colon = strchr(line, ':');

		if (strncmp(line, key, strlen(key)) != 0 || !colon)
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		snprintf(value, LINE, "%.*s", (int)strcspn(colon, "\n"), colon);
		break;
	}
	if (f)
		fclose(f);
}

static void numa_nodes(struct trace_origin *o)
{
	char value[LINE] = "";
	FILE *f = fopen("/sys/devices/system/node/online", "r");

	if (!f)
		return;
	if (fgets(value, sizeof(value), f))
		value[strcspn(value, "\n")] = '\0';
	fclose(f);
	host(o, "numa_nodes", value);
}

/* The driver's own files: no program is started, nothing is there where no GPU is. */
static void gpus(struct trace_origin *o)
{
	char path[LINE], value[LINE], key[16];
	FILE *list = popen("ls /proc/driver/nvidia/gpus 2>/dev/null", "r");
	int n = 0;

	while (list && n < GPU_MAX && fgets(value, sizeof(value), list)) {
		value[strcspn(value, "\n")] = '\0';
		snprintf(path, sizeof(path), "/proc/driver/nvidia/gpus/%.64s/information", value);
		proc_value(path, "Model", value);
		snprintf(key, sizeof(key), "gpu%d", n++);
		host(o, key, value);
	}
	if (list)
		pclose(list);
}

static void describe_host(struct trace_origin *o)
{
	struct utsname u;
	char value[LINE];

	if (uname(&u) == 0) {
		snprintf(value, sizeof(value), "%s %s %s", u.sysname, u.release, u.machine);
		host(o, "os", value);
	}
	proc_value("/proc/cpuinfo", "model name", value);
	host(o, "cpu", value);
	snprintf(value, sizeof(value), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	host(o, "cpus", value);
	snprintf(value, sizeof(value), "%lld",
		 (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
	host(o, "memory_bytes", value);
	numa_nodes(o);
	gpus(o);
}

struct trace_origin *trace_origin_create(int argc, char **argv)
{
	struct trace_origin *o = calloc(1, sizeof(*o));
	const char *slash;

	if (!o)
		return NULL;
	o->wall_ns = clock_wall_ns();
	o->mono_ns = clock_mono_ns();
	slash = argc ? strrchr(argv[0], '/') : NULL;
	o->tool = arena_str(&o->store, str_of(slash ? slash + 1 : argc ? argv[0] : "toktrace"));
	o->argv = arena_alloc(&o->store, (size_t)(argc ? argc : 1) * sizeof(*o->argv));
	for (int i = 0; o->argv && i < argc; i++) {
		struct buf b;

		buf_init(&b, 1 << 20);
		secret_scrub_arg(i ? argv[i - 1] : "", i ? argv[i] : o->tool.p, &b);
		o->argv[o->n_argv++].value = arena_str(&o->store, buf_str(&b));
		buf_release(&b);
	}
	describe_host(o);
	return o;
}

void trace_origin_fill(const struct trace_origin *o, struct rec_header *h)
{
	h->epoch_wall_ns = o->wall_ns;
	h->epoch_mono_ns = o->mono_ns;
	h->tool = o->tool;
	h->tool_version = str_of(PACKAGE_VERSION);
	h->argv = (struct kvs){ o->argv, o->n_argv };
	h->host = (struct kvs){ o->host, o->n_host };
}

void trace_origin_free(struct trace_origin *o)
{
	if (!o)
		return;
	arena_release(&o->store);
	free(o);
}
