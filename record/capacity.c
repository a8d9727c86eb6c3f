#include <config.h>

#include "record/capacity.h"

#include <sys/resource.h>

#include "formats/base/clock.h"

enum {
	PER_STREAM = 2,
	OWN = 40,     /* trace files (16 may wait), epoll, metrics, stderr, a name to look up */
	FEW = 256,    /* streams: below, a server that people share comes to its end soon */
	UNLIMITED = 1 << 30,
};

int64_t capacity_raise_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) < 0)
		return UNLIMITED;
	if (l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
		getrlimit(RLIMIT_NOFILE, &l);
	}
	return l.rlim_cur > UNLIMITED ? UNLIMITED : (int64_t)l.rlim_cur;
}

int64_t capacity_streams(int64_t limit, int64_t wanted, bool *low, struct err *e)
{
	int64_t can = (limit - OWN) / PER_STREAM;

	*low = false;
	if (wanted != COUNT_NONE && wanted > can)
		return err_set(e, "%lld streams need %lld file descriptors, the limit is %lld: raise it "
			       "(ulimit -n %lld, or LimitNOFILE= of the unit) or give a smaller --max-streams",
			       (long long)wanted, (long long)(PER_STREAM * wanted + OWN), (long long)limit,
			       (long long)(PER_STREAM * wanted + OWN));
	if (can < 1)
		return err_set(e, "the limit of %lld file descriptors is too low to serve a single stream: "
			       "raise it (ulimit -n 4096)", (long long)limit);
	*low = wanted == COUNT_NONE && can < FEW;
	return wanted != COUNT_NONE ? wanted : can;
}

int64_t capacity_last_fd(int64_t limit)
{
	return limit - OWN / 2;
}
