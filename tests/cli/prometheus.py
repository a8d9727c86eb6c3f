# A strict reader of Prometheus' text exposition format 0.0.4: every line must be one of its
# forms, every sample must follow HELP and TYPE of its family, families must be in one piece,
# histograms must rise to +Inf and agree with their count.
import re
import sys

NAME = r'[a-zA-Z_:][a-zA-Z0-9_:]*'
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*"'
SAMPLE = re.compile(r'(%s)(?:\{(%s(?:,%s)*)?\})? (-?[0-9.]+(?:e[-+]?[0-9]+)?|\+Inf|NaN)$' % (NAME, LABEL, LABEL))


def fail(n, line, why):
    sys.exit('line %d: %s: %s' % (n, why, line))


text = open(sys.argv[1], newline='').read()
if not text.endswith('\n') or '\r' in text:
    sys.exit('must end with a line feed, and have no carriage return')
types, helped, closed, family, seen, buckets, values = {}, set(), set(), None, set(), {}, {}
for n, line in enumerate(text.split('\n')[:-1], 1):
    m = re.fullmatch(r'# (HELP|TYPE) (%s) (.+)' % NAME, line)
    if m:
        kind, name, rest = m.groups()
        if name != family:
            closed.add(family)
            family = name
        if name in closed:
            fail(n, line, 'family in two pieces')
        if kind == 'HELP':
            if name in helped:
                fail(n, line, 'second HELP')
            helped.add(name)
        else:
            if name in types or rest not in ('counter', 'gauge', 'histogram'):
                fail(n, line, 'TYPE')
            if (rest == 'counter') != name.endswith('_total'):
                fail(n, line, 'a counter, and nothing else, ends in _total')
            types[name] = rest
        continue
    m = SAMPLE.fullmatch(line)
    if not m:
        fail(n, line, 'no sample')
    name, labels, value = m.groups()
    base = re.sub(r'_(bucket|sum|count)$', '', name) if types.get(family) == 'histogram' else name
    if base != family or family not in types or family not in helped:
        fail(n, line, 'outside of its family')
    if (name, labels) in seen:
        fail(n, line, 'twice')
    seen.add((name, labels))
    values[name] = float(value)
    if types[family] == 'counter' and float(value) < 0:
        fail(n, line, 'negative counter')
    if name.endswith('_bucket') and base != name:
        le = float(re.search(r'le="([^"]+)"', labels).group(1))
        rows = buckets.setdefault(base, [])
        if rows and (le <= rows[-1][0] or float(value) < rows[-1][1]):
            fail(n, line, 'buckets must rise')
        rows.append((le, float(value)))
for base, rows in buckets.items():
    if rows[-1] != (float('inf'), values[base + '_count']) or base + '_sum' not in values:
        sys.exit(base + ': +Inf, _count and _sum must be there and agree')
for name in types:
    if not name.startswith(('toktrace_', 'process_')):
        sys.exit(name + ': no prefix')
