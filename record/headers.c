#include <config.h>

#include "record/headers.h"

#include <strings.h>

#include "formats/base/secret.h"

bool header_lists(const char *list, const char *name)
{
	size_t n = strlen(name);

	while (list && *list) {
		size_t k;

		list += strspn(list, ", \t");
		k = strcspn(list, ", \t");
		if (k == n && n && strncasecmp(list, name, n) == 0)
			return true;
		list += k;
	}
	return false;
}

void header_connection(struct buf *all, const char *name, const char *value)
{
	if (strcasecmp(name, "Connection") != 0)
		return;
	buf_adds(all, value);
	buf_adds(all, ",");
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
	return header_lists(connection, name);
}

struct kv header_recorded(struct arena *a, const char *name, const char *value)
{
	bool secret = secret_name(str_of(name));

	return (struct kv){ arena_str(a, str_of(name)), arena_str(a, str_of(secret ? SECRET_MARK : value)) };
}

struct str header_session(struct kvs headers)
{
	static const char *const names[] = {
		"x-session-id", "x-conversation-id", "x-chat-id", "x-openwebui-chat-id",
		"x-claude-code-session-id", "session-id", "session_id", NULL,
	};

	for (const char *const *n = names; *n; n++)
		for (size_t i = 0; i < headers.n; i++)
			if (headers.v[i].key.n == strlen(*n) && headers.v[i].value.n &&
			    strncasecmp(headers.v[i].key.p, *n, headers.v[i].key.n) == 0)
				return headers.v[i].value;
	return (struct str){ NULL, 0 };
}
