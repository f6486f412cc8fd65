"""
What a stretch of a replay spares and spends of prompts, to be joined to the next one.

A saved turn spares its own prompt, completion and cost, and its calls are in no later
prompt. A lookup's result is in every prompt from then on, until the call it answers
comes up in the record, which would have brought the same. So the prompts of the turns
that are still made differ from the recorded ones by characters that add up along the
way: what a turn's prompt holds more is what all that happened before it has added, and
joining two stretches takes no more than seven numbers of each.

Characters count once where a prompt is the first to hold them, and again in each prompt
after it, as they may cost less there.
"""

from typing import NamedTuple

from stretto.episodes.episode import AssistantTurn
from stretto.evaluate.ceiling import calls_json


class Spent(NamedTuple):
    """A stretch of a replay; characters are more of them, or fewer where negative."""

    prompt: int = 0
    """Prompt tokens of the turns saved."""
    completion: int = 0
    """Their completion tokens."""
    dollars: float = 0.0
    """What they cost."""
    turns: int = 0
    """LLM turns that are still made."""
    carried: int = 0
    """Characters more in the last of these turns' prompts."""
    fresh: int = 0
    """Characters added since, which the next turn's prompt is the first to hold."""
    again: int = 0
    """Characters more in these turns' prompts that an earlier prompt held already."""

    @property
    def once(self) -> int:
        """Characters more in prompts, each where it is the first to hold them."""
        return self.carried

    def then(self, later: "Spent") -> "Spent":
        """This stretch and the one after it."""
        if later is NOTHING:
            return self
        if self is NOTHING:
            return later
        prompt, completion, dollars, turns, carried, fresh, again = later
        if turns:
            again += turns * self.carried + (turns - 1) * self.fresh
            carried += self.carried + self.fresh
        else:
            carried, fresh = self.carried, fresh + self.fresh
        return Spent(
            self.prompt + prompt,
            self.completion + completion,
            self.dollars + dollars,
            self.turns + turns,
            carried,
            fresh,
            self.again + again,
        )


NOTHING = Spent()


class Spending:
    """A stretch under way."""

    __slots__ = ("_again", "_carried", "_fresh", "_spared", "_turns")

    def __init__(self) -> None:
        self._spared = NOTHING
        self._turns = self._carried = self._fresh = self._again = 0

    def turn(self) -> None:
        """A turn is still made."""
        self._turns += 1
        self._again += self._carried
        self._carried += self._fresh
        self._fresh = 0

    def text(self, characters: int) -> None:
        """Every prompt from here on holds so many characters more."""
        self._fresh += characters

    def spare(self, turn: Spent) -> None:
        """A turn is saved, which would have come to this."""
        self._spared = self._spared.then(turn._replace(fresh=0))
        self._fresh += turn.fresh

    def stretch(self) -> Spent:
        """All of it."""
        if not (self._turns or self._fresh) and self._spared is NOTHING:
            return NOTHING
        return Spent(
            *self._spared[:3], self._turns, self._carried, self._fresh, self._again
        )


def saved(turn: AssistantTurn) -> Spent:
    """A turn that is not made, and whose calls stand in no prompt any more."""
    usage, characters = turn.usage, len(calls_json(turn.calls))
    if usage is None:
        return Spent(fresh=-characters)
    prompt, completion, dollars = (
        usage.prompt_tokens, usage.completion_tokens, usage.cost
    )  # fmt: skip
    return Spent(prompt, completion, dollars, fresh=-characters)
