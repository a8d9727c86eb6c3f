"""All protocols, with a mark in every field that may hold words of a user or of a model.

marks.py serve            an upstream; prints its port
marks.py ask URL          a client; sends everything once; prints how many requests
Every mark begins with MARK; those in members called email with MARK-EMAIL; keys are sk-TEST-N.
"""
import http.client
import http.server
import json
import sys
import urllib.parse

DONE = "data: [DONE]\n\n"


def sse(*objects, typed=False):
    return "".join(("event: %s\n" % o["type"] if typed else "") + "data: " + json.dumps(o) + "\n\n" for o in objects)


CALL = {"index": 0, "id": "MARK-call", "type": "function",
        "function": {"name": "MARK_f", "arguments": json.dumps({"email": "MARK-EMAIL-args", "x": "MARK-x"})}}
USAGE = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}


def chat(stream):
    message = {"role": "assistant", "content": "MARK-said", "reasoning_content": "MARK-thought", "refusal": "MARK-no",
               "tool_calls": [CALL]}
    if not stream:
        return json.dumps({"id": "MARK-id", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "MARK went wrong"}],
                           "usage": USAGE, "email": "MARK-EMAIL-top"})
    chunk = {"id": "MARK-id", "object": "chat.completion.chunk", "model": "m"}
    parts = ({k: v} for k, v in message.items())
    split = [{"tool_calls": [{"index": 0, "function": {"arguments": '{"email": "MARK-'}}]},
             {"tool_calls": [{"index": 0, "function": {"arguments": 'EMAIL-split"}'}}]}]
    return (": MARK-comment\n\n" + sse(*({**chunk, "choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in [*parts, *split]))
            + sse({"mystery": "MARK-other", "email": "MARK-EMAIL-other"})
            + sse({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "MARK went wrong"}]})
            + sse({**chunk, "choices": [], "usage": {**USAGE, "note": "MARK-usage"}}) + DONE)


def completions(stream):
    choice = {"index": 0, "text": "MARK-said", "finish_reason": "stop"}
    one = {"id": "MARK-id", "model": "m", "choices": [choice], "usage": USAGE}
    return sse(one) + DONE if stream else json.dumps(one)


def responses(stream):
    call = {"type": "function_call", "id": "MARK-fc", "call_id": "MARK-call", "name": "MARK_f", "arguments": json.dumps({"email": "MARK-EMAIL-args"})}
    said = {"type": "message", "id": "MARK-msg", "role": "assistant", "content": [{"type": "output_text", "text": "MARK-said", "annotations": []}]}
    whole = {"id": "MARK-resp", "object": "response", "model": "m", "status": "completed", "instructions": "MARK-echo",
             "metadata": {"email": "MARK-EMAIL-echo"}, "output": [said, call],
             "usage": {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}}
    if not stream:
        return json.dumps(whole)
    return sse({"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
               {"type": "response.output_item.added", "output_index": 0, "item": said},
               {"type": "response.output_text.delta", "output_index": 0, "delta": "MARK-said"},
               {"type": "response.output_item.added", "output_index": 1, "item": call},
               {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"email":"MARK-EMAIL-piece"'},
               {"type": "MARK-mystery", "email": "MARK-EMAIL-other"},
               {"type": "response.completed", "response": whole}, typed=True)


def messages(stream):
    content = [{"type": "thinking", "thinking": "MARK-thought", "signature": "MARK-sig"}, {"type": "text", "text": "MARK-said"},
               {"type": "tool_use", "id": "MARK-call", "name": "MARK_f", "input": {"email": "MARK-EMAIL-args"}}]
    whole = {"id": "MARK-msg", "type": "message", "role": "assistant", "model": "m", "content": content,
             "stop_reason": "end_turn", "stop_sequence": "MARK-stop", "usage": {"input_tokens": 9, "output_tokens": 3}}
    if not stream:
        return json.dumps(whole)
    return sse({"type": "message_start", "message": {**whole, "content": []}},
               {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
               {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "MARK-said"}},
               {"type": "content_block_start", "index": 1, "content_block": {**content[2], "input": {}}},
               {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"email":"MARK-EMAIL-piece"}'}},
               {"type": "MARK-mystery", "email": "MARK-EMAIL-other"},
               {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": "MARK-stop"}, "usage": {"output_tokens": 3}},
               {"type": "message_stop"}, typed=True)


def ollama(words):
    def answer(stream):
        last = {"model": "m", "created_at": "MARK-now", **words, "done": True, "done_reason": "stop", "context": [31337, 31338],
                "prompt_eval_count": 9, "eval_count": 3, "email": "MARK-EMAIL-top"}
        first = json.dumps({"model": "m", **words, "done": False}) + "\n" if stream else ""
        return first + json.dumps(last) + "\n"
    return answer


OLLAMA_CALL = {"function": {"name": "MARK_f", "arguments": {"email": "MARK-EMAIL-args"}}}
ANSWERS = {
    "/v1/chat/completions": chat, "/v1/completions": completions, "/v1/responses": responses, "/v1/messages": messages,
    "/api/chat": ollama({"message": {"role": "assistant", "content": "MARK-said", "thinking": "MARK-thought", "tool_calls": [OLLAMA_CALL]}}),
    "/api/generate": ollama({"response": "MARK-said", "thinking": "MARK-thought"}),
}


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, kind, body):
        body = body.encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), ("Set-Cookie", "s=sk-TEST-8888"),
                            ("X-Api-Key", "sk-TEST-9999"), ("X-Echo", "MARK-header")):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        url = urllib.parse.urlsplit(self.path)
        echo = " ".join([sent, self.path, urllib.parse.unquote(self.path), *self.headers.values()])
        fault = urllib.parse.parse_qs(url.query).get("fault", [""])[0]
        if fault == "json":
            self.answer(400, "application/json", json.dumps({"error": {"message": "MARK-bad: " + echo, "code": 20012, "type": "MARK-type"}}))
        elif fault == "html":
            self.answer(502, "text/html; note=MARK-type", "<p>MARK-html " + echo)
        elif fault == "inside":
            self.answer(200, "text/event-stream", sse({"error": {"message": "MARK-bad: " + echo, "code": 7}}) + "data: MARK no json " + echo.replace("\n", " ") + "\n\n")
        else:
            stream = '"stream": true' in sent
            kind = "application/x-ndjson" if url.path.startswith("/api") else "text/event-stream"
            self.answer(200, kind if stream else "application/json", ANSWERS[url.path](stream))


def bodies():
    tools = [{"type": "function", "function": {"name": "MARK_f", "description": "MARK-tool", "parameters": {}}}]
    common = {"model": "m", "user": "MARK-user", "metadata": {"email": "MARK-EMAIL-meta", "user_id": "MARK-uid"}}
    past = {"role": "assistant", "content": "MARK-past", "tool_calls": [CALL]}
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,TUFSSy1pbWFnZQ" + "A" * 400}}
    talk = [{"role": "system", "content": "MARK-system"}, {"role": "user", "name": "MARK-name", "content": [{"type": "text", "text": "MARK-q"}, image]},
            past, {"role": "tool", "tool_call_id": "MARK-call", "content": "MARK-result"}]
    yield "/v1/chat/completions", {**common, "messages": talk, "tools": tools, "stop": ["MARK-stop"]}
    yield "/v1/completions", {**common, "prompt": "MARK-prompt", "suffix": "MARK-suffix"}
    yield "/v1/responses", {**common, "instructions": "MARK-system", "tools": tools, "conversation": "MARK-conv", "input": [{"role": "user", "content": [{"type": "input_text", "text": "MARK-q"}]}]}
    yield "/v1/messages", {**common, "system": "MARK-system", "max_tokens": 5, "tools": [{"name": "MARK_f"}], "messages": [{"role": "user", "content": "MARK-q"}]}
    yield "/api/chat", {**common, "messages": [{"role": "user", "content": "MARK-q", "images": ["TUFSSw=="]}], "options": {"stop": ["MARK-stop"]}}
    yield "/api/generate", {**common, "system": "MARK-system", "prompt": "MARK-q", "template": "MARK-t", "context": [31335, 31336]}


def post(url, path, body, session):
    to = urllib.parse.urlsplit(url)
    c = http.client.HTTPConnection(to.hostname, to.port, timeout=60)
    c.request("POST", path, body, {
        "Content-Type": "application/json", "User-Agent": "MARK-agent", "Referer": "http://MARK-referer/", "X-Custom": "MARK-custom",
        "Authorization": "Bearer sk-TEST-1111", "x-api-key": "sk-TEST-2222", "api-key": "sk-TEST-3333", "X-Goog-Api-Key": "sk-TEST-4444",
        "Cookie": "s=sk-TEST-5555", "anthropic-version": "2023-06-01", **({"X-Session-Id": "MARK-session"} if session else {})})
    c.getresponse().read()
    c.close()


def ask(url):
    n = 0
    for path, body in bodies():
        for stream in (False, True):
            post(url, path + "?api-version=2024-10-21&q=MARK-query", json.dumps({**body, "stream": stream}), stream)
            n += 1
        for fault in ("json", "html", "inside"):
            post(url, path + "?%6Bey=sk-TEST-6666&token=sk%2DTEST%2D7777&fault=" + fault, json.dumps(body), False)
            n += 1
        post(url, path, "MARK no json", False)
        n += 1
    print(n)


if sys.argv[1] == "serve":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    print(server.server_address[1], flush=True)
    server.serve_forever()
ask(sys.argv[2])
