"""An oracle that learned from a task is not asked about it as it is."""

from dataclasses import dataclass, field

from stretto.evaluate.decisions import decisions
from stretto.evaluate.replay import Replayer
from stretto.flow.deciders.decider import decider
from stretto.learn.arbiter import learn_arbitrated
from stretto.oracle.answer import Response
from stretto.oracle.held_out import held_out
from stretto.oracle.mock import Mock
from stretto.oracle.oracle import Oracle
from stretto.oracle.question import Request
from stretto.oracle.temperature import Temperatures, Tempered
from tests.learn.test_arbiter import EPISODES, SETTINGS, SHOP, arbitration

NOBODY = "nobody's task"


@dataclass(frozen=True)
class Diligent:
    """Notes as which task's absentee each request is asked."""

    without: str = NOBODY
    asked: list[str] = field(default_factory=list)
    name: str = "diligent"
    model: str = "mock"

    def held_out(self, task: str) -> Oracle:
        return Diligent(task, self.asked)

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:  # noqa: ARG002
        self.asked.append(self.without)
        return Mock().ask(request)


def test_an_arbiter_is_fitted_on_what_the_model_says_without_the_steps_task():
    oracle = Diligent()

    found = learn_arbitrated(EPISODES, SHOP, SETTINGS, arbitration(oracle))

    assert oracle.asked == [one.asked.task for one in found.answered]
    assert NOBODY not in oracle.asked


def test_recorded_sessions_are_scored_and_replayed_without_their_task():
    flow = learn_arbitrated(EPISODES, SHOP, SETTINGS, arbitration(Diligent())).flow
    episode = EPISODES[0]
    scored, replayed = Diligent(), Diligent()

    for _ in decisions(flow, decider(flow), episode, oracle=scored):
        pass
    Replayer(flow, decider(flow), replayed).row(episode)

    assert {*scored.asked} == {*replayed.asked} == {episode.task_or_id}


def test_a_calibrated_oracle_is_held_out_as_the_one_within_is():
    inner = Diligent()
    oracle = held_out(Tempered(inner, Temperatures()), "t")

    assert isinstance(oracle, Tempered)
    assert oracle.inner == Diligent("t", inner.asked)
    plain = Tempered(Mock(), Temperatures())
    assert held_out(plain, "t") == plain
