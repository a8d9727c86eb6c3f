"""An upstream that speaks all recorded protocols, streamed and not, for comparisons by digest.

What it answers follows from the request's bytes alone: text of many scripts, thinking, tool
calls, failures; cut into writes at random places, chunked, with a length or until the close,
sometimes compressed.  Prints its port; writes a JSON line per exchange to the file it is
given: digests of both bodies as it saw and sent them, and what the answer holds.
For a browser it also serves a page (second argument) and takes its result (third one).  A
request with X-Steady meets no failure.
"""
import asyncio
import hashlib
import json
import random
import sys
import zlib

WORDS = ["red", " fox", " \u00e9t\u00e9", " \u6f22\u5b57", " \U0001f98a", " line\n", " \"quoted\"", " back\\slash", " tab\t", " end."]
LOG = open(sys.argv[1], "w", buffering=1, encoding="utf-8")


def compact(o):
    return json.dumps(o, ensure_ascii=o.__class__ is dict and len(str(o)) % 2 == 0, separators=(",", ":"))


def sse(o, typed=False):
    head = "event: %s\n" % o["type"] if typed else ""
    return "%sdata: %s\n\n" % (head, compact(o))


class Answer:
    """The pieces of one answer, and their form in each protocol."""

    def __init__(self, rng, tools):
        self.thinking = ["".join(rng.choices(WORDS, k=2)) for _ in range(rng.choice([0, 0, 3]))]
        self.text = [rng.choice(WORDS) for _ in range(rng.randint(1, 30))]
        self.call = [json.dumps({"place": rng.choice(WORDS)}), "call_%d" % rng.randrange(10**6)] if tools else None
        if self.call:
            self.text = []
        self.usage = (rng.randint(1, 9000), len(self.thinking) + len(self.text) + (3 if tools else 0))
        self.fault = rng.random() < 0.04

    def chat(self):
        def chunk(delta, finish=None):
            return sse({"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "mix",
                        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
        yield chunk({"role": "assistant", "content": ""})
        for t in self.thinking:
            yield chunk({"reasoning_content": t})
        for t in self.text:
            yield chunk({"content": t})
        if self.fault:
            yield sse({"error": {"message": "boom", "code": 500}})
            return
        if self.call:
            a, i = self.call
            yield chunk({"tool_calls": [{"index": 0, "id": i, "type": "function", "function": {"name": "look", "arguments": ""}}]})
            for piece in (a[:5], a[5:]):
                yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
        yield ": keep-alive\n\n"
        yield chunk({}, "tool_calls" if self.call else "stop")
        yield sse({"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "mix", "choices": [],
                   "usage": {"prompt_tokens": self.usage[0], "completion_tokens": self.usage[1], "total_tokens": sum(self.usage)}})
        yield "data: [DONE]\n\n"

    def chat_whole(self):
        m = {"role": "assistant", "content": "".join(self.text)}
        if self.thinking:
            m["reasoning_content"] = "".join(self.thinking)
        if self.call:
            m["tool_calls"] = [{"index": 0, "id": self.call[1], "type": "function", "function": {"name": "look", "arguments": self.call[0]}}]
        return {"id": "r", "object": "chat.completion", "created": 1, "model": "mix",
                "choices": [{"index": 0, "message": m, "finish_reason": "tool_calls" if self.call else "stop"}],
                "usage": {"prompt_tokens": self.usage[0], "completion_tokens": self.usage[1], "total_tokens": sum(self.usage)}}

    def completions(self):
        for t in self.text:
            yield sse({"id": "r", "object": "text_completion", "created": 1, "model": "mix",
                       "choices": [{"index": 0, "text": t, "finish_reason": None}]})
        if self.fault:
            yield sse({"error": {"message": "boom", "code": 500}})
            return
        yield sse({"id": "r", "object": "text_completion", "created": 1, "model": "mix",
                   "choices": [{"index": 0, "text": "", "finish_reason": "stop"}],
                   "usage": {"prompt_tokens": self.usage[0], "completion_tokens": self.usage[1]}})
        yield "data: [DONE]\n\n"

    def completions_whole(self):
        return {"id": "r", "object": "text_completion", "created": 1, "model": "mix",
                "choices": [{"index": 0, "text": "".join(self.text), "finish_reason": "stop"}],
                "usage": {"prompt_tokens": self.usage[0], "completion_tokens": self.usage[1]}}

    def responses_whole(self):
        out = []
        if self.thinking:
            out.append({"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "".join(self.thinking)}]})
        if self.call:
            out.append({"type": "function_call", "id": "fc", "call_id": self.call[1], "name": "look", "arguments": self.call[0]})
        else:
            out.append({"type": "message", "id": "ms", "role": "assistant", "status": "completed",
                        "content": [{"type": "output_text", "text": "".join(self.text), "annotations": []}]})
        return {"id": "resp", "object": "response", "model": "mix", "status": "completed", "error": None, "incomplete_details": None,
                "output": out, "usage": {"input_tokens": self.usage[0], "output_tokens": self.usage[1], "total_tokens": sum(self.usage)}}

    def responses(self):
        n = 0

        def ev(kind, **more):
            nonlocal n
            n += 1
            return sse({"type": kind, "sequence_number": n - 1, **more}, typed=True)
        whole = self.responses_whole()
        yield ev("response.created", response={"id": "resp", "object": "response", "status": "in_progress", "output": []})
        index = 0
        if self.thinking:
            yield ev("response.output_item.added", output_index=0, item={"type": "reasoning", "id": "rs", "summary": []})
            for t in self.thinking:
                yield ev("response.reasoning_summary_text.delta", item_id="rs", output_index=0, summary_index=0, delta=t)
            index = 1
        if self.fault:
            yield ev("response.failed", response={**whole, "status": "failed", "output": [], "error": {"code": "server_error", "message": "boom"}})
            return
        if self.call:
            a = self.call[0]
            yield ev("response.output_item.added", output_index=index,
                     item={"type": "function_call", "id": "fc", "call_id": self.call[1], "name": "look", "arguments": ""})
            for piece in (a[:5], a[5:]):
                yield ev("response.function_call_arguments.delta", item_id="fc", output_index=index, delta=piece)
        else:
            yield ev("response.output_item.added", output_index=index, item={"type": "message", "id": "ms", "role": "assistant", "content": []})
            yield ev("response.content_part.added", item_id="ms", output_index=index, content_index=0, part={"type": "output_text", "text": "", "annotations": []})
            for t in self.text:
                yield ev("response.output_text.delta", item_id="ms", output_index=index, content_index=0, delta=t, logprobs=[])
            yield ev("response.output_text.done", item_id="ms", output_index=index, content_index=0, text="".join(self.text), logprobs=[])
        yield ev("response.completed", response=whole)

    def messages_whole(self):
        content = []
        if self.thinking:
            content.append({"type": "thinking", "thinking": "".join(self.thinking), "signature": "s"})
        if self.call:
            content.append({"type": "tool_use", "id": self.call[1], "name": "look", "input": json.loads(self.call[0])})
        else:
            content.append({"type": "text", "text": "".join(self.text)})
        return {"id": "msg", "type": "message", "role": "assistant", "model": "mix", "content": content, "stop_sequence": None,
                "stop_reason": "tool_use" if self.call else "end_turn",
                "usage": {"input_tokens": self.usage[0], "output_tokens": self.usage[1]}}

    def messages(self):
        whole = self.messages_whole()
        yield sse({"type": "message_start", "message": {**whole, "content": [], "stop_reason": None,
                                                        "usage": {"input_tokens": self.usage[0], "output_tokens": 1}}}, typed=True)
        yield sse({"type": "ping"}, typed=True)
        for i, block in enumerate(whole["content"]):
            empty = {**block, **({"thinking": "", "signature": ""} if block["type"] == "thinking" else
                                 {"text": ""} if block["type"] == "text" else {"input": {}})}
            yield sse({"type": "content_block_start", "index": i, "content_block": empty}, typed=True)
            if block["type"] == "thinking":
                deltas = [{"type": "thinking_delta", "thinking": t} for t in self.thinking] + [{"type": "signature_delta", "signature": "s"}]
            elif block["type"] == "text":
                deltas = [{"type": "text_delta", "text": t} for t in self.text]
            else:
                a = self.call[0]
                deltas = [{"type": "input_json_delta", "partial_json": p} for p in ("", a[:5], a[5:])]
            for d in deltas:
                yield sse({"type": "content_block_delta", "index": i, "delta": d}, typed=True)
            yield sse({"type": "content_block_stop", "index": i}, typed=True)
        if self.fault:
            yield sse({"type": "error", "error": {"type": "overloaded_error", "message": "boom"}}, typed=True)
            return
        yield sse({"type": "message_delta", "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
                   "usage": {"output_tokens": self.usage[1]}}, typed=True)
        yield sse({"type": "message_stop"}, typed=True)

    def ollama(self, chat):
        def line(key, t):
            return {"message": {"role": "assistant", "content": "", key: t}} if chat else {"response": "", {"content": "response"}.get(key, key): t}
        base = {"model": "mix", "created_at": "2026-01-01T00:00:00Z"}
        for t in self.thinking:
            yield compact({**base, **line("thinking", t), "done": False}) + "\n"
        for t in self.text:
            yield compact({**base, **line("content", t), "done": False}) + "\n"
        if self.fault:
            yield compact({"error": "boom"}) + "\n"
            return
        if self.call:
            yield compact({**base, **line("tool_calls", [{"function": {"name": "look", "arguments": json.loads(self.call[0])}}]), "done": False}) + "\n"
        yield compact({**base, **line("content", ""), "done": True, "done_reason": "stop", "total_duration": 5,
                       "prompt_eval_count": self.usage[0], "eval_count": self.usage[1]}) + "\n"

    def ollama_whole(self, chat):
        m = {"role": "assistant", "content": "".join(self.text)} if chat else {}
        if self.thinking:
            (m if chat else m)["thinking"] = "".join(self.thinking)
        if self.call:
            m["tool_calls"] = [{"function": {"name": "look", "arguments": json.loads(self.call[0])}}]
        body = {"message": m} if chat else {"response": "".join(self.text), **m}
        return {"model": "mix", "created_at": "2026-01-01T00:00:00Z", **body, "done": True, "done_reason": "stop",
                "prompt_eval_count": self.usage[0], "eval_count": self.usage[1]}


KINDS = {
    "/v1/chat/completions": ("chat", lambda a: a.chat(), lambda a: a.chat_whole()),
    "/v1/completions": ("completions", lambda a: a.completions(), lambda a: a.completions_whole()),
    "/v1/responses": ("responses", lambda a: a.responses(), lambda a: a.responses_whole()),
    "/v1/messages": ("messages", lambda a: a.messages(), lambda a: a.messages_whole()),
    "/api/chat": ("ollama_chat", lambda a: a.ollama(True), lambda a: a.ollama_whole(True)),
    "/api/generate": ("ollama_generate", lambda a: a.ollama(False), lambda a: a.ollama_whole(False)),
}


async def read_body(r, headers):
    if "chunked" not in headers.get("transfer-encoding", ""):
        return await r.readexactly(int(headers.get("content-length", "0")))
    body = b""
    while True:
        n = int((await r.readline()).split(b";")[0], 16)
        if n == 0:
            while (await r.readline()).strip():
                pass
            return body
        body += await r.readexactly(n)
        await r.readline()


def cut(rng, data):
    """Writes of any size: several events in one, one event in several, half characters."""
    at = 0
    while at < len(data):
        n = rng.choice([1, 7, 40, 150, 400, 1500])
        yield data[at:at + n]
        at += n


def plan(target, headers, body):
    """The whole answer: status, type, its parts, and what it holds."""
    name, stream, whole = KINDS[target.split("?")[0]]
    rng = random.Random(hashlib.sha256(body).digest())
    ask = json.loads(body)
    steady = "x-steady" in headers
    streamed = ask.get("stream", name.startswith("ollama"))
    a = Answer(rng, bool(ask.get("tools")))
    a.fault &= streamed and not steady
    holds = {"api": name, "streamed": streamed, "thinking": "".join(a.thinking), "text": "".join(a.text), "call": a.call,
             "usage": a.usage, "status": "error" if a.fault else "ok"}
    if name == "completions":
        holds["thinking"] = ""
        holds["call"] = None
    if name == "responses" and a.fault:
        holds["text"] = ""
    if rng.random() < 0.05 and not steady:
        return rng, 429, "application/json", [json.dumps({"error": {"message": "slow down", "type": "rate_limit", "code": 429}})], {
            **holds, "status": "error", "thinking": "", "text": "", "call": None}
    if not streamed:
        return rng, 200, "application/json", [json.dumps(whole(a), ensure_ascii=False)], holds
    return rng, 200, "application/x-ndjson" if name.startswith("ollama") else "text/event-stream", list(stream(a)), holds


async def answer(w, rng, status, kind, parts, packed, headers):
    framing = rng.choice(["chunked", "chunked", "length", "close"])
    data = [p.encode() for p in parts]
    head = "HTTP/1.1 %d X\r\nContent-Type: %s\r\nAccess-Control-Allow-Origin: *\r\n" % (status, kind)
    if packed:
        z = zlib.compressobj(6, zlib.DEFLATED, 31)
        data = [z.compress(p) + z.flush(zlib.Z_SYNC_FLUSH) for p in data] + [z.flush()]
        head += "Content-Encoding: gzip\r\n"
    whole = b"".join(data)
    head += {"chunked": "Transfer-Encoding: chunked\r\n", "length": "Content-Length: %d\r\n" % len(whole), "close": "Connection: close\r\n"}[framing]
    w.write(head.encode() + b"\r\n")
    for piece in cut(rng, whole):
        w.write(b"%x\r\n%s\r\n" % (len(piece), piece) if framing == "chunked" else piece)
        if rng.random() < 0.2:
            await w.drain()
            await asyncio.sleep(rng.random() * 0.004)
    if framing == "chunked":
        w.write(b"0\r\n\r\n")
    await w.drain()
    return whole, framing != "close"


def aside(method, target, body):
    """What is no inference: a browser's page, its result, its question whether it may ask."""
    if method == b"OPTIONS":
        return (b"HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST\r\n"
                b"Access-Control-Allow-Headers: content-type, authorization, x-steady\r\n\r\n")
    text = b"ok"
    if target == "/result":
        with open(sys.argv[3], "wb") as f:
            f.write(body)
    elif target.startswith("/chat"):
        with open(sys.argv[2], "rb") as f:
            text = f.read()
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text)


async def one(r, w):
    line = (await r.readline()).split()
    if len(line) < 3:
        return False
    headers = {}
    while True:
        h = (await r.readline()).decode("latin-1").strip()
        if not h:
            break
        k, _, v = h.partition(":")
        headers[k.lower()] = v.strip()
    if "100-continue" in headers.get("expect", ""):
        w.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    body = await read_body(r, headers)
    target = line[1].decode()
    if line[0] != b"POST" or target.split("?")[0] not in KINDS:
        w.write(aside(line[0], target.split("?")[0], body))
        return True
    rng, status, kind, parts, holds = plan(target, headers, body)
    packed = "gzip" in headers.get("accept-encoding", "") and rng.random() < 0.3
    sent, keep = await answer(w, rng, status, kind, parts, packed, headers)
    LOG.write(json.dumps({**holds, "http": status, "request": hashlib.sha256(body).hexdigest(), "request_bytes": len(body),
                          "response": hashlib.sha256(sent).hexdigest(), "gzip": packed}) + "\n")
    return keep


async def serve(r, w):
    try:
        while await one(r, w):
            pass
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        w.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(300)

asyncio.run(main())
