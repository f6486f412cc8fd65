"""
The oracle `local`: a model learned from one's own sessions, in this process.

It answers the next-step questions from one set of scores: `next` over the options,
`go_on` by what is not `respond`, `tool` over the lookups. Of the predicates it knows
`list_pending`, by how often the agent went on at as many unread ids. To every other
question it has no opinion, and says so: even odds.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from stretto.episodes.tasks import fold
from stretto.episodes.vocabulary import RESPOND
from stretto.errors import OracleError
from stretto.home import Home
from stretto.oracle.answer import (
    Answer,
    ChoiceAnswer,
    NoulAnswer,
    Response,
    ScoreAnswer,
)
from stretto.oracle.local import FILE, NAME
from stretto.oracle.local.calibration import probabilities
from stretto.oracle.local.clues import Clues, clues
from stretto.oracle.local.file import LocalModel, Member, read_local
from stretto.oracle.local.net import Scores
from stretto.oracle.next_step import GO_ON, NEXT, TOOL
from stretto.oracle.question import Choice, Noul, Question, Request, Score
from stretto.oracle.settings import OracleSettings

LIST_PENDING = "pred_list_pending"


@dataclass(frozen=True, slots=True)
class Local:
    """Answers from a file's network; it asks nobody, costs nothing, needs no key."""

    found: LocalModel = field(repr=False)
    member: Member = field(repr=False)
    model: str
    name: str = NAME
    is_orderless: bool = True
    """An option is told by its name, wherever it stands."""

    @classmethod
    def of(cls, found: LocalModel) -> "Local":
        """The network that was learned from all tasks, to be asked about new ones."""
        return cls(found, found.member(), f"{NAME}-{found.digest[:12]}")

    def held_out(self, task: str) -> "Local":
        """The network that left the task's fold out, if the task was learned from."""
        member = self.found.member(task)
        if member is self.found.member():
            return Local.of(self.found)
        model = f"{Local.of(self.found).model}-without-{fold(task)}"
        return Local(self.found, member, model)

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:  # noqa: ARG002
        """An answer to every question."""
        step = _NextStep.of(self.member, request)
        return Response(
            self.model,
            {id: step.answer(id, asked) for id, asked in request.questions.items()},
        )


def oracle(settings: OracleSettings) -> Local:
    """
    The model in the file that the settings name, else in stretto's own folder.

    Raises:
        OracleError: no file is named and there is none in the folder.
        FormatError: the file cannot be read, or is no local model.
    """
    path = Path(settings.model) if settings.model else default_file(settings.environ)
    if not settings.model and not path.exists():
        raise OracleError(
            f"there is no model of one's own at {path}",
            hint="`stretto train-local SESSIONS -o FILE` learns one",
        )
    return Local.of(read_local(path))


def default_file(environ: Mapping[str, str]) -> Path:
    """Where a model is looked for when none is named."""
    return Home.of(environ).root / FILE


@dataclass(frozen=True, slots=True)
class _NextStep:
    """What one network holds a request's next step to be."""

    member: Member
    options: tuple[str, ...]
    """Those scored; empty where the request asks about no next step."""
    scores: Scores
    seen: Clues | None

    @classmethod
    def of(cls, member: Member, request: Request) -> "_NextStep":
        options = _options(request.questions)
        if not options:
            return cls(member, (), np.empty(0), None)
        seen = clues(request.state, options)
        return cls(member, tuple(options), member.net.scores(seen), seen)

    def answer(self, id: str, asked: Question) -> Answer:
        """The answer to one of the questions."""
        match asked:
            case Noul():
                return NoulAnswer(self._yes(id))
            case Score(criteria=levels):
                return _no_level(len(levels))
            case Choice(criteria=options):
                if id == NEXT and options.keys() == {*self.options}:
                    return self._choice(options, self.member.calibration.next)
                if id == TOOL and options.keys() <= {*self.options}:
                    return self._choice(options, self.member.calibration.tool)
                return _choice(sorted(options), np.full(len(options), 1 / len(options)))

    def _choice(self, options: Mapping[str, str], temperature: float) -> Answer:
        names = sorted(options)
        scores = self.scores[[self.options.index(name) for name in names]]
        return _choice(names, probabilities(scores, temperature))

    def _yes(self, id: str) -> float:
        calibration = self.member.calibration
        if self.seen is None:
            return 0.5
        if id == GO_ON:
            respond = self.options.index(RESPOND)
            return go_on(self.scores, respond, calibration.go_on)
        return calibration.again[self.seen.pending] if id == LIST_PENDING else 0.5


def go_on(scores: Scores, respond: int, temperature: float) -> float:
    """The probability of another lookup: of all that is not `respond`, tempered."""
    p = probabilities(scores)
    lookup, rest = float(np.delete(p, respond).sum()), float(p[respond])
    if lookup <= 0.0 or rest <= 0.0:
        return float(lookup > 0.0)
    return 1 / (1 + math.exp(-math.log(lookup / rest) / temperature))


def _options(questions: Mapping[str, Question]) -> dict[str, str]:
    """The options of the next step, with their rubrics; `respond` is among them."""
    for id in (NEXT, TOOL):
        match questions.get(id):
            case Choice(criteria=options):
                return {**options, RESPOND: ""}
    return {}


def _choice(names: list[str], p: Scores) -> ChoiceAnswer:
    likeliest = int(p.argmax())
    shares = dict(zip(names, p.tolist(), strict=True))
    return ChoiceAnswer(names[likeliest], shares, float(p[likeliest]))


def _no_level(n: int) -> ScoreAnswer:
    return ScoreAnswer((n - 1) / 2, {str(level): 1 / n for level in range(n)}, 1 / n)
