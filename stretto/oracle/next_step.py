"""
The next-step request, asked after a call that returned, and how its answers are read.

One request asks twice: once for the step itself, and once split in two, whether another
lookup comes and then which. The predicates are asked beside them.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from stretto.canonical import Json
from stretto.episodes.site import Site
from stretto.episodes.vocabulary import RESPOND
from stretto.oracle.answer import Answer, ChoiceAnswer, NoulAnswer, Response
from stretto.oracle.clip import clip, trim
from stretto.oracle.predicates import Predicate
from stretto.oracle.question import Choice, Criteria, Noul, Question, Request
from stretto.oracle.wording import Wording, fill

NEXT, GO_ON, TOOL = "next", "go_on", "tool"
"""The ids of the question asked once, and of the two halves of the split."""

PREDICATE = "pred_"
"""What the ids of the predicates' questions begin with."""

MAX_RUBRIC = 250
"""Characters of a lookup's rubric."""

MIN_FED = 3
"""In how many episodes a lookup has fed a write's argument before it is said to."""

N_ARGUMENTS, N_WRITES = 2, 2
"""How many arguments a hint names, and for each how many writes."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """What a System-One model holds the next step to be."""

    one: Mapping[str, float]
    """Each option's probability in the one question; 0 where it was left out."""
    pick: str
    """The option chosen there; `respond` where that was none."""
    split: Mapping[str, float]
    """Each option's probability in the two halves together."""
    yes: Mapping[str, float]
    """The probability of yes by predicate; without those left unanswered."""


def next_step_request(
    model: str,
    state: Json,
    site: Site,
    rubrics: Mapping[str, str],
    *,
    predicates: Iterable[Predicate],
    wording: Wording,
) -> Request:
    """
    What is asked after the call at `site`.

    Args:
        rubrics: Each lookup on offer, described: at least one.
    """
    lookups = {lookup: rubrics[lookup] for lookup in sorted(rubrics)}
    last = wording.last_error if site.failed else wording.last_ok
    opening = wording.context, wording.data_note, fill(last, tool=site.tool)
    asked: dict[str, Question] = {
        NEXT: Choice(
            joined(*opening, wording.next), {**lookups, RESPOND: wording.respond}
        ),
        GO_ON: Noul(
            joined(*opening, wording.go_on),
            Criteria(wording.go_on_true, wording.go_on_false),
        ),
    }
    if len(lookups) > 1:
        asked[TOOL] = Choice(joined(*opening, wording.tool), lookups)
    for predicate in predicates:
        asked[predicate_id(predicate)] = predicate_question(predicate, wording)
    return Request(model, state, asked)


def predicate_id(predicate: Predicate) -> str:
    """The id a predicate is asked under."""
    return f"{PREDICATE}{predicate.id}"


def predicate_question(predicate: Predicate, wording: Wording) -> Noul:
    """A predicate as a question."""
    return Noul(
        joined(wording.context, wording.data_note, predicate.question),
        Criteria(predicate.yes, predicate.no),
    )


def rubric(
    tool: str, summary: str, feeds: Mapping[tuple[str, str], int], wording: Wording
) -> str:
    """
    A lookup described as an option, in at most 250 characters.

    Args:
        summary: Its documentation's; may be blank.
        feeds: In how many episodes its results fed a write's argument, by write and
            argument.
    """
    described = trim(summary) or fill(wording.tool_fallback, tool=tool)
    return clip(joined(described, hint(feeds, wording)), MAX_RUBRIC)


def hint(feeds: Mapping[tuple[str, str], int], wording: Wording) -> str:
    """Which writes a lookup's results feed, and where; empty where nobody knows."""
    by_argument: dict[str, dict[str, int]] = {}
    for (write, argument), n in feeds.items():
        if n >= MIN_FED:
            by_argument.setdefault(argument, {})[write] = n
    totals = {argument: sum(by.values()) for argument, by in by_argument.items()}
    return joined(
        *(
            fill(
                wording.hint,
                arg=argument,
                tool=", ".join(_most(by_argument[argument])[:N_WRITES]),
            )
            for argument in _most(totals)[:N_ARGUMENTS]
        )
    )


def read_next_step(
    response: Response, lookups: Collection[str], predicates: Iterable[Predicate]
) -> NextStep | None:
    """
    The answers to a next-step request; None where one that it takes is missing.

    Args:
        lookups: Those on offer.
    """
    match response.answers.get(NEXT), response.answers.get(GO_ON):
        case ChoiceAnswer() as chosen, NoulAnswer(go_on):
            which = _which(response.answers.get(TOOL), lookups)
            if which is None:
                return None
            options = [*sorted(lookups), RESPOND]
            return NextStep(
                one={o: chosen.probabilities.get(o, 0.0) for o in options},
                pick=chosen.choice if chosen.choice in options else RESPOND,
                split={o: go_on * p for o, p in which.items()} | {RESPOND: 1 - go_on},
                yes=_yes(response, predicates),
            )
        case _:
            return None


def joined(*parts: str) -> str:
    """The parts that are not empty, a blank between any two."""
    return " ".join(filter(None, parts))


def _which(
    answer: Answer | None, lookups: Collection[str]
) -> Mapping[str, float] | None:
    """Each lookup's share of going on."""
    if len(lookups) < 2:
        return dict.fromkeys(lookups, 1.0)
    if not isinstance(answer, ChoiceAnswer):
        return None
    return {lookup: answer.probabilities.get(lookup, 0.0) for lookup in sorted(lookups)}


def _yes(response: Response, predicates: Iterable[Predicate]) -> Mapping[str, float]:
    answers = {p.id: response.answers.get(predicate_id(p)) for p in predicates}
    return {id: a.noul for id, a in answers.items() if isinstance(a, NoulAnswer)}


def _most(counts: Mapping[str, int]) -> list[str]:
    """The names by count, most first; of equals the first by name."""
    return sorted(counts, key=lambda name: (-counts[name], name))
