# TAP for shell tests.  Each script gets its own scratch directory.
set -u
n=0
scratch=$(mktemp -d) || exit 99
pids=
# The number of one that has ended may be another's by now.
mine() { test ! -d "/proc/$$" || grep -q "^PPid:[[:space:]]*$$\$" "/proc/$1/status" 2>/dev/null; }
cleanup() {
	for p in $pids; do mine "$p" && kill -9 "$p" 2>/dev/null; done
	cd / && rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 99' HUP INT TERM
cd "$scratch" || exit 99

# check NAME COMMAND...: one case, passing where COMMAND exits 0.
check() {
	name=$1; shift; n=$((n + 1))
	if "$@" >check.log 2>&1; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' check.log
	fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
done_testing() { echo "1..$n"; }

# fails CODE COMMAND...: passes where COMMAND exits with exactly CODE.
fails() {
	want=$1; shift
	"$@"; got=$?
	test "$got" -eq "$want" || { echo "exit $got, want $want: $*"; return 1; }
}

# wait_port FILE: prints the port of the line "listening on 127.0.0.1:PORT" once it is
# in FILE (the server's stderr); fails after ten seconds.
wait_port() {
	i=0
	while test $i -lt 200; do
		port=$(sed -n 's/.*listening on [^ ]*:\([0-9][0-9]*\)$/\1/p' "$1" 2>/dev/null | head -n 1)
		test -n "$port" && { echo "$port"; return 0; }
		i=$((i + 1)); sleep 0.05
	done
	return 1
}
