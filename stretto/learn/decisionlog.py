"""
Decision logs: the held-out steps an arbiter was fitted on, one JSON object a line.

Keys are sorted. They hold tools, probabilities and features, and nothing anyone said.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from stretto.canonical import Json, compact
from stretto.episodes.tasks import task_group
from stretto.files import Node
from stretto.flow.case import FIXED_FEATURES, Case, Features
from stretto.flow.flow import Flow
from stretto.flow.judge import judge
from stretto.learn.cases import Answered
from stretto.learn.values import AnsweredValue, AskedValue
from stretto.oracle.lines import json_lines
from stretto.oracle.value import Pick

KIND = "Next"
"""The kind of decision that is read again; other kinds are passed over."""

ARGUMENT = "Arg"
"""The kind of an argument's, beside its name."""


@dataclass(frozen=True, slots=True)
class Logged:
    """A decision of a log."""

    episode: str
    task: str
    agent: str
    """The label of the agent that took the step."""
    step: int
    key: str
    """That of the request."""
    case: Case
    yes: Mapping[str, float]
    """The probability of yes to each predicate that was answered, weighed or not."""


class Heard(NamedTuple):
    """The answers themselves, as phase 0 hears them."""

    flow: Flow
    """With the arbiter, fitted by fold."""
    steps: Sequence[Answered]
    candidates: Mapping[str, Mapping[str, float]]
    """The probability of yes to each, by the key of the step's request."""
    values: Sequence[AnsweredValue]
    targets: frozenset[str]


def heard_lines(heard: Heard) -> Iterator[str]:
    """The log of what was heard: next steps, and then arguments."""
    yield from log_lines(heard.flow, heard.steps, heard.candidates)
    for one in heard.values:
        if one.pick is not None:
            yield compact(_value_entry(one.asked, one.pick, heard.targets))


def log_lines(
    flow: Flow,
    done: Iterable[Answered],
    candidates: Mapping[str, Mapping[str, float]],
) -> Iterator[str]:
    """The log of a flow's cases, each judged by the fold that held its task out."""
    for one in done:
        yes = {**one.answer.yes, **candidates.get(one.asked.request.key, {})}
        yield compact(_entry(flow, one, yes))


def _entry(flow: Flow, one: Answered, yes: Mapping[str, float]) -> Json:
    asked, answer, case = one.asked, one.answer, one.case
    seen = case.features
    fit = flow.folds[case.group % len(flow.folds)]
    return {
        "episode": asked.episode,
        "task": asked.task,
        "model": asked.agent,
        "target": not case.fittable,
        "step": asked.step,
        "kind": KIND,
        "tool": asked.site.tool,
        "agent": asked.took,
        "actual": case.actual,
        "fixed": False,
        "key": asked.request.key,
        "options": {**answer.one},
        "pick": [answer.pick, answer.one[answer.pick]],
        "split": {**answer.split},
        "combined": {**judge(fit, seen)},
        "predicates": {**yes},
        "case": {
            "site": seen.site,
            "options": [*seen.options],
            "features": [[*row] for row in seen.rows],
            "pick": seen.pick,
        },
    }


def _value_entry(asked: AskedValue, pick: Pick, targets: Collection[str]) -> Json:
    options = [*pick.probabilities]
    return {
        "episode": asked.episode,
        "task": asked.task,
        "model": asked.agent,
        "target": asked.agent in targets,
        "step": asked.step,
        "kind": {ARGUMENT: asked.place.argument},
        "tool": asked.place.tool,
        "agent": asked.actual,
        "actual": options.index(asked.actual) if asked.actual in options else None,
        "fixed": asked.request is None,
        "key": "" if asked.request is None else asked.request.key,
        "options": {**pick.probabilities},
        "pick": [pick.option, pick.p],
        "split": {},
        "combined": {},
        "predicates": {},
        "case": None,
    }


def read_log(path: Path) -> Iterator[Logged]:
    """
    The next-step decisions of a log that became cases.

    Raises:
        FormatError: a line does not have the format's shape.
    """
    for line in json_lines(path):
        if line["kind"].value == KIND and line.get("case") is not None:
            yield _logged(line)


def _logged(line: Node) -> Logged:
    task = line["task"].text()
    features = _features(line["case"])
    actual = line.get("actual")
    last = len(features.options) - 1
    case = Case(
        features,
        task_group(task),
        None if actual is None else actual.integer(0, last),
        fittable=not line["target"].boolean(),
    )
    predicates = line["predicates"].items()
    return Logged(
        episode=line["episode"].text(),
        task=task,
        agent=line["model"].text(),
        step=line["step"].integer(),
        key=line["key"].text(),
        case=case,
        yes={id: yes.number(0, 1) for id, yes in predicates},
    )


def _features(node: Node) -> Features:
    options = tuple(option.text() for option in node["options"].array())
    if not options or list(options) != sorted({*options}):
        node["options"].wanted("at least one option, each once, sorted")
    rows = node["features"].array(len(options))
    width = len(rows[0].array())
    if width < FIXED_FEATURES:
        rows[0].wanted(f"at least {FIXED_FEATURES} features")
    return Features(
        node["site"].text(),
        options,
        tuple(tuple(x.number() for x in row.array(width)) for row in rows),
        node["pick"].integer(0, len(options) - 1),
    )


def check_width(logged: Sequence[Logged], n_weighed: int, path: Path) -> None:
    """
    Hold a log's cases to how many predicates are weighed.

    Raises:
        FormatError: they have features of more, or of fewer.
    """
    for one in logged:
        found = len(one.case.features.rows[0]) - FIXED_FEATURES
        if found != n_weighed:
            Node(None, str(path)).fail(
                f"weighs {found} predicates at step {one.step} of {one.episode}, "
                f"where {n_weighed} are given",
                hint="name the predicates it was made with, `--predicates FILE`, or "
                "`--no-predicate-features`",
            )
