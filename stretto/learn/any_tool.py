"""The steps of agents, asked about with every tool as an option."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import ToolDocs
from stretto.episodes.vocabulary import RESPOND
from stretto.errors import OracleError
from stretto.evaluate.agreement import Agreement
from stretto.flow.decide import answer as answer_to
from stretto.flow.deciders.arbiter import Asker
from stretto.learn.cases import before_steps
from stretto.learn.value_opinions import ValueOpinions
from stretto.oracle.any_tool import (
    any_tool_request,
    any_tool_rubric,
    any_tool_state,
)
from stretto.oracle.held_out import held_out
from stretto.oracle.next_step import NEXT
from stretto.oracle.oracle import Oracle
from stretto.oracle.question import Request
from stretto.oracle.value import Pick, picked


@dataclass(frozen=True, slots=True)
class AskedTool:
    """A step after a call."""

    task: str
    step: int
    """Its place in the episode's walk, from 0."""
    took: str
    """The tool called, or `respond`."""
    request: Request


class AnsweredTool(NamedTuple):
    """A step, and what was picked of all tools and `respond`."""

    asked: AskedTool
    pick: Pick


@dataclass(frozen=True, slots=True)
class AnyAsker:
    """Asks for the next step among all tools of the manifest."""

    asker: Asker
    rubrics: Mapping[str, str]
    """Each tool, described."""

    @classmethod
    def of(cls, asker: Asker) -> "AnyAsker":
        """In the words of an asker, about the tools of its flow."""
        manifest = asker.flow.manifest
        rubrics = {
            tool: any_tool_rubric(
                tool, manifest.docs.get(tool, ToolDocs()).summary, asker.wording
            )
            for tool in manifest.tools
        }
        return cls(asker, rubrics)

    def steps(self, episode: Episode) -> Iterator[AskedTool]:
        """Each of the agent's steps after a call."""
        words, omit = self.asker.wording, self.asker.omit
        for moment, call, events in before_steps(self.asker, episode):
            if moment.site is not None:
                yield AskedTool(
                    episode.task_or_id,
                    len(moment.history),
                    RESPOND if call is None else call.tool,
                    any_tool_request(
                        self.asker.flow.model,
                        any_tool_state(events, words.no_result, omit),
                        moment.site,
                        self.rubrics,
                        words,
                    ),
                )

    def answered(
        self, asked: Iterable[AskedTool], oracle: Oracle
    ) -> Iterator[AnsweredTool | None]:
        """What was picked at each step; None where nobody answered."""
        options = {*self.rubrics, RESPOND}
        for one in asked:
            response = answer_to(held_out(oracle, one.task), one.request)
            pick = None
            if not isinstance(response, OracleError):
                pick = picked(response.answers.get(NEXT), options)
            yield None if pick is None else AnsweredTool(one, pick)


@dataclass(frozen=True, slots=True)
class AnyTool:
    """What was answered with every tool as an option. Targets are in rows alone."""

    asked: int
    agreement: Agreement
    """Of those answered."""
    values: ValueOpinions
