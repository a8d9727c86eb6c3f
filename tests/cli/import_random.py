"""Random workload files: what tokconvert makes of them against a plain reading of the rows.

usage: import_random.py SEED CASES.  Times are drawn as integers and written as text, so that
the reference never parses what the importer has to parse.
"""
import json
import random
import subprocess
import sys
from fractions import Fraction

EPOCH = 1_700_000_000


def civil(seconds):
    """Date of a day number by walking the calendar: nothing shared with the importer's formula."""
    days, rest = divmod(seconds, 86400)
    year = 1970
    while True:
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        if days < 365 + leap:
            break
        days -= 365 + leap
        year += 1
    for month, n in enumerate((31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), 1):
        if days < n:
            break
        days -= n
    return f"{year:04}-{month:02}-{days + 1:02}", f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"


def stamp(rng, ns):
    """One of the ways to write a wall-clock time that is a multiple of 100 ns."""
    east = rng.choice((None, 0, 0, 120, -330, 845))
    seconds, fraction = divmod(ns, 10**9)
    day, clock = civil(seconds + (east or 0) * 60)
    digits = f"{fraction:09}"[:7]
    if fraction == 0 and rng.random() < .5:
        digits = ""
    elif rng.random() < .3:
        digits = digits.rstrip("0")
    zone = "" if east is None else rng.choice(("Z", "+00:00")) if east == 0 else \
        f"{'-' if east < 0 else '+'}{abs(east) // 60:02}:{abs(east) % 60:02}"
    return f"{day}{rng.choice(' T')}{clock}{'.' + digits if digits else ''}{zone}"


def azure(rng, rows):
    names = ["TIMESTAMP", "ContextTokens", "GeneratedTokens", "more"]
    rng.shuffle(names)
    end = rng.choice(("\n", "\r\n"))
    lines = [",".join(names)]
    for r in rows:
        cells = {"TIMESTAMP": stamp(rng, r["ns"]), "ContextTokens": str(r["input"]),
                 "GeneratedTokens": str(r["output"]), "more": rng.choice(("", "x", "1.5"))}
        lines.append(",".join(cells[n] for n in names))
        if rng.random() < .05:
            lines.append("")
    text = end.join(lines) + rng.choice(("", end, end + end))
    return rng.choice(("", "\ufeff")) + text


def mooncake(rng, rows):
    lines = []
    for r in rows:
        ms = Fraction(r["ns"], 10**6)
        text = str(ms.numerator) if ms.denominator == 1 else f"{r['ns'] // 10**6}.{r['ns'] % 10**6:06}"
        row = [f'"timestamp":{text}', f'"input_length": {r["input"]}', f'"output_length":{r["output"]}']
        if r["blocks"]:
            row.append(f'"hash_ids":{json.dumps(r["blocks"])}')
        rng.shuffle(row)
        lines.append("{" + ", ".join(row) + "}")
    return "\n".join(lines) + rng.choice(("", "\n", "\n\n"))


def draw(rng, n, with_blocks):
    rows, ns = [], (EPOCH + rng.randrange(10**9)) * 10**9
    for _ in range(n):
        ns += rng.choice((0, 100, 10**6, 997 * 10**6, -5 * 10**6, rng.randrange(10**11) * 100))
        length = rng.choice((1, 511, 512, 513, rng.randrange(1, 200000)))
        rows.append({"ns": ns, "input": length, "output": rng.randrange(1, 3000), "blocks": []})
        if with_blocks:
            k = min(-(-length // 512), 40)
            rows[-1]["blocks"] = [rng.randrange(4) * 2**62 + rng.randrange(3) for _ in range(k)]
    return rows


def percentile(v, p, method):
    v = sorted(v)
    if method == "nearest":
        return v[max(1, -(-p * len(v) // 100)) - 1]
    rank = Fraction(p * (len(v) - 1), 100)
    low = int(rank)
    high = min(low + 1, len(v) - 1)
    return float(v[low] + (v[high] - v[low]) * (rank - low))


def hits(rows):
    seen, blocks, tokens = set(), 0, 0
    for r in rows:
        n = 0
        while n < len(r["blocks"]) and r["blocks"][n] in seen:
            n += 1
        seen.update(r["blocks"])
        blocks += n
        tokens += min(n * 512, r["input"])
    return {"block_tokens": 512, "blocks": sum(len(r["blocks"]) for r in rows), "distinct": len(seen),
            "hit_blocks": blocks, "hit_tokens": tokens}


def run(*args):
    return subprocess.run(["tokconvert", *args], check=True, capture_output=True).stdout


def close(a, b):
    return a is not None and abs(a - b) <= 1e-12 * max(1, abs(b))


def check(rows, form):
    run("import", "--from", form, "-q", "in", "-o", "out.tok")
    rows = sorted(rows, key=lambda r: r["ns"])  # stable: file order within a time
    got = [r for r in map(json.loads, run("dump", "out.tok").splitlines()) if r["kind"] == "request"]
    t0 = rows[0]["ns"]
    assert len(got) == len(rows), (len(got), len(rows))
    for i, (g, r) in enumerate(zip(got, rows)):
        want = (i, r["ns"] - t0, r["input"], r["output"], r["blocks"])
        assert (g["id"], g["scheduled_ns"], g["input_tokens"], g["output_tokens"], g.get("blocks", [])) == want, (g, want)
    edges = sorted(random.Random(len(rows)).sample(range(1, 2000), 3))
    for method in ("linear", "nearest"):
        s = json.loads(run("stat", "--format", "json", "--percentile-method", method,
                           "--layers", ",".join(map(str, edges)), "out.tok"))
        assert close(s["duration_ms"], (rows[-1]["ns"] - t0) / 1e6), s["duration_ms"]
        assert s["distinct_arrivals"] == len({r["ns"] for r in rows})
        assert s["prefix"] == (hits(rows) if any(r["blocks"] for r in rows) else None), (s["prefix"], hits(rows))
        bounds = [-1] + edges + [10**18]
        assert list(s["layers"]) == [f"[0,{edges[0]}]", f"({edges[0]},{edges[1]}]", f"({edges[1]},{edges[2]}]",
                                     f"({edges[2]},inf)"]
        parts = [(s, rows)] + [(layer, [r for r in rows if lo < r["input"] <= hi])
                               for layer, lo, hi in zip(s["layers"].values(), bounds, bounds[1:])]
        for part, of in parts:
            assert part["requests"] == len(of)
            for key, name in (("input_tokens", "input"), ("output_tokens", "output")):
                v = [r[name] for r in of]
                assert part[key]["n"] == len(v)
                if not v:
                    assert part[key]["p50"] is None and part[key]["sum"] is None
                    continue
                assert (part[key]["min"], part[key]["max"], part[key]["sum"]) == (min(v), max(v), sum(v))
                assert close(part[key]["mean"], sum(v) / len(v))
                for p in (50, 90, 95, 99):
                    assert close(part[key][f"p{p}"], percentile(v, p, method)), (p, method, part[key])


def main(seed, cases):
    for i in range(cases):
        rng = random.Random(seed * 1000 + i)
        form = ("azure", "mooncake")[i % 2]
        rows = draw(rng, rng.choice((1, 2, 3, 10, 100)), form == "mooncake" and rng.random() < .7)
        open("in", "w", encoding="utf-8", newline="").write((azure if form == "azure" else mooncake)(rng, rows))
        try:
            check(rows, form)
        except Exception:
            print(f"seed {seed}, case {i} ({form}); the file is 'in'")
            raise
    print(f"{cases} files agree")


main(int(sys.argv[1]), int(sys.argv[2]))
