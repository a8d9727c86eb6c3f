"""Mixed exchanges through tokrecord, and what the trace says of them.

  record_mixed.py send PORT N OUT    N exchanges of all protocols; a JSON line each with digests
  record_mixed.py compare SERVER TRACE.dump TRACE.jsonl [CLIENT...]
"""
import hashlib
import http.client
import json
import random
import re
import sys
from concurrent.futures import ThreadPoolExecutor

IMAGE = "data:image/png;base64," + "iVBORw0KGgo" * 280000


def body_of(i, rng):
    path = rng.choice(["/v1/chat/completions", "/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages",
                       "/api/chat", "/api/generate"])
    text = "exchange %d \u00e9 \U0001f98a" % i
    stream = rng.random() < 0.7
    image = i % 50 == 7
    b = {"model": "mix", "stream": stream}
    if path == "/v1/completions" or path == "/api/generate":
        b["prompt"] = text
    elif path == "/v1/responses":
        b["input"] = text
    else:
        b["messages"] = [{"role": "user", "content": text}]
        if image and path.startswith("/v1/chat"):
            b["messages"][0]["content"] = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": IMAGE}}]
    if path == "/v1/messages":
        b["max_tokens"] = 100
    if "messages" in b and rng.random() < 0.2:
        b["tools"] = [{"type": "function", "function": {"name": "look", "parameters": {}}}]
    return path, json.dumps(b, indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5).encode()


def chunks(rng, data):
    at = 0
    while at < len(data):
        n = rng.randint(1, 200000)
        yield data[at:at + n]
        at += n


def exchange(args):
    port, i = args
    rng = random.Random(i)
    path, body = body_of(i, rng)
    headers = {"Content-Type": "application/json"}
    if rng.random() < 0.3:
        headers["Accept-Encoding"] = "gzip"
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    if rng.random() < 0.2:
        c.request("POST", path, chunks(rng, body), headers, encode_chunked=True)
    else:
        c.request("POST", path, body, headers)
    r = c.getresponse()
    got = r.read()
    c.close()
    return {"request": hashlib.sha256(body).hexdigest(), "response": hashlib.sha256(got).hexdigest(), "http": r.status}


def send(port, n, out):
    with ThreadPoolExecutor(16) as pool, open(out, "w") as f:
        for line in pool.map(exchange, [(int(port), i) for i in range(int(n))]):
            f.write(json.dumps(line) + "\n")


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(x) for x in f]


def token_text(response):
    """The text of the events in their order, by class."""
    out = {"content": "", "reasoning": ""}
    for e in response:
        if e["class"] in out:
            out[e["class"]] += e["text"]
    return out


def client_text(s, c, want):
    """What a package gave its user: the text, or the arguments of the call that was asked for."""
    if not s:
        want(False, "no such exchange", c["key"])
    elif s["status"] == "error":
        # ollama's and anthropic's packages throw; openai's gives what came before.
        want(c["failed"] or c["text"] in s["text"], "a failure at the client", c["key"])
    else:
        want(not c["failed"] and c["text"] == (s["call"][0] if s["call"] else s["text"]), "text at the client", c["key"])


def compare(server, dump, jsonl, *clients):
    truth = {s["request"]: s for s in lines(server)}
    bad, requests, events = [], {}, {}
    for r in lines(dump):
        if r["kind"] == "request":
            requests[r["id"]] = r
        elif r["kind"] == "response":
            events.setdefault(r["id"], []).extend(r.get("events") or [])
    said = {r["id"]: r for r in lines(jsonl)}

    def want(ok, what, i):
        if not ok:
            bad.append("%s: exchange %s" % (what, i))
    want(len(truth) == len(requests), "the server saw %d exchanges, the trace has %d" % (len(truth), len(requests)), "-")
    for i, q in requests.items():
        s, a = truth.get(q["body_digest"]), said[i]
        if not s:
            bad.append("no such body at the server: exchange %d" % i)
            continue
        want(hashlib.sha256(q["body"].encode()).hexdigest() == s["request"], "body bytes", i)
        want(q["body_len"] == s["request_bytes"], "body length", i)
        want(q["api"] == s["api"] and q["stream"] == s["streamed"], "protocol", i)
        want(a["status"] == s["status"] and a["http_status"] == s["http"], "status %s for %s" % (a["status"], s["status"]), i)
        want((a["text"] or "") == s["text"], "text", i)
        want((a["reasoning"] or "") == s["thinking"], "thinking", i)
        want(token_text(events[i]) == {"content": s["text"], "reasoning": s["thinking"]}, "order of the events", i)
        if s["status"] == "ok":
            want((a["input_tokens"], a["output_tokens"]) == tuple(s["usage"]), "usage", i)
            calls = [(c["name"], json.loads(c["arguments"])) for c in a["tool_calls"]]
            want(calls == ([("look", json.loads(s["call"][0]))] if s["call"] else []), "tool call %s" % calls, i)
    by_key = {}
    for i, q in requests.items():
        for c in re.findall(r"(?:mixed) \d+ ", q["body"]):
            by_key[c] = truth.get(q["body_digest"])
    for path in clients:
        for c in lines(path):
            if "key" in c:
                client_text(by_key.get(c["key"][:-1].rstrip("\U0001f98a")), c, want)
                continue
            s = truth.get(c["request"])
            want(s and c["response"] in (None, s["response"]) and s["http"] == c["http"], "bytes at the client", c["request"][:8])
    print("%d exchanges, %d of them streamed, %d compressed, %d failed as they should" % (
        len(requests), sum(s["streamed"] for s in truth.values()), sum(s["gzip"] for s in truth.values()),
        sum(s["status"] == "error" for s in truth.values())))
    print("\n".join(bad[:20]))
    return 1 if bad or not requests else 0


sys.exit(send(*sys.argv[2:]) if sys.argv[1] == "send" else compare(*sys.argv[2:]))
