# What the tests of the recording proxy share: an upstream that is a function per
# connection, a raw client, a tokrecord between them, and TAP.
import atexit, os, re, signal, socket, ssl, subprocess, sys, threading, time

TIMEOUT = 20  # of any wait: a loaded machine passes, a hanging one fails


def read_head(c, data=b''):
    """Reads up to the empty line: (head, what came behind it)."""
    while b'\r\n\r\n' not in data:
        d = c.recv(65536)
        if not d:
            raise EOFError(data)
        data += d
    head, rest = data.split(b'\r\n\r\n', 1)
    return head, rest


def header(head, name):
    """The values of a header, in order."""
    lines = head.decode('latin-1').split('\r\n')[1:]
    return [l.split(':', 1)[1].strip() for l in lines if l.split(':', 1)[0].lower() == name.lower()]


def read_chunked(c, data):
    """(body, trailer lines, rest)."""
    body = b''

    def line():
        nonlocal data
        while b'\r\n' not in data:
            d = c.recv(65536)
            if not d:
                raise EOFError('cut in a chunk')
            data += d
        l, data = data.split(b'\r\n', 1)
        return l
    while True:
        n = int(line().split(b';')[0], 16)
        if n == 0:
            break
        while len(data) < n + 2:
            d = c.recv(65536)
            if not d:
                raise EOFError('cut in a chunk')
            data += d
        body, data = body + data[:n], data[n + 2:]
    trailers = []
    while (l := line()):
        trailers.append(l)
    return body, trailers, data


def read_body(c, head, data, answer_to=None):
    """(body, rest) by the head's framing; answer_to: the request's method, for an answer."""
    status = head.split(b' ')[1] if head.startswith(b'HTTP/') else None
    if answer_to == 'HEAD' or status in (b'204', b'304'):
        return b'', data
    if any('chunked' in v.lower() for v in header(head, 'Transfer-Encoding')):
        body, _, data = read_chunked(c, data)
        return body, data
    n = header(head, 'Content-Length')
    if n:
        n, data = int(n[0]), bytearray(data)
        while len(data) < n:
            d = c.recv(65536)
            if not d:
                raise EOFError('cut in the body')
            data += d
        return bytes(data[:n]), bytes(data[n:])
    if status is None:
        return b'', data
    while (d := c.recv(65536)):
        data += d
    return data, b''


class Upstream:
    """Calls fn(socket) in a thread per connection."""

    def __init__(self, fn, unix=None, context=None):
        self.fn, self.context = fn, context
        self.accepted = 0
        self.s = socket.socket(socket.AF_UNIX if unix else socket.AF_INET)
        if not unix:
            self.s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.s.bind(unix or ('127.0.0.1', 0))
        self.s.listen(4096)
        self.port = None if unix else self.s.getsockname()[1]
        self.url = 'http%s://127.0.0.1:%s' % ('s' if context else '', self.port)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            c, _ = self.s.accept()
            self.accepted += 1
            threading.Thread(target=self.serve, args=(c,), daemon=True).start()

    def serve(self, c):
        try:
            c.settimeout(TIMEOUT)
            if self.context:
                c = self.context.wrap_socket(c, server_side=True)
            else:
                if c.family == socket.AF_INET:
                    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.fn(c)
        except (OSError, EOFError):
            pass
        finally:
            c.close()


running = []


def give_up():
    """A test that hangs leaves nothing behind."""
    for p in running:
        if p.poll() is None:
            p.kill()
    print('not ok - this takes too long', flush=True)
    os._exit(1)


watchdog = threading.Timer(240, give_up)
watchdog.daemon = True
watchdog.start()
atexit.register(lambda: [p.kill() for p in running if p.poll() is None])


class Recorder:
    """A tokrecord; .port is where it listens."""

    def __init__(self, *upstreams, out='run.tok', options=(), before=None):
        self.log = open(out + '.err', 'w+')
        args = ['tokrecord', '--listen', '127.0.0.1:0', '-o', out, '--force']
        for u in upstreams:
            args += ['--upstream', u]
        self.p = subprocess.Popen(args + list(options), stdout=subprocess.DEVNULL, stderr=self.log, preexec_fn=before)
        running.append(self.p)
        self.port = None
        until = time.time() + TIMEOUT
        while time.time() < until and self.port is None and self.p.poll() is None:
            m = re.search(r'listening on \S*:(\d+)$', self.said(), re.M)
            if m:
                self.port = int(m.group(1))
            else:
                time.sleep(0.02)

    def said(self):
        return open(self.log.name).read()

    def connect(self, timeout=TIMEOUT, rcvbuf=0):
        c = socket.socket()
        if rcvbuf:
            c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
        c.settimeout(timeout)
        c.connect(('127.0.0.1', self.port))
        return c

    def ask(self, request, method='GET'):
        """One raw request on a connection of its own: (head, body, whether the connection is closed behind it)."""
        c = self.connect()
        try:
            c.sendall(request)
            head, rest = read_head(c)
            body, rest = read_body(c, head, rest, method)
            c.settimeout(0.2)
            try:
                closed = c.recv(1) == b''
            except socket.timeout:
                closed = False
            except OSError:
                closed = True
            return head, body, closed
        finally:
            c.close()

    def rss(self):
        """Resident bytes."""
        m = re.search(r'VmRSS:\s+(\d+) kB', open('/proc/%d/status' % self.p.pid).read())
        return int(m.group(1)) << 10

    def fds(self):
        return len(os.listdir('/proc/%d/fd' % self.p.pid))

    def end(self, sig=signal.SIGINT):
        """The exit code."""
        if self.p.poll() is None:
            self.p.send_signal(sig)
        try:
            return self.p.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.p.kill()
            return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.p.poll() is None:
            self.p.kill()
            self.p.wait()


number = 0


def ok(what, right, *said):
    """One case of TAP; said is shown where it failed."""
    global number
    number += 1
    print('%s %d - %s' % ('ok' if right else 'not ok', number, what), flush=True)
    if not right:
        for s in said:
            print('# ' + repr(s)[:2000], flush=True)


def case(fn):
    """Decorator: runs it now; an exception is a failed case of the function's name."""
    try:
        fn()
    except Exception as e:
        ok(fn.__name__.replace('_', ' '), False, '%s: %s' % (type(e).__name__, e),
           'line %d' % e.__traceback__.tb_next.tb_lineno if e.__traceback__.tb_next else '')


def done():
    print('1..%d' % number)


def wait_for(fn, seconds=TIMEOUT):
    until = time.time() + seconds
    while time.time() < until:
        if fn():
            return True
        time.sleep(0.01)
    return bool(fn())
