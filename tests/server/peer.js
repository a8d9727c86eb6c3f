// A peer that speaks what the others here do not: node peer.js h2c | tls | SOCKET
//
// h2c: HTTP/2 by prior knowledge.  tls: HTTP/2 or 1.1 over TLS, with key.pem and cert.pem of
// the working directory.  Else HTTP/1.1 on a unix socket.  Answers any request with a short
// stream, and prints a line for each: "session N version V".  Ends by itself after a minute.
const fs = require('fs'), http = require('http'), http2 = require('http2');

const chunk = (delta, reason) => 'data: ' + JSON.stringify({ id: 'r', object: 'chat.completion.chunk', created: 1,
	model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] }) + '\n\n';
const usage = 'data: {"id":"r","object":"chat.completion.chunk","created":1,"model":"m","choices":[],' +
	'"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}\n\n';
const sessions = new Map();

function answer(req, res) {
	const s = req.stream ? req.stream.session : req.socket;
	if (!sessions.has(s))
		sessions.set(s, sessions.size + 1);
	console.log(`session ${sessions.get(s)} version ${req.httpVersion}`);
	req.resume();
	req.on('end', () => {
		res.writeHead(200, { 'Content-Type': 'text/event-stream' });
		res.write(chunk({ content: 'a' }, null));
		setTimeout(() => {
			res.write(chunk({ content: 'b' }, null) + chunk({}, 'stop') + usage);
			res.end('data: [DONE]\n\n');
		}, 20);
	});
}

const mode = process.argv[2];
const server = mode === 'h2c' ? http2.createServer(answer) : mode === 'tls' ? http2.createSecureServer({
	key: fs.readFileSync('key.pem'), cert: fs.readFileSync('cert.pem'), allowHTTP1: true }, answer)
	: http.createServer(answer);
if (mode === 'h2c' || mode === 'tls')
	server.listen(0, '127.0.0.1', () => console.error(`listening on 127.0.0.1:${server.address().port}`));
else
	server.listen(mode, () => console.error('listening on 127.0.0.1:1'));
setTimeout(() => process.exit(0), 60000);
