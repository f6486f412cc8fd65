"""
Tokens and dollars that replays would save, where sessions record what turns cost.

A saved turn saves its prompt, its completion and its cost, as a projected one does
(`stretto.evaluate.savings`). What prompts hold more or less besides is counted in
characters (`stretto.evaluate.spent`) and taken as tokens, and at prices, as costs take
it (`stretto.evaluate.balance`): by the characters a token of each agent's prompts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stretto.episodes.episode import AssistantTurn, Episode, Usage
from stretto.evaluate.balance import INPUT, TokenPrices
from stretto.evaluate.intervals import Share, share
from stretto.evaluate.outlay import growth
from stretto.evaluate.prices import Price, price
from stretto.evaluate.spent import Spent


class Metered(NamedTuple):
    """A session whose every LLM turn recorded its usage."""

    task: str
    agent: str
    usage: tuple[Usage, ...]
    """By LLM turn."""
    added: int
    """Characters that came between two prompts, the later of them longer."""
    grown: int
    """Tokens by which it was longer."""

    @property
    def whole(self) -> Spent:
        """What all of its turns came to."""
        return Spent(
            sum(turn.prompt_tokens for turn in self.usage),
            sum(turn.completion_tokens for turn in self.usage),
            sum(turn.cost for turn in self.usage),
        )


def metered(episode: Episode) -> Metered | None:
    """The session as it was recorded; None where a turn did not record its prompt."""
    turns = [
        event
        for place, event in enumerate(episode.events)
        if isinstance(event, AssistantTurn) and (event.calls or place > 0)
    ]
    usage = tuple([turn.usage for turn in turns if turn.usage is not None])
    if not turns or len(usage) < len(turns) or not all(u.prompt_tokens for u in usage):
        return None
    each = [*growth(episode)]
    added, grown = (sum(pair[i] for pair in each) for i in (0, 1))
    return Metered(episode.task_or_id, episode.agent, usage, added, grown)


class Net(NamedTuple):
    """What one session would save, net of what lookups add to later prompts."""

    prompt: float
    completion: int
    dollars: float
    priced: float
    """Everything in tokens of uncached input, at the prices given."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What a character and a token come to, by agent."""

    tokens: Mapping[str, float]
    """A character's tokens, of the agents whose prompts were seen to grow."""
    prices: Mapping[str, Price]
    """Dollars a token; 0 where no cost was recorded."""

    def net(self, session: Metered, spent: Spent, prices: TokenPrices = INPUT) -> Net:
        """What a session saves; its agent's prompts were seen to grow."""
        output, read, write = prices
        rate = self.tokens[session.agent]
        once, again = spent.once * rate, spent.again * rate
        return Net(
            spent.prompt - once - again,
            spent.completion,
            spent.dollars - (once + again) * self.prices[session.agent].prompt,
            output * spent.completion + read * (spent.prompt - again) - write * once,
        )


@dataclass(frozen=True, slots=True)
class Tokens:
    """What all sessions together would save, of all that they recorded."""

    sessions: int
    """Those whose usage is known."""
    without_usage: int
    prompt: Share
    completion: Share
    dollars: Share
    """Of the sessions that recorded a cost; without a whole where none did."""
    priced: Share
    """In tokens of uncached input, at the prices given."""


@dataclass(slots=True)
class Meters:
    """Sessions' usage, read as they pass by."""

    sessions: list[Metered | None] = field(default_factory=list)

    def noting(self, episodes: Iterable[Episode]) -> Iterator[Episode]:
        """The same episodes, their usage noted."""
        for episode in episodes:
            self.sessions.append(metered(episode))
            yield episode

    def rates(self) -> Rates:
        """The rates of all sessions so far."""
        agents: dict[str, list[Metered]] = {}
        for session in self.sessions:
            if session is not None:
                agents.setdefault(session.agent, []).append(session)
        grown = {name: sum(s.grown for s in of) for name, of in agents.items()}
        return Rates(
            {
                name: grown[name] / sum(s.added for s in of)
                for name, of in agents.items()
                if grown[name] and any(s.added for s in of)
            },
            {
                name: price(u for s in of for u in s.usage)
                for name, of in agents.items()
            },
        )

    def nets(
        self, rates: Rates, spends: Sequence[Spent], prices: TokenPrices = INPUT
    ) -> list[Net | None]:
        """Each session's net saving; None where its usage is not known."""
        return [
            rates.net(session, spent, prices)
            if session is not None and session.agent in rates.tokens
            else None
            for session, spent in zip(self.sessions, spends, strict=True)
        ]

    def tokens(
        self, rates: Rates, spends: Sequence[Spent], prices: TokenPrices = INPUT
    ) -> Tokens | None:
        """
        What the sessions save with these spends; None where no usage is known.

        Args:
            spends: One setting's, by session.
        """
        known = [
            (session, net)
            for session, net in zip(
                self.sessions, self.nets(rates, spends, prices), strict=True
            )
            if session is not None and net is not None
        ]
        if not known:
            return None
        tasks = [session.task for session, _ in known]
        wholes = [rates.net(session, session.whole, prices) for session, _ in known]
        costly = [whole.dollars > 0 for whole in wholes]

        def of(name: str) -> Share:
            parts = [getattr(net, name) for _, net in known]
            return share(tasks, parts, [getattr(whole, name) for whole in wholes])

        dollars = share(
            tasks,
            [
                net.dollars * is_it
                for (_, net), is_it in zip(known, costly, strict=True)
            ],
            [whole.dollars for whole in wholes],
        )
        return Tokens(
            len(known),
            len(self.sessions) - len(known),
            of("prompt"),
            of("completion"),
            dollars,
            of("priced"),
        )
