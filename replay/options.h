/*
 * The command line of tokreplay.  Options come in groups, each a file of its own with its
 * struct, its rows of the table, its checks and what it tells the plan; here they are put
 * together.  A new option is a member, a row and a check in its group's files.
 */
#ifndef REPLAY_OPTIONS_H
#define REPLAY_OPTIONS_H

#include "replay/options_body.h"
#include "replay/options_engine.h"
#include "replay/options_load.h"
#include "replay/options_rounds.h"
#include "replay/options_verify.h"

struct options {
	struct options_load load;
	struct options_rounds rounds;
	struct options_body body;
	struct options_engine engine;
	struct options_verify verify;
	bool plan, no_text, allow_cut, quiet, verbose;
	const char *output;
	const char *source;  /* the operand; with scenarios their text */
};

/* There is an engine to send to, or a plan to print; else finished traces are compared. */
static inline bool options_offline(const struct options *o)
{
	return o->verify.on && !o->engine.base_url && !o->plan;
}

/* Parses and checks; a mistake exits with 2. */
void options_parse(struct options *o, int argc, char **argv);
void options_release(struct options *o);

/* What the plan is made from; borrowed from o.  default_model: "" if unknown. */
void options_plan(const struct options *o, const char *default_model, struct plan_opts *p);

/* Prompts are to have exactly the asked length, and there is an engine to ask. */
bool options_wants_exact(const struct options *o);

#endif
