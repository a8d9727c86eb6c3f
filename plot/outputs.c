#include <config.h>

#include "plot/outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_directory(const char *path)
{
	size_t n = strlen(path);
	struct stat st;

	if (n > 0 && path[n - 1] == '/')
		return true;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Terminals take text; pictures of other formats would be noise there. */
static int choose_for_stdout(struct outputs *out, bool asked, struct err *e)
{
	bool terminal = isatty(STDOUT_FILENO);

	if (!out->format && (terminal || asked))
		out->format = format_named("dumb");
	if (!out->format)
		return err_set(e, "say where the picture goes: -o FILE.png, .svg or .txt; "
			"or --format dumb for text on stdout");
	if (terminal && out->format->font)
		return err_set(e, "%s is not written to a terminal; give -o FILE%s", out->format->name,
			out->format->suffix);
	if (out->many && out->format->font)
		return err_set(e, "stdout holds one %s only; give -o DIR/ for several charts", out->format->name);
	return 0;
}

int outputs_choose(struct outputs *out, const char *to, const char *format, bool scripts, bool many,
	struct err *e)
{
	*out = (struct outputs){ .to = to, .many = many };
	if (format && !(out->format = format_named(format)))
		return err_set(e, "'%s' is no format; png, svg or dumb", format);
	if (!to && scripts) {
		out->none = true;
		if (!out->format)
			out->format = format_named("png");
		return 0;
	}
	if (!to || strcmp(to, "-") == 0)
		return choose_for_stdout(out, to != NULL, e);
	out->directory = is_directory(to);
	if (!out->format)
		out->format = out->directory ? format_named("png") : format_of_path(to);
	if (!out->format)
		return err_set(e, "%s: the suffix tells no format; name it .png, .svg or .txt, or give --format", to);
	return 0;
}

char *outputs_path(const struct outputs *out, const char *kind)
{
	const char *suffix = out->format->suffix, *to = out->to;
	size_t stem, n;
	char *path;

	if (!to || strcmp(to, "-") == 0)
		return strdup("-");
	if (!out->directory && !out->many)
		return strdup(to);
	n = strlen(to) + strlen(kind) + strlen(suffix) + 3;
	path = malloc(n);
	stem = strlen(to);
	if (!path)
		return NULL;
	if (out->directory) {
		snprintf(path, n, "%s%s%s%s", to, to[stem - 1] == '/' ? "" : "/", kind, suffix);
	} else {
		if (format_of_path(to) == out->format)
			stem -= strlen(suffix);
		snprintf(path, n, "%.*s-%s%s", (int)stem, to, kind, suffix);
	}
	return path;
}
