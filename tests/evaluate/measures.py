"""
The page of measures, read line by line: slow, and plain to check.

Works on events and on lists of numbers, and shares no code with `stretto.evaluate`.
"""

import json
import math
import re

from stretto.episodes.episode import AssistantTurn, ToolResult, UserMessage
from tests.habit.literal import START, chance, context, fit

ASSENTS = ["go ahead", "proceed", "i confirm", "confirmed", "do it", "please do"]
ASSENTS += ["sounds good"]


# §1. A turn is a list of its calls; a reply is an empty one; a user message is None.


def outline(events):
    return [
        None if isinstance(event, UserMessage) else list(event.calls)
        for event in events
        if not isinstance(event, ToolResult)
    ]


def runs(events):
    """Each run as the list of its turns' numbers."""
    found, turn, open_ = [], -1, False
    for item in outline(events):
        turn += item is not None
        if item:
            if not open_:
                found.append([])
            found[-1].append(turn)
        open_ = bool(item)
    return found


def calls_of(events):
    return [event.calls for event in events if isinstance(event, AssistantTurn)]


def lookup_turns(events, kinds):
    """Later turns of runs that only read: from outputs, from conversation."""
    origins = dict(provenance(events))
    counts = [0, 0]
    turns = calls_of(events)
    for run in runs(events):
        for turn in run[1:]:
            if any(kinds.get(call.tool) != "read" for call in turns[turn]):
                continue
            found = {o for call in turns[turn] for _, _, o in origins[call.id]}
            counts[bool(found & {"user", "generated"})] += 1
    return tuple(counts)


# §2.


def leaves(arguments):
    found = []

    def walk(name, value):
        if isinstance(value, dict):
            for key in sorted(value):
                walk(name, value[key])
        elif isinstance(value, list):
            for item in value:
                walk(name, item)
        elif isinstance(value, str):
            found.append((name, value.strip().lower(), False))
        else:
            is_literal = value is None or value is True or value is False
            found.append((name, json.dumps(value), is_literal))

    if isinstance(arguments, dict):
        for name in sorted(arguments):
            walk(name, arguments[name])
    return found


def provenance(events):
    """Call by call: its id, and (argument, value, origin) of each leaf."""
    user, outputs = "", ""
    for event in events:
        if isinstance(event, UserMessage):
            user += event.text.lower() + "\x00"
        elif isinstance(event, ToolResult):
            outputs += event.content.lower() + "\x00"
        else:
            for call in event.calls:
                rows = []
                for name, value, is_literal in leaves(call.arguments):
                    if is_literal:
                        origin = "literal"
                    elif len(value) < 3:
                        origin = "short"
                    elif value in user:
                        origin = "both" if value in outputs else "user"
                    else:
                        origin = "tool output" if value in outputs else "generated"
                    rows.append((name, value, origin))
                yield call.id, rows


def confirmations(events):
    """Call by call: its id, `yes`, assent."""
    last = ""
    for event in events:
        if isinstance(event, UserMessage):
            last = event.text.lower()
        elif isinstance(event, AssistantTurn):
            for call in event.calls:
                yes = "yes" in re.findall(r"\w+", last)
                yield call.id, yes, yes or any(phrase in last for phrase in ASSENTS)


# §3.


def predictions(train, test, order, alpha, size):
    """Per test episode, per step: actual, its p, the top, the top's p, evidence."""
    levels = fit(train, order)
    for episode in test:
        steps = []
        for t, actual in enumerate(episode.actions):
            history = episode.symbols[:t]
            p = [chance(levels, history, a, alpha, size) for a in range(size)]
            seen = context(history, order)
            evidence = levels[order].total.get(seen, 0.0)
            steps.append((actual, p[actual], p.index(max(p)), max(p), evidence))
        yield steps


def bits(steps):
    return sum(-math.log(p, 2) for _, p, *_ in steps) / len(steps)


def top1(steps):
    return sum(actual == top for actual, _, top, *_ in steps) / len(steps)


def covered(steps, threshold):
    return [s for s in steps if s[4] >= 5 and s[3] >= threshold]


def after_tool(episode):
    """Which steps come after a call."""
    return [
        t > 0 and episode.symbols[t - 1] // 4096 % 4 in (0, 1)
        for t in range(len(episode.actions))
    ]


# §4.


def validated(train, test, alpha, size, fold):
    """By context: decisions, agreed, tasks; in test, steps and agreed."""

    def p_of(levels, history):
        seen = context(history, 2)
        p = [chance(levels, history, a, alpha, size) for a in range(size)]
        if seen in levels[2].total:  # the group's counts, which are the same again
            total = levels[2].total[seen] + alpha
            n = [levels[2].by_action.get((seen, a), 0.0) for a in range(size)]
            p = [(n[a] + alpha * p[a]) / total for a in range(size)]
        return p

    def steps(taught, episodes):
        levels = fit(taught, 2)
        for episode in episodes:
            for t, actual in enumerate(episode.actions):
                p = p_of(levels, episode.symbols[:t])
                agreed = p.index(max(p)) == actual
                yield context(episode.symbols[:t], 2), agreed, episode.task

    found = {}
    for held_out in range(5):
        others = [e for e in train if fold(e.task) != held_out]
        own = [e for e in train if fold(e.task) == held_out]
        for seen, agreed, task in steps(others, own):
            found.setdefault(seen, []).append((agreed, task))
    later = {}
    for seen, agreed, _ in steps(train, test):
        later.setdefault(seen, []).append(agreed)
    rows = {}
    for seen, record in found.items():
        n, yes = len(record), sum(agreed for agreed, _ in record)
        tasks = len({task for _, task in record})
        if n >= 20 and tasks >= 10 and yes / n >= 0.99:
            there = later.get(seen, [])
            rows[seen] = (n, yes, tasks, len(there), sum(there))
    return rows


def is_start(seen):
    return set(seen) == {START}


# §5. Per run of steps s..e, end exclusive.


def project(walk, runs_, design, perfect, gate, reads):
    """
    `walk` holds per step: turn, actual, top, p, evidence, kind, need, and the oracle's
    pick and whether it has the arguments right, each maybe None. Gives per run: kept,
    saved, ceiling, and the numbers of what went wrong.
    """
    for s, e in runs_:
        turns = len({walk[k]["turn"] for k in range(s, e)})
        pauses, odd, handed = 0, 0, 0
        for k in range(s + 1, e):
            step, pause = walk[k], False
            if design == "read only" and step["kind"] != "read":
                handed += 1
                pauses += 1
                continue
            pick = "nobody"
            if gate(step):
                pick = step["top"]
                if design == "read only" and pick not in reads:
                    pick = 0
            elif perfect:
                pick = step["actual"]
            elif step["pick"] is not None:
                pick = step["pick"]
            if pick != step["actual"]:
                pause = True
                odd += pick not in (0, "nobody")
            elif step["need"] == 2:
                pause = True
            elif step["need"] == 1 and not perfect:
                pause = step["right"] is not True
                odd += step["right"] is False
            pauses += pause
        if e < len(walk) and gate(walk[e]):
            goes_on = walk[e]["top"] != 0
            if design == "read only":
                goes_on = walk[e]["top"] in reads
            odd += goes_on
        elif e < len(walk) and not perfect:
            odd += walk[e]["pick"] not in (None, 0)
        kept = min(turns, 1 + pauses)
        yield kept, turns - kept, turns - 1, odd, handed
