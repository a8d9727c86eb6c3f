# Backpressure and leaving clients: who is held back, how much waits, how soon an end is passed on.
import os, sys
sys.path.insert(0, os.path.join(os.environ['top_srcdir'], 'tests', 'server'))
from raw import *

# A sanitizer keeps freed memory for a while, which would look like a growing proxy.
os.environ['ASAN_OPTIONS'] = 'quarantine_size_mb=1:' + os.environ.get('ASAN_OPTIONS', '')
HOST = b' HTTP/1.1\r\nHost: x\r\n'
MiB = 1 << 20
sent = [0]
BOUND = 8 * 4 * MiB + 32 * MiB    # a stream's; the queue of records and their compression, whatever the streams
gone = []       # (mode, when the upstream saw the end)
silent = threading.Event()


def wait_gone(c, mode):
    try:
        while c.recv(65536):
            pass
    except OSError:
        pass
    gone.append((mode, time.time()))


def upstream(c):
    head, data = read_head(c)
    mode = head.split(b' ')[1].split(b'/')[1].decode()
    if mode in ('endless', 'small'):    # as fast as it goes, in large events or in small ones
        block = b'data: {"choices":[{"index":0,"delta":{"content":"' + b'x' * (60000 if mode == 'endless' else 3) + b'"}}]}\n\n'
        c.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n')
        block = (b'%x\r\n' % len(block) + block + b'\r\n') * (1 if mode == 'endless' else 500)
        try:
            while True:
                c.sendall(block)
                sent[0] += len(block)
        except OSError:
            gone.append((mode, time.time()))
    elif mode == 'upload':  # takes nothing of the body
        silent.wait(TIMEOUT)
    else:                   # thinks
        wait_gone(c, mode)


def recorded(r):
    """Status of each exchange."""
    import json
    out = subprocess.run(['tokanalyze', '--per-request', '--format', 'jsonl', r.log.name[:-4]], stdout=subprocess.PIPE).stdout
    return [json.loads(l)['status'] for l in out.splitlines()]


up = Upstream(upstream)
SOON = 1.5  # 0.3 s is the aim; the rest is for a loaded machine


def soon(mode, left):
    return wait_for(lambda: any(m == mode for m, _ in gone), 5) and min(t for m, t in gone if m == mode) - left < SOON


@case
def slow_client():
    r = Recorder(up.url, out='slow.tok', options=['-q'])
    warm = r.ask(b'GET /nothing' + HOST + b'Upgrade: websocket\r\n\r\n')
    before, clients = r.rss(), []
    for i in range(8):
        c = r.connect(rcvbuf=65536)
        c.sendall(b'POST /' + (b'small' if i % 2 else b'endless') + b'/v1/chat/completions' + HOST + b'Content-Length: 2\r\n\r\n{}')
        clients.append(c)

    def stopped():
        n = sent[0]
        time.sleep(0.7)
        return n == sent[0] > 0
    ok('an upstream whose clients do not read stops', wait_for(stopped), sent[0])
    grown = r.rss() - before
    # 256 KiB wait for a client, in pieces that take more, 1 MiB of events for their record; the rest is buffers.
    ok('what waits is bounded: 4 MiB a stream', grown < BOUND, grown / MiB, sent[0] / MiB)
    n = sent[0]
    got = 0
    clients[0].settimeout(TIMEOUT)
    while got < 40 * MiB:
        got += len(clients[0].recv(MiB))
    ok('a client that reads again gets it on', sent[0] > n, n, sent[0])
    grown = r.rss() - before
    ok('and the bound holds', grown < BOUND, grown / MiB)
    left = time.time()
    for c in clients:
        c.close()
    ok('a client that leaves while it is held back', soon('endless', left), gone, left)
    ok('no descriptor stays', wait_for(lambda: len([m for m, _ in gone if m in ('endless', 'small')]) == 8), gone)
    ok('ends with 0', r.end() == 0, r.said())
    ok('all are recorded as cancelled', recorded(r) == ['cancelled'] * 8, recorded(r))


@case
def leaving():
    r = Recorder(up.url, out='leave.tok', options=['-q'])
    fds = r.fds()
    for body in b'{"stream":true}', b'{}':
        del gone[:]
        c = r.connect()
        c.sendall(b'POST /think/v1/chat/completions' + HOST + b'Content-Length: %d\r\n\r\n' % len(body) + body)
        time.sleep(0.3)
        left = time.time()
        c.close()
        ok('leaves before the first byte of %s' % body.decode(), soon('think', left), gone, left)
    c = r.connect()
    body = b'{"x":"' + b'y' * (30 * MiB) + b'"}'
    c.sendall(b'POST /upload/v1/chat/completions' + HOST + b'Content-Length: %d\r\n\r\n' % len(body) + body)
    ok('an upload that the upstream does not take', wait_for(lambda: r.fds() == fds + 2), r.fds(), fds)
    r.ask(b'GET /nothing' + HOST + b'Upgrade: websocket\r\n\r\n')    # so large a body takes a while to record
    c.close()
    ok('is ended when its client leaves', wait_for(lambda: r.fds() == fds, SOON), r.fds(), fds)
    silent.set()
    ok('ends with 0', r.end() == 0, r.said())
    ok('all are recorded as cancelled', recorded(r) == ['cancelled'] * 3, recorded(r))


@case
def connect_hangs():
    deaf = socket.socket()
    deaf.bind(('127.0.0.1', 0))
    deaf.listen(0)
    full = []
    for _ in range(4):      # until the queue of connections is full, and more only wait
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(deaf.getsockname())
        full.append(s)
    time.sleep(0.2)
    r = Recorder('http://127.0.0.1:%d' % deaf.getsockname()[1], out='hang.tok', options=['-q'])
    fds = r.fds()
    c = r.connect()
    c.sendall(b'POST /v1/chat/completions' + HOST + b'Content-Length: 2\r\n\r\n{}')
    ok('a connection that hangs', wait_for(lambda: r.fds() == fds + 2), r.fds(), fds)
    time.sleep(0.3)
    c.close()
    ok('is given up when its client leaves', wait_for(lambda: r.fds() == fds, SOON), r.fds(), fds)
    ok('ends with 0', r.end() == 0, r.said())
    ok('and is recorded as cancelled', recorded(r) == ['cancelled'], recorded(r))


@case
def ahead():
    r = Recorder(up.url, out='ahead.tok', options=['-q'])
    c = r.connect()
    c.sendall(b'GET /think' + HOST + b'\r\n')
    c.setblocking(False)
    n, block, quiet = 0, b'GET /next' + HOST + b'X: ' + b'y' * 60000 + b'\r\n\r\n', time.time()
    until = time.time() + TIMEOUT
    while time.time() - quiet < 1 and time.time() < until and n < 64 * MiB:
        try:
            n += c.send(block)
            quiet = time.time()
        except BlockingIOError:
            time.sleep(0.02)
    ok('what a client sends ahead is bounded', n < 32 * MiB, n)
    c.close()
    ok('ends with 0', r.end() == 0, r.said())


done()
