"""
Ceilings and costs read straight off their definitions, one turn at a time.

Every turn looks through the whole session before it again; nothing here is shared with
`stretto.evaluate`, which is held equal to it.
"""

import json
import re
from itertools import pairwise

from stretto.episodes.episode import AssistantTurn, ToolResult, UserMessage


def is_ceiling(episode, place, tools, *, words=False, fresh=False):
    """Whether the turn at this event could have been spared."""
    turn = episode.events[place]
    kinds = [tools.get(call.tool) for call in turn.calls]
    if not kinds or any(kind != "read" for kind in kinds):
        return False
    before = episode.events[:place]
    earlier = [e for e in before if isinstance(e, AssistantTurn) and e.calls]
    if not earlier:
        return False
    if fresh and any(tools.get(c.tool) == "write" for c in earlier[-1].calls):
        return False
    returned, said = [], []
    for event in before:
        if isinstance(event, ToolResult) and not event.error:
            returned += values_of(event.content)
        if isinstance(event, UserMessage):
            said.append(event.text.lower())
    for call in turn.calls:
        for value in leaves(call.arguments):
            if value in returned:
                continue
            if not (words and any(mentions(text, value) for text in said)):
                return False
    return True


def mentions(text, value):
    if len(value) < 3:
        return False
    if re.fullmatch(r"-?\d+(\.\d+)?", value):
        ends = [m.span() for m in re.finditer(f"(?={re.escape(value)})", text)]
        return any(
            not text[max(0, at - 1) : at].isdigit()
            and not text[at + len(value) : at + len(value) + 1].isdigit()
            for at, _ in ends
        )
    return value in text


def values_of(content):
    try:
        return leaves(json.loads(content))
    except ValueError:
        return [line.strip().lower() for line in content.split("\n") if line.strip()]


def leaves(value):
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, str):
        return [value.strip().lower()]
    if isinstance(value, float) and value == int(value):
        return [str(int(value))]
    return [json.dumps(value)]


def written(calls):
    return len(
        json.dumps(
            [{"arguments": c.arguments, "name": c.tool} for c in calls],
            separators=(",", ":"), sort_keys=True, ensure_ascii=False,
        )
    )  # fmt: skip


def pooled(episodes, tools, detours, price=(0, 1, 1)):
    """
    β, δ and θ* of all the sessions; None for what there is nothing to say of.

    `detours` has, for each session, a list of (site, tool).
    """
    output, read, write = price
    agents = sorted({e.agent for e in episodes})
    worth, waste = [], []
    for agent in agents:
        own = [e for e in episodes if e.agent == agent]
        rate = characters_per_token(own)
        if rate is None:
            continue
        for episode in own:
            worth += spared(episode, tools, rate, output, read, write)
        wasted = [
            each
            for episode, of in zip(episodes, detours, strict=True)
            if episode.agent == agent
            for each in of
        ]
        for site, tool in wasted:
            lengths = [
                len(event.content)
                for e in own
                for event in e.events
                if isinstance(event, ToolResult) and event.tool == tool
            ]
            left = [n for e in own for at, n in calls_left(e) if at == site]
            stay = mean([write * min(n, 1) + read * max(n - 1, 0) for n in left])
            waste.append((mean(lengths) or 0) / rate * (stay or 0))
    beta, delta = mean(worth), mean(waste)
    if beta is None or delta is None or beta + delta == 0:
        return beta, delta, None
    return beta, delta, delta / (beta + delta)


def spared(episode, tools, rate, output, read, write):
    found = []
    for place, event in enumerate(episode.events):
        if not isinstance(event, AssistantTurn) or event.usage is None:
            continue
        if not event.usage.prompt_tokens or not is_ceiling(episode, place, tools):
            continue
        later = episode.events[place + 1 :]
        left = sum(isinstance(e, AssistantTurn) for e in later)
        tokens = written(event.calls) / rate
        price = read * event.usage.prompt_tokens
        price += output * event.usage.completion_tokens
        for n in range(left):
            price += tokens * (write if n == 0 else read)
        found.append(price)
    return found


def calls_left(episode):
    """Every call's site, with the LLM turns after its own."""
    answers = {e.call_id: e for e in episode.events if isinstance(e, ToolResult)}
    for place, event in enumerate(episode.events):
        if isinstance(event, AssistantTurn):
            later = episode.events[place + 1 :]
            left = sum(isinstance(e, AssistantTurn) for e in later)
            for call in event.calls:
                answer = answers.get(call.id)
                failed = answer is None or answer.error
                yield call.tool + (" (error)" if failed else ""), left


def characters_per_token(episodes):
    added = grown = 0
    for episode in episodes:
        places = [
            i for i, e in enumerate(episode.events) if isinstance(e, AssistantTurn)
        ]
        for here, there in pairwise(places):
            one, two = episode.events[here], episode.events[there]
            if one.usage is None or two.usage is None or not one.usage.prompt_tokens:
                continue
            more = two.usage.prompt_tokens - one.usage.prompt_tokens
            if more <= 0:
                continue
            grown += more
            added += len(one.text or "") + (written(one.calls) if one.calls else 0)
            for event in episode.events[here + 1 : there]:
                is_result = isinstance(event, ToolResult)
                added += len(event.content if is_result else event.text)
    return added / grown if grown else None


def mean(numbers):
    return sum(numbers) / len(numbers) if numbers else None
