# Several upstreams, unix sockets, TLS on both sides, and more clients than can be served.
import json, os, resource, sys
sys.path.insert(0, os.path.join(os.environ['top_srcdir'], 'tests', 'server'))
from raw import *

HOST = b' HTTP/1.1\r\nHost: front.example\r\n'
CHAT = b'{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}'
OK = b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
seen = []


def named(name):
    def serve(c):
        data = b''
        while True:
            head, data = read_head(c, data)
            _, data = read_body(c, head, data)
            seen.append((name, head.split(b' ')[1], header(head, 'Host')[0]))
            c.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n' % len(CHAT) + CHAT)
    return serve


def where(r, path, method=b'GET'):
    """(upstream, target) that served it, or the status."""
    del seen[:]
    head, _, _ = r.ask(method + b' ' + path + HOST + (b'Content-Length: 2\r\n\r\n{}' if method == b'POST' else b'\r\n'))
    return seen[0][:2] if seen else int(head.split(b' ')[1])


def requests(trace):
    out = subprocess.run(['tokconvert', 'dump', trace], stdout=subprocess.PIPE).stdout
    return [json.loads(l) for l in out.splitlines()]


@case
def by_path():
    a, b, c, d = (Upstream(named(n)) for n in 'abcd')
    r = Recorder('/a=' + a.url, '/a/b=' + b.url + '/deep/', c.url, d.url + '/base', out='several.tok', options=['--verbose'])
    for path, want in ((b'/a/v1/x?y=/a', ('a', b'/v1/x?y=/a')), (b'/a', ('a', b'/')), (b'/a?q', ('a', b'/?q')),
                       (b'/a/b/v1', ('b', b'/deep/v1')), (b'/a/bc', ('a', b'/bc')), (b'/ab', ('c', b'/ab')),
                       (b'/ab', ('d', b'/base/ab')), (b'/ab', ('c', b'/ab')), (b'http://h/a/x', ('a', b'/x'))):
        got = where(r, path)
        ok('%s goes to %s' % (path.decode(), want[0]), got == want, got)
    got = where(r, b'/a/v1/chat/completions', b'POST')
    ok('an inference endpoint behind a prefix', got == ('a', b'/v1/chat/completions'), got)
    ok('ends with 0', r.end() == 0, r.said())
    rows = requests('several.tok')
    asked = [x for x in rows if x['kind'] == 'request']
    ok('the trace says which upstream served it, and the path that it got',
       [(x.get('upstream'), x['endpoint']) for x in asked] == [('/a=' + a.url, '/v1/chat/completions')], asked)
    url = rows[0]['target']['url']
    ok('the header lists all', url == '/a=%s, /a/b=%s/deep/, %s, %s/base' % (a.url, b.url, c.url, d.url), url)
    r = Recorder('/a=' + a.url, out='none.tok')
    ok('no upstream for a path: 404', where(r, b'/b') == 404)
    r.end()


@case
def unix_socket():
    path = os.path.join(os.getcwd(), 'e.sock')
    Upstream(named('u'), unix=path)
    for arg, want in ('unix:' + path, b'/v1/x'), ('unix:%s:/base' % path, b'/base/v1/x'):
        r = Recorder(arg, out='unix.tok')
        got = where(r, b'/v1/x')
        ok('unix socket' + (' with a path' if b'base' in want else ''), got == ('u', want), got, r.said())
        r.end()
    ok('which the header shows', requests('unix.tok')[0]['target']['url'] == 'unix:%s:/base' % path)


@case
def usage():
    for args in (['--upstream', 'localhost:80'], ['--upstream', 'http://'], ['--upstream', '/a'], ['--upstream', 'unix:e.sock'],
                 ['--upstream', 'http://h?x'], ['--upstream', 'http://h', '--cert', 'x'], ['--upstream', 'http://h', '--max-streams', '0'],
                 ['--upstream', 'https://h', '--cacert', '/nonexistent'], []):
        p = subprocess.run(['tokrecord', '-o', 'never.tok'] + args, stderr=subprocess.PIPE)
        ok('usage: ' + ' '.join(args), p.returncode == 2 and p.stderr.count(b'\n') == 1, p)
    ok('and no file is made', not os.path.exists('never.tok'))


@case
def secrets_in_urls():
    a = Upstream(named('a'))
    r = Recorder(a.url.replace('//', '//user:sk-TEST-1@'), '/x=' + a.url, out='secret.tok', options=['-v'])
    where(r, b'/v1/chat/completions', b'POST')
    r.end()
    raw = subprocess.run(['zstd', '-dc', 'secret.tok'], stdout=subprocess.PIPE).stdout
    ok('a password in --upstream stays out of trace and log', raw and b'sk-TEST' not in raw and 'sk-TEST' not in r.said(), r.said())


@case
def few_descriptors():
    p = subprocess.run(['tokrecord', '--listen', '127.0.0.1:0', '--upstream', 'http://127.0.0.1:1', '-o', 'few.tok', '--max-streams', '2000'],
                       stderr=subprocess.PIPE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024)))
    ok('a limit that is too low is said at the start, with the right one',
       p.returncode == 1 and p.stderr.count(b'\n') == 1 and b'4040' in p.stderr and b'1024' in p.stderr and not os.path.exists('few.tok'), p)
    held = []

    def hold(c):
        head, _ = read_head(c)
        if b'/hold' in head:
            held.append(c)
            while c.recv(65536):
                pass
        else:
            c.sendall(OK.replace(b'\r\n\r\n', b'\r\nConnection: close\r\n\r\n'))
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (80, 80))
    r = Recorder(Upstream(hold).url, out='full.tok', before=limit)
    ok('a low one is warned of', re.search(r'80 file descriptors allows 20 streams', r.said()), r.said())
    before = r.fds()
    clients = [r.connect() for _ in range(20)]
    for c in clients:
        c.sendall(b'GET /hold' + HOST + b'\r\n')
    wait_for(lambda: len(held) == 20)
    head, body, closed = r.ask(b'GET /x' + HOST + b'\r\n')
    ok('one stream more gets 503 and goes', b' 503 ' in head and closed and b'"overloaded"' in body and header(head, 'Retry-After'), head, body)
    idle = [r.connect() for _ in range(60)]   # more than there are descriptors

    def used():
        f = open('/proc/%d/stat' % r.p.pid).read().rsplit(')', 1)[1].split()
        return (int(f[11]) + int(f[12])) / os.sysconf('SC_CLK_TCK')
    t = used()
    time.sleep(1)
    ok('without a descriptor it does not spin', used() - t < 0.5, used() - t)
    ok('and says so', wait_for(lambda: 'no file descriptor is left' in r.said()), r.said())
    ok('in a few lines', r.said().count('\n') < 8, r.said())
    for c in idle + clients:
        c.close()
    ok('no descriptor stays', wait_for(lambda: r.fds() == before), r.fds(), before)
    ok('and it serves again', r.ask(b'GET /x' + HOST + b'\r\n')[1] == b'ok')
    ok('ends with 0', r.end() == 0, r.said())


@case
def everybody():
    r = Recorder('http://127.0.0.1:1', out='all.tok', options=['--listen', '0.0.0.0:0'])
    ok('a port that others reach is said to be one', 'other machines' in r.said(), r.said())
    r.end()
    r = Recorder('http://127.0.0.1:1', out='all.tok')
    ok('loopback is not', 'other machines' not in r.said(), r.said())
    r.end()


done()
