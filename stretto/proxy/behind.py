"""A flow's run behind one call, stopped wherever it waits: for a lookup, an answer."""

from collections.abc import Callable, Coroutine, Generator
from types import coroutine
from typing import TypeAlias

from stretto.episodes.site import Site
from stretto.flow.decision import Lookup
from stretto.flow.run import Decide, Runner
from stretto.program.events import Draw
from stretto.program.handlers import Run, serve
from stretto.program.values import Value
from stretto.proxy.choose import Question

Wait: TypeAlias = Lookup | Question
"""What a run waits for: the lookup made, or the decision taken."""


class Behind:
    """
    A run after a call at `site`; `begin` it, then go on after whatever it waits for.

    Whatever the program is, it makes at most `max_lookups`.

    Args:
        choose: The lookup to make at a decision as things stand, or what has to be
            asked first; None hands back.
    """

    def __init__(
        self,
        runner: Runner,
        site: Site,
        choose: Callable[[str, Decide], Wait | None],
        *,
        max_lookups: int,
    ) -> None:
        self.site = site
        self._runner, self._choose = runner, choose
        self._left = max_lookups
        """How many lookups it may still make; none once it has handed back."""
        self._has_succeeded = False
        """Whether a lookup was made and succeeded, and no outcome has told so yet."""
        self._run: Coroutine[Wait, Lookup | bool | None, Run] | None = None

    def begin(self) -> Wait | Run:
        """
        What the run waits for first, or the run, over without any lookup.

        Raises:
            ProgramError: the program misran, here or later.
        """
        steps = self._runner.after(self.site, max_lookups=self._left)
        self._run = serve(steps, self._answer)
        return self._resume(None)

    def looked_up(self, *, succeeded: bool) -> Wait | Run:
        """What the run waits for once the lookup was made, or the run, over."""
        return self._resume(succeeded)

    def decided(self, lookup: Lookup | None) -> Wait | Run:
        """
        What the run waits for once the question was answered, or the run, over.

        Args:
            lookup: The one decided on; None hands back.
        """
        return self._resume(lookup)

    def _resume(self, told: Lookup | bool | None) -> Wait | Run:
        assert self._run is not None
        try:
            return self._run.send(told)
        except StopIteration as end:
            run: Run = end.value
            return run

    async def _answer(self, draw: Draw) -> Value:
        if not isinstance(draw.distribution, Decide):
            succeeded, self._has_succeeded = self._has_succeeded, False
            return succeeded
        self._has_succeeded = False
        if not self._left:
            return 0
        chosen = self._choose(draw.address, draw.distribution)
        lookup = await _decided(chosen) if isinstance(chosen, Question) else chosen
        if lookup is None:
            self._left = 0
            return 0
        self._left -= 1
        self._has_succeeded = await _made(lookup)
        return self._runner.numbers.of(lookup.tool)


@coroutine
def _made(lookup: Lookup) -> Generator[Lookup, bool, bool]:
    """Wait until somebody made the lookup, and says whether it succeeded."""
    return (yield lookup)


@coroutine
def _decided(question: Question) -> Generator[Question, Lookup | None, Lookup | None]:
    """Wait until somebody had the answers, and decided by them."""
    return (yield question)
