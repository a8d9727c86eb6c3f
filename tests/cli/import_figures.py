"""Compares `tokconvert stat` of a file with figures: FILE FIGURES.json NAME-IN-IT."""
import json
import subprocess
import sys

LAYERS = {"<= 1024": "[0,1024]", "> 24576": "(24576,inf)"}
PREFIX = {"blocks": "blocks_total", "distinct": "blocks_unique",
          "hit_blocks": "prefix_hit_blocks", "hit_tokens": "prefix_hit_tokens"}
failed = compared = 0


def equal(what, got, want):
    global failed, compared
    compared += 1
    if got is None or want is None:
        same = got is want
    else:
        same = abs(got - want) <= 1e-12 * max(1, abs(want))
    if not same:
        failed += 1
        print(f"{what}: got {got}, want {want}")


def series(what, got, want, suffix):
    if want is None:
        equal(what + " n", got["n"], 0)
        return
    for key in ("n", "min", "max", "sum", "mean"):
        equal(f"{what} {key}", got[key], want[key])
    for p in (50, 90, 95, 99):
        equal(f"{what} p{p}", got[f"p{p}"], want[f"p{p}_{suffix}"])


def compare(got, want, suffix):
    equal("requests", got["requests"], want["rows"])
    equal("responses", got["responses"], 0)
    series("input", got["input_tokens"], want["input"], suffix)
    series("output", got["output_tokens"], want["output"], suffix)
    if "duration_ns" in want:
        equal("duration", got["duration_ms"], want["duration_ns"] / 1e6)
    else:
        equal("duration", got["duration_ms"], want["duration_ms"])
        equal("arrivals", got["distinct_arrivals"], want["distinct_timestamps"])
    for ours, theirs in PREFIX.items():
        if theirs in want:
            equal(ours, got["prefix"][ours], want[theirs])
    if "blocks_total" not in want:
        equal("prefix", got["prefix"], None)
    equal("layers", len(got["layers"]), len(want["layers"]))
    for name, layer in want["layers"].items():
        ours = got["layers"][LAYERS.get(name, name)]
        equal(f"{name} requests", ours["requests"], layer["n"])
        series(f"{name} input", ours["input_tokens"], layer["input"], suffix)
        series(f"{name} output", ours["output_tokens"], layer["output"], suffix)


def arrivals(trace, want):
    dump = subprocess.run(["tokconvert", "dump", trace], check=True, capture_output=True).stdout
    times = [r["scheduled_ns"] for r in map(json.loads, dump.splitlines()) if r["kind"] == "request"]
    for i, ns in enumerate(want.get("first_offsets_ns", [])):
        equal(f"arrival {i}", times[i], ns)
    if "inter_arrival_ns" in want:
        gaps = [b - a for a, b in zip(times, times[1:])]
        equal("gaps", len(gaps), want["inter_arrival_ns"]["n"])
        equal("least gap", min(gaps), want["inter_arrival_ns"]["min"])
        equal("greatest gap", max(gaps), want["inter_arrival_ns"]["max"])
        equal("sum of gaps", sum(gaps), want["inter_arrival_ns"]["sum"])


def main(source, figures, name):
    want = json.load(open(figures))[name]
    subprocess.run(["tokconvert", "import", "-q", source, "-o", "figures.tok"], check=True)
    for method, suffix in (("linear", "li"), ("nearest", "nr")):
        out = subprocess.run(["tokconvert", "stat", "--layers", "1k,8k,24k", "--format", "json",
                              "--percentile-method", method, "figures.tok"],
                             check=True, capture_output=True).stdout
        got = json.loads(out)
        equal("method", got["percentile_method"] == method, True)
        compare(got, want, suffix)
    arrivals("figures.tok", want)
    print(f"{compared} figures compared, {failed} differ")
    return 1 if failed or compared < 100 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
