# TLS on either side of tokrecord, with certificates made for the occasion.
import json, os, sys
sys.path.insert(0, os.path.join(os.environ['top_srcdir'], 'tests', 'server'))
from raw import *

HOST = b' HTTP/1.1\r\nHost: front.example\r\n'
EVENT = b'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'


def openssl(*args):
    subprocess.run(['openssl'] + list(args), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def certificate(name, san):
    openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', name + '.key', '-out', name + '.csr', '-subj', '/CN=' + name)
    open(name + '.ext', 'w').write('subjectAltName=' + san)
    openssl('x509', '-req', '-in', name + '.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', name + '.ext', '-out', name + '.pem')


openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=throwaway')
certificate('here', 'IP:127.0.0.1,DNS:localhost')
certificate('elsewhere', 'DNS:engine.example')
gone, sent = [], [0]


def upstream(c):
    head, data = read_head(c)
    body, data = read_body(c, head, data)
    mode = head.split(b' ')[1].split(b'/')[1]
    if mode == b'echo':
        c.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n' % len(body) + body)
    elif mode == b'think':
        try:
            while c.recv(65536):
                pass
        except OSError:
            pass
        gone.append(time.time())
    else:
        c.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n')
        one = b'%x\r\n' % len(EVENT) + EVENT + b'\r\n'
        if mode == b'cut':
            c.sendall(one * 3)
        elif mode == b'stream':
            for _ in range(3):
                c.sendall(one)
                time.sleep(0.1)
            c.sendall(b'0\r\n\r\n')
        else:
            many = one * 1000
            while True:
                c.sendall(many)
                sent[0] += len(many)


def server(name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(name + '.pem', name + '.key')
    return Upstream(upstream, context=context)


def status(r):
    return int(r.ask(b'GET /echo' + HOST + b'\r\n')[0].split(b' ')[1])


def recorded(trace):
    out = subprocess.run(['tokanalyze', '--per-request', '--format', 'jsonl', trace], stdout=subprocess.PIPE).stdout
    return [(x['status'], x['error']) for x in map(json.loads, out.splitlines())]


@case
def to_the_upstream():
    good, other = server('here'), server('elsewhere')
    r = Recorder(good.url, out='good.tok', options=['--cacert', 'ca.pem'])
    ok('an upstream whose authority is given', status(r) == 200, r.said())
    head, body, _ = r.ask(b'POST /echo' + HOST + b'Content-Length: 3000000\r\n\r\n' + b'y' * 3000000)
    ok('3 MB there and back', body == b'y' * 3000000, head)
    r.end()
    for what, up, options in (('not trusted', good, []), ('of another name', other, ['--cacert', 'ca.pem'])):
        r = Recorder(up.url, out='bad.tok', options=options)
        head, body, _ = r.ask(b'POST /echo/v1/chat/completions' + HOST + b'Content-Length: 2\r\n\r\n{}')
        ok('a certificate %s gives 502' % what, b' 502 ' in head, head)
        ok('and stderr says why', 'certificate' in r.said().lower() and up.url in r.said(), r.said())
        r.end()
        ok('and the trace', recorded('bad.tok') == [('error', 'tls')], recorded('bad.tok'))
    r = Recorder(other.url, out='any.tok', options=['--insecure'])
    ok('--insecure takes it, and warns', status(r) == 200 and 'not checked' in r.said(), r.said())
    r.end()


class Secure(Recorder):
    context = ssl.create_default_context(cafile='ca.pem')

    def connect(self, timeout=TIMEOUT, rcvbuf=0):
        return self.context.wrap_socket(super().connect(timeout, rcvbuf), server_hostname='127.0.0.1')


@case
def to_the_clients():
    up = Upstream(upstream)
    r = Secure(up.url, out='front.tok', options=['--cert', 'here.pem', '--key', 'here.key'])
    fds = r.fds()
    head, body, closed = r.ask(b'POST /echo' + HOST + b'Content-Length: 3000000\r\n\r\n' + b'y' * 3000000)
    ok('3 MB there and back', body == b'y' * 3000000 and not closed, head)
    c = r.connect()
    ok('TLS 1.2 or later', c.version() in ('TLSv1.2', 'TLSv1.3'), c.version())
    for i in range(2):
        c.sendall(b'GET /stream/v1' + HOST + b'\r\n')
        head, rest = read_head(c)
        body, rest = read_body(c, head, rest)
        ok('stream %d of one connection' % i, body == 3 * EVENT and rest == b'', head, body)
    c.close()
    c = r.connect()
    c.sendall(b'POST /cut/v1/chat/completions' + HOST + b'Content-Length: 2\r\n\r\n{}')
    head, rest = read_head(c)
    try:
        read_body(c, head, rest)
        cut = False
    except (EOFError, OSError):
        cut = True
    ok('a cut upstream cuts the client', cut)
    c.close()
    c = r.connect()
    c.sendall(b'POST /think/v1/chat/completions' + HOST + b'Content-Length: 2\r\n\r\n{}')
    time.sleep(0.3)
    left = time.time()
    c.close()
    ok('a client that leaves is seen', wait_for(lambda: gone, 5) and gone[0] - left < 1.5, gone, left)
    c = r.connect(rcvbuf=65536)
    c.sendall(b'POST /endless/v1/chat/completions' + HOST + b'Content-Length: 2\r\n\r\n{}')

    def stopped():
        n = sent[0]
        time.sleep(0.7)
        return n == sent[0] > 0
    ok('a client that does not read holds its engine back', wait_for(stopped), sent)
    n = sent[0]
    while sent[0] == n:
        c.recv(1 << 20)
    ok('and goes on', True)
    c.close()
    plain = Recorder.connect(r)
    plain.sendall(b'GET /echo' + HOST + b'\r\n')
    plain.settimeout(TIMEOUT)
    try:
        got = plain.recv(100)
    except OSError:
        got = b''
    ok('a client without TLS gets nothing', b'HTTP/1.1 200' not in got, got)
    plain.close()
    ok('no descriptor stays', wait_for(lambda: r.fds() <= fds), r.fds(), fds)
    curl = subprocess.run(['curl', '-s', '--cacert', 'ca.pem', 'https://127.0.0.1:%d/echo' % r.port, '-d', 'hello'], stdout=subprocess.PIPE)
    ok('curl', curl.stdout == b'hello', curl)
    ok('ends with 0', r.end() == 0, r.said())
    ok('all is recorded', recorded('front.tok') == [('truncated', 'cut'), ('cancelled', 'cancelled'), ('cancelled', 'cancelled')], recorded('front.tok'))


@case
def bad_files():
    open('empty.pem', 'w').close()
    for what, cert, key in (('no such certificate', 'none.pem', 'here.key'), ('an empty certificate', 'empty.pem', 'here.key'),
                            ('an empty key', 'here.pem', 'empty.pem'), ('another\'s key', 'here.pem', 'elsewhere.key')):
        p = subprocess.run(['tokrecord', '--listen', '127.0.0.1:0', '--upstream', 'http://127.0.0.1:1', '-o', 'never.tok', '--cert', cert, '--key', key],
                           stderr=subprocess.PIPE)
        ok(what, p.returncode == 1 and p.stderr.count(b'\n') == 1 and (cert.encode() in p.stderr or key.encode() in p.stderr), p)
    ok('no file is made', not os.path.exists('never.tok'))


done()
