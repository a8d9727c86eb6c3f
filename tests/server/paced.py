# An engine whose streams are made to measure: the request body says how many chunks (n), how
# far apart in seconds (gap), and of how many bytes of random text (size).  Prints its port;
# ends by itself after two minutes.
import base64, json, os, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def chunk(self, text):
        b = text.encode()
        self.wfile.write(b'%x\r\n%s\r\n' % (len(b), b))

    def do_GET(self):
        b = ('GET ' + self.path + '\n').encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(b)))
        self.end_headers()
        self.wfile.write(b)

    def do_POST(self):
        ask = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        n, gap, size = ask.get('n', 5), ask.get('gap', 0.02), ask.get('size', 4)
        if ask.get('status'):
            b = b'{"error":{"message":"no"}}'
            self.send_response(ask['status'])
            self.send_header('Content-Length', str(len(b)))
            self.end_headers()
            self.wfile.write(b)
            return
        self.send_response(200)
        self.send_header('Content-Type', 'text/event-stream')
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()
        t0 = time.monotonic()
        for i in range(n):
            time.sleep(max(0, t0 + gap * (i + 1) - time.monotonic()))
            text = base64.b64encode(os.urandom(size)).decode()[:size]
            self.chunk('data: {"choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":null}]}\n\n' % text)
        self.chunk('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n')
        self.chunk('data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":%d,"total_tokens":%d}}\n\n' % (n, n + 7))
        self.chunk('data: [DONE]\n\n')
        self.wfile.write(b'0\r\n\r\n')


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request, client_address):
        pass  # clients leave; that is what they are for


server = Server(('127.0.0.1', 0), Handler)
print(server.server_address[1], flush=True)
threading.Timer(120, lambda: os._exit(0)).start()
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
