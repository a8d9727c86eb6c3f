#include <config.h>

#include "replay/httppage.h"

#include <string.h>

#include "replay/httpreq.h"
#include "replay/pages.h"

static void tokenize(const struct httpd_backend *b, struct evhttp_request *req)
{
	struct buf body, out;
	struct err e;

	buf_init(&out, HTTPREQ_BODY_MAX);
	if (httpreq_body(req, &body) < 0)
		httpreq_error(req, 500, "InternalServerError", "out of memory");
	else if (pages_tokenize(&out, buf_str(&body), b->max_model_len, &e) < 0)
		httpreq_error(req, 400, "BadRequestError", e.msg);
	else
		httpreq_reply(req, 200, "application/json", buf_str(&out));
	buf_release(&out);
	buf_release(&body);
}

static void models(const struct httpd_backend *b, struct buf *out)
{
	pages_models(out, b->model, b->max_model_len);
}

static void version(const struct httpd_backend *b, struct buf *out)
{
	(void)b;
	pages_version(out);
}

static void metrics(const struct httpd_backend *b, struct buf *out)
{
	b->metrics(b->arg, out);
}

static void health(const struct httpd_backend *b, struct buf *out)
{
	(void)b, (void)out;
}

static const char json[] = "application/json";
static const char prometheus[] = "text/plain; version=0.0.4; charset=utf-8";

static const struct page {
	const char *path, *type;
	void (*fill)(const struct httpd_backend *b, struct buf *out);
} pages[] = {
	{ "/v1/models", json, models },
	{ "/version", json, version },
	{ "/metrics", prometheus, metrics },
	{ "/health", json, health },
};

static const struct page *find(const char *path)
{
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (strcmp(path, pages[i].path) == 0)
			return &pages[i];
	return NULL;
}

void httppage(const struct httpd_backend *b, struct evhttp_request *req, const char *path,
	      bool post)
{
	const struct page *page = find(path);
	bool tokens = strcmp(path, "/tokenize") == 0;
	struct buf out;

	if (!page && !tokens) {
		httpreq_error(req, 404, "NotFoundError", "Not Found");
		return;
	}
	if (post != tokens) {
		httpreq_error(req, 405, "MethodNotAllowed", "Method Not Allowed");
		return;
	}
	if (tokens) {
		tokenize(b, req);
		return;
	}
	buf_init(&out, 1 << 20);
	page->fill(b, &out);
	httpreq_reply(req, 200, page->type, buf_str(&out));
	buf_release(&out);
}
