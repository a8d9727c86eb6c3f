/*
 * The fixed text of synthetic prompts and the words of their heads.  Both stand in what
 * a run sends: a change of one letter changes every plan digest.
 */
#ifndef REPLAY_PROMPT_TEXT_H
#define REPLAY_PROMPT_TEXT_H

enum { PROMPT_WORDS = 64 };

/* Sentences; begins with a space and ends with a full stop, so that it can go round. */
extern const char prompt_text[];
/* One token each, with the space before it. */
extern const char *const prompt_words[PROMPT_WORDS];

#endif
