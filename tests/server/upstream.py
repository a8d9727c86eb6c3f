# An upstream that behaves as cases D24 to D26 say: the mode stands in the request body.
# Prints its port on stdout and what it saw on stderr; ends by itself after two minutes.
import os,socket,threading,time,sys,json,zlib
T=lambda x: 'data: {"id":"r","object":"chat.completion.chunk","created":1900000000,"model":"m","choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":null}]}\n\n'%x
F='data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
s=socket.socket(); s.setsockopt(socket.SOL_SOCKET,socket.SO_REUSEADDR,1); s.bind(('127.0.0.1',0)); s.listen(512)
print(s.getsockname()[1],flush=True)
def ch(b): return b'%x\r\n%s\r\n'%(len(b),b)
def serve(c):
    c.setsockopt(socket.IPPROTO_TCP,socket.TCP_NODELAY,1)
    buf=b''
    try:
        while b'\r\n\r\n' not in buf:
            d=c.recv(65536)
            if not d: return
            buf+=d
        head,body=buf.split(b'\r\n\r\n',1); n=0; lines=head.split(b'\r\n')
        for l in lines:
            if l.lower().startswith(b'content-length:'): n=int(l.split(b':')[1])
        while len(body)<n: body+=c.recv(65536)
        t0=time.time(); mode=json.loads(body or b'{}').get('mode','A')
        print('REQ',mode,[l.decode() for l in lines],flush=True,file=sys.stderr)
        H=b'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n'
        def wait_close(limit):
            c.settimeout(limit)
            try: r=c.recv(1)
            except socket.timeout: print(mode,'no close',flush=True,file=sys.stderr); return
            except OSError: r=b''
            print(mode,'peer closed at %d ms'%((time.time()-t0)*1000),flush=True,file=sys.stderr)
        if mode in 'A':
            c.sendall(H+b'\r\n')
            for i in range(100):
                time.sleep(max(0,t0+0.1*(i+1)-time.time()))
                try: c.sendall(ch(T('x').encode())); c.setblocking(0); 
                except OSError: print(mode,'send failed at %d'%((time.time()-t0)*1000),flush=True,file=sys.stderr); return
                try:
                    if c.recv(1)==b'': print(mode,'peer closed by %d ms'%((time.time()-t0)*1000),flush=True,file=sys.stderr); return
                except BlockingIOError: pass
                except OSError: print(mode,'reset by %d'%((time.time()-t0)*1000),flush=True,file=sys.stderr); return
                c.setblocking(1)
        elif mode=='B': wait_close(5)
        elif mode=='D':
            c.sendall(H+b'\r\n'+ch(T('x').encode())+ch(F.encode())); time.sleep(1); c.sendall(b'0\r\n\r\n')
        elif mode=='E':
            c.sendall(H+b'\r\n')
            for i in range(3): time.sleep(0.1); c.sendall(ch(T('x').encode()))
            time.sleep(0.05); c.close()
        elif mode=='hop':
            c.sendall(H+b'Connection: keep-alive, X-Hop\r\nKeep-Alive: timeout=5\r\nX-Hop: 1\r\nX-Request-Id: q9\r\n\r\n'+ch(T('x').encode())+ch(F.encode())+b'0\r\n\r\n')
        elif mode=='both':
            c.sendall(H+b'Content-Length: 999\r\n\r\n'+ch(T('x').encode())+ch(F.encode())+b'0\r\n\r\n')
        elif mode=='http10':
            c.sendall(b'HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n'+T('x').encode()+F.encode()); c.close()
        elif mode in('gz','gzbare'):
            z=zlib.compressobj(6,zlib.DEFLATED,31)
            c.sendall(H+(b'Content-Encoding: gzip\r\n' if mode=='gz' else b'')+b'\r\n')
            for i,e in enumerate([T('a'),T('b'),T('c')+F]):
                time.sleep(max(0,t0+0.1*(i+1)-time.time())); c.sendall(ch(z.compress(e.encode())+z.flush(zlib.Z_SYNC_FLUSH)))
            c.sendall(ch(z.flush())+b'0\r\n\r\n')
        elif mode=='br':
            c.sendall(H+b'Content-Encoding: br\r\n\r\n'+ch(b'\x8b\x02\x80data: {"x":1}\n\n')+b'0\r\n\r\n')
        elif mode=='401':
            b=b'{"error":{"message":"wrong key sk-TEST-1111"}}'
            c.sendall(b'HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n'%len(b)+b)
    finally:
        c.close()
threading.Timer(120,lambda:os._exit(0)).start()
while 1:
    c,_=s.accept(); threading.Thread(target=serve,args=(c,),daemon=True).start()
