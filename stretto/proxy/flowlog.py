"""The log of what a flow decided: a line for each decision, and one for each run."""

import math
import re

from stretto.canonical import Json, compact
from stretto.episodes.site import Site
from stretto.episodes.vocabulary import RESPOND
from stretto.flow.decision import Decision, Lookup
from stretto.flow.recorded import live
from stretto.oracle.answer import ChoiceAnswer, NoulAnswer, Response
from stretto.oracle.next_step import NEXT, PREDICATE
from stretto.program.handlers import Run

_NUMBERED = re.compile(r"(.*)#(\d+)", re.DOTALL)


def decision_line(
    after: Json,
    address: str,
    decision: Decision,
    *,
    ms: int = 0,
    shadow: bool = False,
    withheld: str | None = None,
    policy: Json = None,
) -> bytes:
    """
    A decision's line.

    Args:
        after: The id of the agent's call that the flow runs behind.
        address: That of the program's draw.
        ms: How many milliseconds the oracle took, where one was asked.
        withheld: Why the lookup is not made although it was decided on.
        policy: What the decision was drawn from, where the flow explores.

    Raises:
        ValueError: a probability is no number.
    """
    action, weighed = decision.action, decision.probabilities
    best = max((p for tool, p in weighed.items() if tool != RESPOND), default=None)
    line: dict[str, Json] = {
        "address": address,
        "after": after,
        "binding": action.chance,
        "key": None if decision.request is None else decision.request.key,
        "ms": ms,
        "oracle": {},
        "predicates": {},
        "prob": best,
        "probs": dict(weighed),
        "site": None if decision.site is None else str(decision.site),
    }
    if decision.response is not None:
        line |= _answers(decision.response)
    if isinstance(action, Lookup):
        line |= {"action": "lookup", "tool": action.tool}
        line["arguments"] = dict(action.arguments)
    else:
        line |= {"action": "hand_back", "reason": action.text}
    if shadow:
        line["shadow"] = True
    if withheld is not None:
        line["withheld"] = withheld
    if policy is not None:
        line["policy"] = policy
    return _spelled(line)


def run_line(after: Json, site: Site, run: Run, *, max_lookups: int) -> bytes:
    """The line of a run that came to its end behind a call."""
    made = live(run)
    sites: list[Json] = [
        [*map(_finite, _parts(choice))] for choice in sorted(made.choices, key=_place)
    ]
    told: Json = {
        "call": site.tool,
        "failed": site.failed,
        "max_lookups": max_lookups,
        "sites": sites,
        "surprise": _finite(made.surprise),
    }
    return _spelled({"after": after, "run": told})


def _answers(response: Response) -> dict[str, Json]:
    """What an oracle answered to the one question, and of each predicate."""
    chosen = response.answers.get(NEXT)
    one = chosen.probabilities if isinstance(chosen, ChoiceAnswer) else {}
    yes: dict[str, Json] = {
        id.removeprefix(PREDICATE): answer.noul
        for id, answer in response.answers.items()
        if id.startswith(PREDICATE) and isinstance(answer, NoulAnswer)
    }
    return {"oracle": dict(one), "predicates": yes}


def _place(choice: Json) -> tuple[int, str]:
    """Where a choice stands: by its address's number, and those without one first."""
    address = str(_parts(choice)[0])
    numbered = _NUMBERED.fullmatch(address)
    return (-1, address) if numbered is None else (int(numbered[2]), numbered[1])


def _parts(choice: Json) -> list[Json]:
    """A choice's address, value and log-probability."""
    assert isinstance(choice, list)
    return choice


def _finite(log_p: Json) -> Json:
    return None if isinstance(log_p, float) and math.isinf(log_p) else log_p


def _spelled(line: dict[str, Json]) -> bytes:
    return compact(line).encode(errors="replace") + b"\n"
