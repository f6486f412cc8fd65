"""Agents and contexts by names that fit into a table."""

import re
from collections import Counter
from collections.abc import Iterable

from stretto.episodes.step import Outcome
from stretto.episodes.vocabulary import Vocabulary, parse
from stretto.habit.backoff import Context

_DATE = re.compile(r"-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$")
_ENDED = {
    Outcome.OK: "ok",
    Outcome.ERROR: "error",
    Outcome.REPLY: "answered",
    Outcome.END: "end",
}


def short_names(agents: Iterable[str]) -> dict[str, str]:
    """
    Each agent's name without its provider and without the date of its version.

    Agents that would be called the same keep their whole names.
    """
    short = {agent: _DATE.sub("", agent.rpartition("/")[2]) for agent in agents}
    taken = Counter(short.values())
    return {
        agent: name if taken[name] == 1 and name else agent
        for agent, name in short.items()
    }


def action_name(action: int, vocab: Vocabulary) -> str:
    """A tool, or `respond`; `another tool` for one that no session knew."""
    if action == 0:
        return "respond"
    known = action <= len(vocab.tools)
    return vocab.tools[action - 1] if known else "another tool"


def context_name(context: Context, vocab: Vocabulary) -> str:
    """The steps of a context, oldest first, each with how it ended."""
    return ", ".join(_step_name(symbol, vocab) for symbol in context)


def _step_name(symbol: int, vocab: Vocabulary) -> str:
    step = parse(symbol)
    if step is None:
        return "start"
    feature = f" #{step.feature}" if step.feature else ""
    return f"{action_name(step.action, vocab)} ({_ENDED[step.outcome]}){feature}"
