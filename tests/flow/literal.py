"""
Deciding read straight off its page.

A flow is its file's JSON here, and every prefix is walked again from its start: slow,
nothing kept from one step to the next, and no code shared with `stretto.flow` or
`stretto.habit`, which are held equal to it.
"""

import json
import math
from itertools import pairwise

from stretto.canonical import text
from stretto.episodes.episode import AssistantTurn, ToolResult, UserMessage
from tests.binding import literal as binding

START = 4294967295
FLOOR = 1e-6


# The walk.


def steps(events):
    """Triples of a tool (None for a message), an outcome and a result (or None)."""
    walk, waiting = [], None
    for event in events:
        if isinstance(event, UserMessage):
            if waiting is not None:
                walk[waiting] = (None, 2, None)
            waiting = None
        elif isinstance(event, AssistantTurn) and not event.calls:
            waiting = len(walk)
            walk.append((None, 3, None))
        elif isinstance(event, AssistantTurn):
            waiting = None
            for call in event.calls:
                result = result_of(events, call)
                ok = result is not None and not result.error
                walk.append((call.tool, 0 if ok else 1, result))
    return walk


def result_of(events, call):
    for event in events:
        if isinstance(event, ToolResult) and event.call_id == call.id:
            return event
    return None


def site_of(events):
    walk = steps(events)
    if not walk or walk[-1][0] is None:
        return None
    return walk[-1][0], walk[-1][1] == 1


def named(site):
    return f"{site[0]} (error)" if site[1] else site[0]


def refuse(constant):
    raise ValueError(constant)


def feature(flow, tool, result):
    combination = fields_of(flow["map"]["fields"], tool, result)
    for numbered, id_ in flow["map"]["ids"]:
        if numbered == [tool, combination]:
            return id_
    return 0


def fields_of(fields, tool, result):
    """The values of a result's fields; None where there are none."""
    if result is None or tool not in fields:
        return None
    try:
        output = json.loads(result.content, parse_constant=refuse)
    except (ValueError, RecursionError):
        return None
    return [
        _value(kind, path, output) for f in fields[tool] for kind, path in f.items()
    ]


def _value(kind, path, output):
    for part in path.split(".") if path else []:
        output = output.get(part) if isinstance(output, dict) else None
    if kind == "Len":
        if not isinstance(output, list):
            return "∅"
        return "2+" if len(output) > 1 else str(len(output))
    if output is None or isinstance(output, dict | list):
        return "∅"
    return binding.text(output)


def action(flow, tool):
    if tool is None:
        return 0
    names = [entry["Tool"] for entry in flow["vocab"][1:]]
    return names.index(tool) + 1 if tool in names else len(names) + 1


def history(flow, events):
    return [
        (action(flow, tool) * 4 + outcome) * 4096
        + min(feature(flow, tool, result), 4095)
        for tool, outcome, result in steps(events)
    ]


# Probabilities.


def _last(symbols, length):
    padded = [START] * length + symbols
    return padded[len(padded) - length :]


def _mixed(entries, context, tool_id, weight, p):
    for found, counts in entries:
        if found == context:
            n = dict(map(tuple, counts["by_action"])).get(tool_id, 0.0)
            return (n + weight * p) / (counts["total"] + weight)
    return p


def backed_off(base, symbols, tool_id):
    p = 1 / base["vocab_size"]
    for length, level in enumerate(base["levels"]):
        p = _mixed(level, _last(symbols, length), tool_id, base["alpha"], p)
    return p


def habitual(flow, symbols, tool_id):
    habit = flow["habit"]
    p = backed_off(habit["base"], symbols, tool_id)
    context = [flow["group"], _last(symbols, habit["base"]["order"])]
    return _mixed(habit["top"], context, tool_id, habit["beta"], p)


def options_at(flow, site):
    if flow["sites"].get("every_read"):
        return sorted(t for t, k in flow["manifest"]["tools"].items() if k == "read")
    for key, counts in flow["sites"]["next"]:
        if key == list(site):
            return sorted(counts)
    return []


def weighed(flow, events, options, decider):
    """Each option's probability, `respond` included."""
    symbols = history(flow, events)
    ids = {tool: action(flow, tool) for tool in options}
    if decider == "reach":
        found = {t: backed_off(flow["reach"], symbols, i) for t, i in ids.items()}
        return found | {"respond": 0.0}
    found = {t: habitual(flow, symbols, i) for t, i in ids.items()}
    return found | {"respond": max(0.0, 1 - sum(found.values()))}


# Bindings, as the flow's file holds them.


def learned(flow):
    held, kept = flow["bindings"], binding.Learned()
    kept.args = {t: (calls, args) for t, (calls, args) in held["args"].items()}
    for name in ("sources", "lists"):
        counted = {
            (tool, arg): {
                "values": counts["values"],
                "found": {tuple(source): n for source, n in counts["found"]},
            }
            for (tool, arg), counts in held.get(name, [])
        }
        setattr(kept, name, counted)
    for entry in held.get("site_sources", []):
        key = entry["tool"], entry["arg"], entry["site"], tuple(entry["source"])
        kept.by_site[key] = entry["values"]
    kept.constants = {tuple(key): value for key, value in held.get("constants", [])}
    return kept


def bind(flow, tool, events, pending):
    """The arguments and their chance, or why there are none."""
    held = flow["bindings"]
    if tool not in held["args"]:
        docs = flow["manifest"]["docs"].get(tool, {"args": {}})
        found = binding.by_name(list(docs["args"]), tool, events, pending)
        if found is None:
            return "nothing to bind by name"
        return found[0], 0.5 if found[0] else 1.0
    found = binding.pick(learned(flow), tool, events, pending)
    if isinstance(found, str):
        return found
    if (
        found[0]
        and all_constant(held, tool)
        and is_made(tool, found[0], events, pending)
    ):
        return "already looked up"
    return found[0], chance(held, tool, *found)


def all_constant(held, tool):
    """Whether every required argument of a lookup is a constant."""
    calls, passed = held["args"][tool]
    constants = {tuple(key) for key, _ in held.get("constants", [])}
    required = [a for a, n in passed.items() if 10 * n >= 9 * calls]
    return all((tool, a) in constants for a in required)


def is_made(tool, arguments, events, pending):
    """Whether calls of the tool have passed all of these values before."""
    calls = [c for e in events if isinstance(e, AssistantTurn) for c in e.calls]
    calls = [c for c in (*calls, *pending) if c.tool == tool]
    passed = [
        (a, text(v)) for c in calls if isinstance(c.arguments, dict)
        for a, v in c.arguments.items()
    ]  # fmt: skip
    return bool(calls) and all((a, text(v)) in passed for a, v in arguments.items())


def chance(held, tool, arguments, mention):
    if not arguments:
        bare = held.get("bare", {}).get(tool)
        return 1.0 if bare is None else (bare + 1) / (held["args"][tool][0] + 2)
    (a0, n0), (a1, n1) = held["agreed"].get(tool, [[0, 0], [0, 0]])
    unmentioned = (a0 + 1) / (n0 + 2)
    if mention == "picked":
        return (a1 + 1) / (n1 + 2)
    counts = {"other": "named_other", "described": "described_read"}.get(mention)
    if counts is None or tool not in held.get(counts, {}):
        return unmentioned
    used, picks = held[counts][tool]
    return (used + 2 * unmentioned) / (picks + 2)


# Deciding.


def offered(flow, events, *, gated=True):
    """The site's options, or the code of the hand-back in their place."""
    site = site_of(events)
    if site is None:
        return "not_after_call"
    promoted = flow.get("promoted")
    if promoted is not None:
        record = promoted["sites"].get(named(site))
        if record is None or not record["promoted"]:
            return "not_promoted"
    if flow.get("thresholds", {}).get(named(site), 0) > 1:
        return "switched_off"
    options = options_at(flow, site)
    if not options:
        return "no_options"
    if gated and "surprise" in flow and _tripped(flow, events):
        return "surprised"
    return options


def decide(flow, events, pending, decider, threshold, *, passed=None):
    """
    The probabilities, and `(tool, arguments, p, chance)` or `(code, text)`.

    `passed` is the events once more where they show each call after what its sender
    had seen when it was passed.
    """
    options = offered(flow, events)
    if isinstance(options, str):
        return {}, (options, None)
    site = site_of(events)
    threshold = flow.get("thresholds", {}).get(named(site), threshold)
    probs = weighed(flow, events, options, decider)
    server = site[0].split("::")[0] if "::" in site[0] else None
    lookups = [
        (tool, probs[tool])
        for tool in options
        if server is None or tool.startswith(f"{server}::")
    ]
    rule = _by_reach if decider == "reach" else _by_habit

    def bound(tool):
        return bind(flow, tool, events if passed is None else passed, pending)

    return probs, rule(lookups, bound, threshold)


def _by_habit(lookups, bound, threshold):
    if not any(p > 0 for _, p in lookups):
        return "none", None
    tool, p = max(lookups, key=lambda lookup: lookup[1])
    if p < threshold:
        return "below", f"{tool} at {p:.2f}, below {_shortest(threshold)}"
    found = bound(tool)
    if isinstance(found, str):
        return "unbound", f"{tool}: "
    if p * found[1] < threshold:
        return "below_bound", _below_bound(tool, p, found[1], threshold)
    return tool, found[0], p, found[1]


def _by_reach(lookups, bound, threshold):
    if not any(p > 0 for _, p in lookups):
        return "none", None
    best, unbindable = None, None
    for tool, p in lookups:
        if p < threshold:
            continue
        found = bound(tool)
        if isinstance(found, str):
            unbindable = tool
        elif best is None or p * found[1] > best[2] * best[3]:
            best = tool, found[0], p, found[1]
    if best is not None and best[2] * best[3] >= threshold:
        return best
    if best is not None:
        return "below_bound", _below_bound(best[0], *best[2:], threshold)
    if unbindable is not None:
        return "unbound", f"{unbindable}: "
    tool, p = max(lookups, key=lambda lookup: lookup[1])
    return "below", f"{tool} at {p:.2f}, below {_shortest(threshold)}"


def _below_bound(tool, p, chance, threshold):
    arguments = f"times {chance:.2f} for its arguments"
    return f"{tool} at {p:.2f}, {arguments}, below {_shortest(threshold)}"


def _shortest(number):
    return str(int(number)) if number == int(number) else repr(number)


# The surprise gate.


def points(events):
    """Each decision point's prefix, and the event after it."""
    for i, (event, after) in enumerate(pairwise(events)):
        if isinstance(event, ToolResult) and not isinstance(after, ToolResult):
            yield events[: i + 1], after


def first_call(event):
    """The first call's tool; None where there is none."""
    calls = event.calls if isinstance(event, AssistantTurn) else ()
    return calls[0].tool if calls else None


def surprises(flow, events):
    scores = []
    for prefix, after in points(events):
        calls = after.calls if isinstance(after, AssistantTurn) else ()
        if calls and calls[0].id.split("::")[-1].startswith("stretto-"):
            continue
        site = site_of(prefix)
        options = [] if site is None else options_at(flow, site)
        probs = weighed(flow, prefix, options, "habit")
        step = first_call(after)
        p = probs[step if step in options else "respond"]
        scores.append(-math.log(max(p, FLOOR)))
    return scores


def _tripped(flow, events):
    scores, window = surprises(flow, events), flow["surprise"]["window"]
    return any(
        sum(scores[i : i + window]) / window > flow["surprise"]["threshold"]
        for i in range(len(scores) - window + 1)
    )
