"""The arbiter: the habit and a System-One model, weighed against each other."""

from collections.abc import Mapping
from dataclasses import dataclass

from stretto.episodes.manifest import ToolDocs
from stretto.episodes.tasks import task_group
from stretto.errors import AnswerIncomplete, CannotDecide
from stretto.flow.deciders.habit import HabitDecider
from stretto.flow.deciders.protocol import Chances, Decider
from stretto.flow.flow import Flow
from stretto.flow.judge import features, judge
from stretto.flow.moment import Moment
from stretto.oracle.answer import Response
from stretto.oracle.next_step import next_step_request, read_next_step, rubric
from stretto.oracle.omit import Omission
from stretto.oracle.question import Request
from stretto.oracle.state import Slice
from stretto.oracle.wording import Wording, shipped_wording


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks a flow's next-step questions, in the words of one file."""

    flow: Flow
    wording: Wording
    rubrics: Mapping[str, str]
    """Each read, described as an option."""
    omit: tuple[Omission, ...] = ()
    """What is left out of what the model is shown."""

    @classmethod
    def of(
        cls,
        flow: Flow,
        wording: Wording | None = None,
        omit: tuple[Omission, ...] = (),
    ) -> "Asker":
        """The questions of a flow; in the words that come with stretto if None."""
        words = shipped_wording() if wording is None else wording
        rubrics = {tool: _rubric(flow, tool, words) for tool in flow.sites.reads}
        return cls(flow, words, rubrics, omit)

    def state(self) -> Slice:
        """An empty state, to keep along with an episode."""
        return Slice(self.wording.no_result, self.omit)

    def question(self, moment: Moment, offered: tuple[str, ...]) -> Request:
        """
        What is asked at a moment about the lookups on offer.

        Raises:
            CannotDecide: the moment has no site, or the episode was kept without a
                state.
        """
        if moment.site is None or moment.state is None:
            raise CannotDecide(
                "the moment holds no state to ask about",
                hint="keep the transcript with the decider's own `state()`",
            )
        return next_step_request(
            self.flow.model,
            moment.state.json(),
            moment.site,
            {tool: self.rubrics[tool] for tool in offered},
            predicates=self.flow.predicates,
            wording=self.wording,
        )


def _rubric(flow: Flow, tool: str, wording: Wording) -> str:
    docs = flow.manifest.docs.get(tool, ToolDocs())
    feeds = flow.sites.feeds.get(tool, {})
    fed = {(feed.write, feed.argument): n for feed, n in feeds.items()}
    return rubric(tool, docs.summary, fed, wording)


@dataclass(frozen=True, slots=True)
class ArbiterDecider:
    """The arbiter's probability of each option; the rest is a step not on offer."""

    flow: Flow
    asker: Asker
    name: str = "arbiter"
    chances: Chances = Chances.EXCLUSIVE

    def state(self) -> Slice | None:
        """An empty state, to keep along with an episode."""
        return self.asker.state()

    def question(self, moment: Moment, offered: tuple[str, ...]) -> Request | None:
        """The next-step questions about the lookups on offer."""
        return self.asker.question(moment, offered)

    def weigh(
        self,
        moment: Moment,
        offered: tuple[str, ...],
        response: Response | None = None,
    ) -> Mapping[str, float]:
        """
        The probabilities of the offered lookups and of `respond`.

        They sum to the share of steps that the site offers. The fit is that of the
        fold which held the episode's task out.

        Raises:
            AnswerIncomplete: there is no answer to the one question, or to either half
                of the split one.
        """
        site, flow = moment.site, self.flow
        answer = None
        if response is not None and site is not None:
            answer = read_next_step(response, offered, flow.predicates)
        if answer is None or site is None:
            raise AnswerIncomplete("the next-step questions are not all answered")
        prior = HabitDecider(flow).weigh(moment, offered)
        fit = flow.folds[task_group(moment.task) % len(flow.folds)]
        return judge(fit, features(site, prior, answer, flow.weighed))


def arbiter(
    flow: Flow,
    wording: Wording | None = None,
    omit: tuple[Omission, ...] = (),
) -> ArbiterDecider:
    """
    The arbiter of a flow, asking in the words that come with stretto, or in others.

    Args:
        omit: What is left out of what the model is shown.

    Raises:
        CannotDecide: the flow holds no arbiter.
    """
    if not flow.folds:
        raise CannotDecide(
            "the flow has no arbiter",
            hint="learn it with `--oracle NAME` or `--arbiter-from FILE`, or use "
            "`--decider habit`",
        )
    return ArbiterDecider(flow, Asker.of(flow, wording, omit))


def decider(flow: Flow) -> Decider:
    """The arbiter as a decider. Raises as `arbiter` does."""
    return arbiter(flow)
