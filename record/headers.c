#include <config.h>

#include "record/headers.h"

#include <strings.h>

#include "formats/base/secret.h"

static bool named_in(const char *list, const char *name)
{
	size_t n = strlen(name);

	while (list && *list) {
		size_t k;

		list += strspn(list, ", \t");
		k = strcspn(list, ", \t");
		if (k == n && strncasecmp(list, name, n) == 0)
			return true;
		list += k;
	}
	return false;
}

bool header_is_hop(const char *name, const char *connection)
{
	static const char *const hop[] = {
		"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
		"proxy-authorization", "proxy-authenticate", "proxy-connection", NULL,
	};

	for (const char *const *h = hop; *h; h++)
		if (strcasecmp(*h, name) == 0)
			return true;
	return named_in(connection, name);
}

struct kv header_recorded(struct arena *a, const char *name, const char *value)
{
	bool secret = secret_name(str_of(name));

	return (struct kv){ arena_str(a, str_of(name)), arena_str(a, str_of(secret ? SECRET_MARK : value)) };
}
