# What passes through tokrecord, compared byte for byte on both sides.
import os, sys
sys.path.insert(0, os.path.join(os.environ['top_srcdir'], 'tests', 'server'))
from raw import *

seen, answer = [], [b'']
OK = b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
HOST = b' HTTP/1.1\r\nHost: front.example\r\n'


def upstream(c):
    data = b''
    while True:
        head, data = read_head(c, data)
        body, data = read_body(c, head, data)
        seen.append((head, body))
        c.sendall(answer[0])
        if b'HTTP/1.0' in answer[0] or b'Connection: close' in answer[0]:
            return


up = Upstream(upstream)
r = Recorder(up.url, options=['--max-body', '64k'])


def ask(request, reply=OK, method='GET'):
    """(head and body that the upstream saw or None, head, body, closed)."""
    seen.clear()
    answer[0] = reply
    head, body, closed = r.ask(request, method)
    return (seen[0] if seen else None), head, body, closed


def no_date(head):
    return b'\r\n'.join(l for l in head.split(b'\r\n') if not l.startswith(b'Date:'))


@case
def methods():
    for m in b'GET', b'POST', b'PUT', b'DELETE', b'PATCH', b'OPTIONS', b'TRACE':
        got, head, body, _ = ask(m + b' /x' + HOST + b'\r\n')
        ok('method ' + m.decode(), got and got[0].startswith(m + b' /x HTTP/1.1\r\n') and body == b'ok', got, head)
    for m in b'PROPFIND', b'CONNECT':
        got, head, _, closed = ask(m + b' /x' + HOST + b'\r\n')
        ok('method %s is refused with 501' % m.decode(), not got and head.startswith(b'HTTP/1.1 501 '), head)


@case
def targets():
    for t in (b'/', b'//a//b/', b'/a/%2F%20b/../c?x&y=&z=%00', b'/?', b'/a?', b'/a|b{"x"}[]^', b'/\xc3\xa4', b'*',
              b'/' + b'p' * 30000):
        got, _, _, _ = ask((b'OPTIONS ' if t == b'*' else b'GET ') + t + HOST + b'\r\n')
        ok('target ' + repr(t[:40]), got and got[0].split(b' ')[1] == t, got)
    got, _, _, _ = ask(b'GET http://front.example/a?b' + HOST + b'\r\n')
    ok('the path of an absolute target', got and got[0].startswith(b'GET /a?b HTTP/1.1\r\n'), got)
    got, head, body, _ = ask(b'GET /a b' + HOST + b'\r\n')
    ok('a target with a space is refused', not got and b' 400 ' in head and b'"bad_request"' in body, head, body)


@case
def request_headers():
    sent = (b'X-B: 1\r\nx-a: 2\r\nX-B: 3\r\nX-Empty:\r\nCookie: a=1\r\nCookie: b=2\r\nAccept: */*\r\nUser-Agent: u/1\r\n'
            b'Authorization: Bearer k\r\nX-Long: ' + b'y' * 60000)
    got, _, _, _ = ask(b'GET /a' + HOST + sent + b'\r\n\r\n')
    ok('headers keep order, case, repetition', got and got[0].split(b'\r\n', 2)[2] == sent, got)
    ok('the host is the upstream\'s', got and header(got[0], 'Host') == ['127.0.0.1:%d' % up.port], got)
    hop = (b'Connection: X-One, keep-alive\r\nConnection: x-two\r\nX-One: 1\r\nX-Two: 2\r\nX-Three: 3\r\nTE: trailers\r\n'
           b'Keep-Alive: 5\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: x\r\nUpgrade: h2c\r\n')
    got, _, _, _ = ask(b'GET /a' + HOST + hop + b'\r\n')
    ok('hop-by-hop headers stay, all that Connection names', got and got[0].split(b'\r\n', 2)[2] == b'X-Three: 3', got)
    got, head, _, _ = ask(b'GET /a' + HOST + b''.join(b'X-%d: 1\r\n' % i for i in range(500)) + b'\r\n')
    ok('500 headers', got and header(got[0], 'X-499') == ['1'], head)
    got, head, _, _ = ask(b'GET /a' + HOST + b''.join(b'X-%d: 1\r\n' % i for i in range(600)) + b'\r\n')
    ok('600 headers are refused with 431', not got and b' 431 ' in head, head)
    got, head, _, _ = ask(b'GET /a' + HOST + b'X: ' + b'y' * 300000 + b'\r\n\r\n')
    ok('a head of 300 kB is refused', not got and b' 400 ' in head, head)
    got, head, body, _ = ask(b'GET /a' + HOST + b'Upgrade: WebSocket\r\nConnection: Upgrade\r\n\r\n')
    ok('a WebSocket is refused with 501', not got and b' 501 ' in head and b'WebSocket' in body, head, body)


@case
def response_heads():
    for what, reply in (
            ('reason phrase', b'HTTP/1.1 299 Quite Odd\r\nContent-Length: 1\r\n\r\nx'),
            ('no reason phrase', b'HTTP/1.1 404 \r\nContent-Length: 1\r\n\r\nx'),
            ('repeated and empty headers', b'HTTP/1.1 200 OK\r\nset-cookie: b\r\nSet-Cookie: a\r\nX-Empty: \r\nContent-Length: 1\r\n\r\nx'),
            ('400 headers', b'HTTP/1.1 200 OK\r\n' + b''.join(b'X-%d: 1\r\n' % i for i in range(400)) + b'Content-Length: 1\r\n\r\nx'),
            ('a length of 0', b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
            ('204', b'HTTP/1.1 204 Nothing\r\nX: y\r\n\r\n'),
            ('304 with a length', b'HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\nETag: "a"\r\n\r\n'),
            ('its own Date', b'HTTP/1.1 200 OK\r\nDate: Tue, 15 Nov 1994 08:12:31 GMT\r\nContent-Length: 1\r\n\r\nx')):
        _, head, body, closed = ask(b'GET /a' + HOST + b'\r\n', reply)
        want, want_body = reply.split(b'\r\n\r\n')
        got = head if b'1994' in reply else no_date(head)
        ok(what, got == want and body == want_body and not closed, got, want)
    for want in b'Content-Length: 1234', b'X: y':
        _, head, body, closed = ask(b'HEAD /a' + HOST + b'\r\n', b'HTTP/1.1 200 OK\r\n' + want + b'\r\n\r\n', 'HEAD')
        ok('HEAD with ' + want.decode(), no_date(head) == b'HTTP/1.1 200 OK\r\n' + want and not closed, head)
    _, head, body, _ = ask(b'GET /a' + HOST + b'\r\n', b'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n' + OK)
    ok('1xx stay behind', no_date(head) == OK.split(b'\r\n\r\n')[0] and body == b'ok', head)


@case
def framing():
    chunked = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n'
    closing = b'HTTP/1.0 200 OK\r\n\r\nabc'
    for what, reply in ('chunked', chunked), ('until close', closing):
        _, head, body, closed = ask(b'GET /a' + HOST + b'\r\n', reply)
        ok(what + ' is chunked for 1.1', header(head, 'Transfer-Encoding') == ['chunked'] and not header(head, 'Content-Length') and
           body == b'abc' and not closed, head, body)
        for keep in b'', b'Connection: keep-alive\r\n':
            _, head, body, closed = ask(b'GET /a HTTP/1.0\r\n' + keep + b'\r\n', reply)
            ok(what + ' is until close for 1.0' + (', which would keep' if keep else ''),
               head.startswith(b'HTTP/1.0 200 ') and not header(head, 'Transfer-Encoding') and not header(head, 'Content-Length') and
               body == b'abc' and closed, head, body)
    _, head, body, closed = ask(b'GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
    ok('1.0 keeps its connection where the length is known', header(head, 'Connection') == ['keep-alive'] and body == b'ok' and not closed, head)
    _, head, body, closed = ask(b'GET /a' + HOST + b'Connection: close\r\n\r\n')
    ok('1.1 that wants to close', body == b'ok' and closed, head)
    _, head, body, closed = ask(b'GET /a' + HOST + b'\r\n', OK.replace(b'\r\n\r\n', b'\r\nConnection: close\r\n\r\n'))
    ok('an upstream that closes does not close the client', body == b'ok' and not closed and not header(head, 'Connection'), head)


@case
def request_bodies():
    for m in b'POST', b'PUT', b'DELETE', b'GET':
        got, _, _, _ = ask(m + b' /a' + HOST + b'Content-Length: 3\r\n\r\nabc')
        ok('body of ' + m.decode(), got and got[1] == b'abc' and header(got[0], 'Content-Length') == ['3'], got)
    for m in b'POST', b'PUT':
        got, _, _, _ = ask(m + b' /a' + HOST + b'Content-Length: 0\r\n\r\n')
        ok('empty body of ' + m.decode(), got and header(got[0], 'Content-Length') == ['0'], got)
    got, _, _, _ = ask(b'POST /a' + HOST + b'Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\nX-T: 2\r\n\r\n')
    ok('chunked upload with a trailer', got and got[1] == b'abcd', got)
    c = r.connect()
    answer[0] = OK
    seen.clear()
    c.sendall(b'POST /a' + HOST + b'Content-Length: 3\r\nExpect: 100-continue\r\n\r\n')
    head, rest = read_head(c)
    ok('100-continue is said', head.startswith(b'HTTP/1.1 100 '), head)
    c.sendall(b'abc')
    head, rest = read_head(c, rest)
    ok('and the body is taken', head.startswith(b'HTTP/1.1 200 ') and seen[0][1] == b'abc' and not header(seen[0][0], 'Expect'), head)
    c.close()
    got, head, _, closed = ask(b'POST /a' + HOST + b'Content-Length: 70000\r\n\r\n')
    ok('a length over --max-body is refused with 413', not got and b' 413 ' in head and closed, head)
    got, head, _, closed = ask(b'POST /a' + HOST + b'Content-Length: 70000\r\nExpect: 100-continue\r\n\r\n')
    ok('before the body is sent, if the client waits', not got and b' 413 ' in head, head)
    got, head, _, closed = ask(b'POST /a' + HOST + b'Transfer-Encoding: chunked\r\n\r\n' + 20 * (b'1000\r\n' + b'z' * 4096 + b'\r\n') + b'0\r\n\r\n')
    ok('and so is a chunked one', not got and b' 413 ' in head and closed, head)
    got, head, body, closed = ask(b'POST /a' + HOST + b'Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd')
    ok('two lengths are refused', not got and b' 400 ' in head and closed, head, got)
    got, head, body, closed = ask(b'POST /a' + HOST + b'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nZ\r\n0\r\n\r\n')
    ok('length and chunked are refused', not got and b' 400 ' in head and closed, head, got)
    ok('it lives on', ask(b'GET /a' + HOST + b'\r\n')[2] == b'ok')


@case
def reuse():
    c = r.connect()
    answer[0] = OK
    for i in range(3):
        c.sendall(b'GET /%d' % i + HOST + b'\r\n')
        head, rest = read_head(c)
        body, rest = read_body(c, head, rest)
        ok('request %d of one connection' % i, body == b'ok' and rest == b'', head, body)
    seen.clear()
    c.sendall(b''.join(b'GET /%d' % i + HOST + b'\r\n' for i in range(20)) + b'POST /20' + HOST + b'Content-Length: 2\r\n\r\nab')
    rest = b''
    for i in range(21):
        head, rest = read_head(c, rest)
        body, rest = read_body(c, head, rest)
    ok('21 pipelined requests are answered in order', [s[0].split(b' ')[1] for s in seen] == [b'/%d' % i for i in range(21)]
       and seen[20][1] == b'ab' and rest == b'', seen)
    c.close()


def early(c):
    head, data = read_head(c)
    c.sendall(b'HTTP/1.1 401 No\r\nContent-Length: 3\r\nConnection: close\r\n\r\nkey')
    time.sleep(0.2)


@case
def early_answer():
    with Recorder(Upstream(early).url, out='early.tok') as e:
        head, body, _ = e.ask(b'POST /v1/chat/completions' + HOST + b'Content-Length: 8000000\r\n\r\n' + b'x' * 8000000)
        ok('an answer that comes before the body was taken', head.startswith(b'HTTP/1.1 401 No') and body == b'key', head, body)


code = r.end()
ok('ends with 0', code == 0, code, r.said())
done()
