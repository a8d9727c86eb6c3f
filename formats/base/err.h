/*
 * Errors: functions that can fail return 0 or -1 and fill a struct err that the
 * caller owns.  Context grows outward: "tokanalyze: run.tok: byte 17: zstd: checksum".
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/* Exit codes of every tool. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct err {
	char msg[512];
};

/* Sets the message; returns -1, so that "return err_set(...)" reads well. */
int err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " in front of the message; returns -1. */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The tool's name, which stands in front of each message; default "toktrace". */
void err_tool(const char *name);
const char *err_tool_name(void);

/* Prints "tool: message" to stderr.  Only tools call these, never the libraries. */
void err_print(const struct err *e);
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "tool: message" and exits with the code. */
void die(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));

#endif
