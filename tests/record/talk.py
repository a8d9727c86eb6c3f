"""Conversations in rounds: talk.py URL SESSIONS TURNS [WORDS].  All share a system prompt; the
answers that come back go into the next question.  Prints prompt and cached tokens."""
import json
import random
import sys
import urllib.request

url, sessions, turns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
words = int(sys.argv[4]) if len(sys.argv) > 4 else 400
lexicon = [w for w in """pump hall rack valve filter meter alarm night lamp dust pipe spring field wind
 screen water heat school winter margin roof page flow number chart table sensor loop plan
 reason change person date tank morning evening contract supply weather cooler operator""".split()]


def text(seed, n):
    g = random.Random(seed)
    return " ".join(g.choice(lexicon) for _ in range(n)) + "."


def ask(messages):
    body = {"model": "m", "stream": True, "max_tokens": 40, "stream_options": {"include_usage": True},
            "messages": messages}
    request = urllib.request.Request(url + "/v1/chat/completions", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    answer, usage = "", {}
    with urllib.request.urlopen(request, timeout=60) as r:
        for line in r:
            if not line.startswith(b"data: {"):
                continue
            chunk = json.loads(line[6:])
            usage = chunk.get("usage") or usage
            for c in chunk["choices"]:
                answer += c["delta"].get("content") or ""
    return answer, usage


talks = [[{"role": "system", "content": text("system", 2 * words)}] for _ in range(sessions)]
prompt = cached = 0
for turn in range(turns):
    for i, talk in enumerate(talks):
        talk.append({"role": "user", "content": text(f"{i} {turn}", words)})
        answer, usage = ask(talk)
        talk.append({"role": "assistant", "content": answer})
        prompt += usage["prompt_tokens"]
        cached += (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
print(prompt, cached)
