"""
Learning read straight off its pages, given the concentration and the fields.

It gives the parts of a flow's file that are counted from the walks, and shares no code
with `stretto.learn` or `stretto.habit`.
"""

import math
from collections import defaultdict
from itertools import pairwise

from stretto.episodes.tasks import task_group
from tests.flow.literal import (
    START,
    action,
    fields_of,
    history,
    steps,
    surprises,
)

ORDER = 2


def chosen(episodes):
    """The sessions that teach: the successful, and those that nobody graded."""
    return [
        e for e in episodes if e.events and (e.reward is None or e.reward >= 1 - 1e-9)
    ]


def learn(episodes, manifest, fields, alpha, *, half_life=None):
    """`vocab`, `map`, `group`, `habit`, `sites` and `reach`, as the file has them."""
    taught = chosen(episodes)
    kinds = {tool: str(kind) for tool, kind in manifest.tools.items()}
    reads = sorted(tool for tool, kind in kinds.items() if kind == "read")
    called = {tool for e in episodes for tool, _, _ in steps(e.events)} - {None}
    flow = {
        "vocab": ["Respond", *({"Tool": t} for t in sorted(called | set(kinds)))],
        "manifest": {"tools": kinds},
        "map": {"fields": fields, "ids": _ids(taught, fields)},
        "group": 1,
        "sites": {"reads": reads, "next": _next(taught, reads), "feeds": {}},
    }
    ages = range(len(taught) - 1, -1, -1)
    weights = [1.0 if half_life is None else 0.5 ** (age / half_life) for age in ages]
    return flow | _counted(flow, taught, weights, alpha)


def _ids(taught, fields):
    ids = []
    for tool in sorted(fields):
        results = [r for e in taught for t, _, r in steps(e.events) if t == tool]
        found = [fields_of(fields, tool, result) for result in results]
        seen = sorted({tuple(values) for values in found if values is not None})[:63]
        ids += [[[tool, list(values)], i] for i, values in enumerate(seen, start=1)]
    return ids


def _next(taught, reads):
    counts = defaultdict(lambda: defaultdict(int))
    for episode in taught:
        walk = steps(episode.events)
        for (tool, outcome, _), (after, _, _) in pairwise(walk):
            if tool is not None and after in reads:
                counts[tool, outcome == 1][after] += 1
    return [[list(site), dict(sorted(n.items()))] for site, n in sorted(counts.items())]


def _counted(flow, taught, weights, alpha):
    size = len(flow["vocab"]) + 1
    writes = {t for t, kind in flow["manifest"]["tools"].items() if kind == "write"}
    next_, reached = ([{} for _ in range(ORDER + 1)] for _ in range(2))
    for episode, weight in zip(taught, weights, strict=True):
        tools = [tool for tool, _, _ in steps(episode.events)]
        symbols = history(flow, episode.events)
        for t, tool in enumerate(tools):
            _observe(next_, symbols[:t], {action(flow, tool)}, weight)
            _observe(
                reached, symbols[:t], _until_write(flow, tools[t:], writes), weight
            )

    def base(levels):
        return {
            "order": ORDER,
            "alpha": alpha,
            "vocab_size": size,
            "levels": [_pairs(level) for level in levels],
        }

    top = [[[1, context], counts] for context, counts in _pairs(next_[ORDER])]
    habit = {"base": base(next_), "beta": alpha, "top": top}
    return {"habit": habit, "reach": base(reached)}


def _until_write(flow, tools, writes):
    ahead = set()
    for tool in tools:
        if tool in writes:
            break
        ahead.add(action(flow, tool))
    return ahead


def _observe(levels, symbols, actions, weight):
    for length, level in enumerate(levels):
        padded = [START] * length + symbols
        context = tuple(padded[len(padded) - length :])
        by_action, total = level.setdefault(context, [{}, [0.0]])
        total[0] += weight
        for a in actions:
            by_action[a] = by_action.get(a, 0.0) + weight


def _pairs(level):
    return [
        [
            list(context),
            {"by_action": [list(n) for n in sorted(counts.items())], "total": total},
        ]
        for context, (counts, [total]) in sorted(level.items())
    ]


def gate(flow, episodes, alpha, quantile, window):
    """The surprise gate's threshold; None where no session has a whole window."""
    taught, peaks = chosen(episodes), []
    for fold in range(5):
        rest = [e for e in taught if task_group(e.task_or_id) % 5 != fold]
        held = flow | _counted(flow, rest, [1.0] * len(rest), alpha)
        for episode in taught:
            if task_group(episode.task_or_id) % 5 == fold:
                scores = surprises(held, episode.events)
                means = [
                    sum(scores[i : i + window]) / window
                    for i in range(len(scores) - window + 1)
                ]
                peaks += [max(means)] if means else []
    rank = min(max(math.ceil(quantile * len(peaks)), 1), len(peaks))
    return sorted(peaks)[rank - 1] if peaks else None
