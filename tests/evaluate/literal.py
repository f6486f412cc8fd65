"""
Auditing and replaying read straight off their pages.

They ask the literal decisions of `tests.flow.literal`, walk every prefix again from its
start, and share no code with `stretto.evaluate`, which is held equal to them.
"""

import json
import math

from stretto.episodes.episode import AssistantTurn, ToolCall, ToolResult, UserMessage
from tests.flow.literal import (
    FLOOR,
    decide,
    first_call,
    named,
    offered,
    points,
    refuse,
    result_of,
    site_of,
    weighed,
)

PER_CALL, PER_EPISODE, IN_ALL = 8, 40, 60


# The audit.


def audit(flow, episodes, decider):
    episodes = list(episodes)
    scored, skipped = [], {}
    for number, episode in enumerate(episodes):
        for prefix, after in points(episode.events):
            options = offered(flow, prefix, gated=False)
            if isinstance(options, str):
                skipped[options] = skipped.get(options, 0) + 1
                continue
            probs = _audited(weighed(flow, prefix, options, decider), decider)
            step = first_call(after)
            kind = flow["manifest"]["tools"].get(step)
            hand_back = "other" if kind == "read" else "respond"
            actual = step if step in options else hand_back
            scored.append((number, named(site_of(prefix)), probs, actual))
    return _summed(scored) | {
        "episodes": len(episodes),
        "skipped": skipped,
        "surprising": _surprising(scored, episodes),
    }


def _audited(probs, decider):
    rest = max(0.0, 1 - sum(probs.values()))
    probs = probs | {"other": 0.0 if decider == "reach" else rest}
    if decider == "reach":
        probs["respond"] += rest
    floored = {option: max(p, FLOOR) for option, p in sorted(probs.items())}
    return {option: p / sum(floored.values()) for option, p in floored.items()}


def _top(probs):
    return max(probs, key=lambda option: probs[option])


def _summed(scored):
    logs = [math.log(probs[actual]) for _, _, probs, actual in scored]
    offered = [actual != "other" for *_, actual in scored]
    tops = [(probs[_top(probs)], _top(probs) == actual) for *_, probs, actual in scored]
    bins = [_bin([t for t in tops if min(9, int(10 * t[0])) == b]) for b in range(10)]
    n = len(scored)
    return {
        "decisions": n,
        "log_p": sum(logs),
        "agreement": _mean([agreed for _, agreed in tops]),
        "expected_agreement": _mean([probs[actual] for *_, probs, actual in scored]),
        "offered": sum(offered),
        "log_p_offered": sum(
            x for x, inside in zip(logs, offered, strict=True) if inside
        ),
        "log_p_among": sum(
            math.log(probs[actual] / (sum(probs.values()) - probs["other"]))
            for _, _, probs, actual in scored
            if actual != "other"
        ),
        "calibration": bins,
        "ece": sum(count / n * abs(p - a) for count, p, a in bins if count),
        "sites": _sites(scored),
    }


def _mean(values):
    return sum(values) / len(values) if values else 0.0


def _bin(tops):
    return len(tops), _mean([p for p, _ in tops]), _mean([agreed for _, agreed in tops])


def _sites(scored):
    found = []
    for site in {site for _, site, _, _ in scored}:
        here = [(probs, actual) for _, at, probs, actual in scored if at == site]
        agreed = _mean([_top(probs) == actual for probs, actual in here])
        log_p = _mean([math.log(probs[actual]) for probs, actual in here])
        found.append((site, len(here), agreed, log_p))
    return sorted(found, key=lambda row: (-row[1], row[0]))


def _surprising(scored, episodes):
    found = []
    for number, episode in enumerate(episodes):
        logs = [
            math.log(probs[actual]) for n, _, probs, actual in scored if n == number
        ]
        if logs:
            found.append((episode.id, episode.task, len(logs), _mean(logs)))
    return sorted(found, key=lambda row: row[3])[:10]


# The replay.


def key(call):
    return call.tool, json.dumps(call.arguments, sort_keys=True)


def replay(flow, episode, decider, threshold):
    """The row of one episode, in the trace environment."""
    return Replay(flow, episode, decider, threshold).row()


class Replay:
    """The flow behind one recorded episode."""

    def __init__(self, flow, episode, decider, threshold):
        self.flow, self.episode = flow, episode
        self.decider, self.threshold = decider, threshold
        self.calls = [c for e in episode.events for c in getattr(e, "calls", ())]
        self.view = []  # as the flow sees it: lookups are calls of their turn
        self.passed = []  # the same, every call right after what was seen before it
        self.made = []  # the lookups: key, content, exact, message, used, stale
        self.executed = []  # the messages that were
        self.n_executed = self.skipped = self.next = self.queries = self.absent = 0
        self.saved = 0

    def row(self):
        for message, event in enumerate(self.episode.events):
            if isinstance(event, UserMessage):
                self.see(event)
            elif isinstance(event, AssistantTurn) and not event.calls:
                self.see(event)
                self.executed.append(message)
            elif isinstance(event, AssistantTurn):
                self.turn(message, event)
        events = self.episode.events
        turns = [
            e for i, e in enumerate(events)
            if isinstance(e, AssistantTurn) and (e.calls or i > 0)
        ]  # fmt: skip
        used = sum(lookup["used"] for lookup in self.made)
        return {
            "task": self.episode.task_or_id,
            "turns": len(turns),
            "tool_turns": sum(bool(turn.calls) for turn in turns),
            "turns_saved": self.saved,
            "calls": len(self.calls),
            "calls_skipped": self.skipped,
            "used_next": self.next,
            "used_later": self.skipped - self.next,
            "lookups": len(self.made),
            "queries": self.queries,
            "unanswered": 0,  # nobody is asked
            "unrecorded": sum(not lookup["exact"] for lookup in self.made),
            "detours": len(self.made) - used,
            "not_in_record": self.absent,
        }

    def see(self, event):
        self.view.append(event)
        self.passed.append(event)

    def turn(self, message, event):
        n_skipped = 0
        for call in event.calls:
            if self.hit(message, call):
                n_skipped += 1
            else:
                self.execute(message, call)
        self.saved += n_skipped == len(event.calls)

    def hit(self, message, call):
        """Whether a lookup has answered the call, which is then skipped."""
        result = result_of(self.episode.events, call)
        for lookup in self.made:
            if lookup["key"] != key(call) or lookup["used"] or not lookup["exact"]:
                continue
            if lookup["stale"] and not _same_result(lookup["content"], result):
                continue
            lookup["used"] = True
            self.skipped += 1
            between = any(lookup["message"] < m < message for m in self.executed)
            self.next += not between
            return True
        return False

    def execute(self, message, call):
        if message not in self.executed:
            self.executed.append(message)
            self.view.append(AssistantTurn())
        self.join(call, result_of(self.episode.events, call))
        self.n_executed += 1
        if self.flow["manifest"]["tools"].get(call.tool) == "write":
            for lookup in self.made:
                lookup["stale"] = True
        self.run_behind(message, self.calls.index(call))

    def join(self, call, result):
        """A call of the view's last turn, and its result."""
        turn = max(i for i, e in enumerate(self.view) if isinstance(e, AssistantTurn))
        calls = (*self.view[turn].calls, call)
        self.view[turn] = AssistantTurn(calls=calls)
        self.passed.append(AssistantTurn(calls=(call,)))
        if result is not None:
            self.see(result)

    def run_behind(self, message, position):
        for _ in range(PER_CALL):
            lookups = len(self.made)
            if lookups >= PER_EPISODE or lookups + self.n_executed >= IN_ALL:
                return
            self.queries += 1
            _, action = decide(
                self.flow, self.view, (), self.decider, self.threshold,
                passed=self.passed,
            )  # fmt: skip
            if len(action) == 2:
                return
            if action[0] not in {call.tool for call in self.calls}:
                self.absent += 1
                return
            call = ToolCall(f"stretto-{lookups}", action[0], action[1])
            result, exact = self.answer(call, position)
            self.join(call, result)
            self.made.append(
                {"key": key(call), "content": result.content, "exact": exact,
                 "message": message, "used": False, "stale": False}
            )  # fmt: skip

    def answer(self, call, position):
        """The lookup's result, and whether it is the agent's own."""
        for later in self.calls[position + 1 :]:
            if self.flow["manifest"]["tools"].get(later.tool) == "write":
                break
            result = result_of(self.episode.events, later)
            if key(later) == key(call) and result is not None:
                return ToolResult(
                    call.id, call.tool, result.error, result.content
                ), True
        nearest = [*reversed(self.calls[: position + 1]), *self.calls[position + 1 :]]
        for recorded in nearest:
            result = result_of(self.episode.events, recorded)
            if recorded.tool == call.tool and result is not None and not result.error:
                return ToolResult(call.id, call.tool, False, result.content), False
        return ToolResult(call.id, call.tool, False, "{}"), False


def _same_result(content, result):
    if result is None:
        return False
    try:
        one, other = (
            json.dumps(json.loads(text, parse_constant=refuse), sort_keys=True)
            for text in (content, result.content)
        )
    except (ValueError, RecursionError):
        return content.strip() == result.content.strip()
    return one == other
