"""A flow's run behind one call, stopped wherever it waits for a lookup."""

from collections.abc import Callable, Coroutine, Generator
from types import coroutine

from stretto.episodes.site import Site
from stretto.flow.decision import Lookup
from stretto.flow.run import Decide, Runner
from stretto.program.events import Draw
from stretto.program.handlers import Run, serve
from stretto.program.values import Value


class Behind:
    """
    A run after a call at `site`; `begin` it, then `go_on` after each lookup.

    Whatever the program is, it makes at most `max_lookups`.

    Args:
        choose: The lookup to make at a decision as things stand; None hands back.
    """

    def __init__(
        self,
        runner: Runner,
        site: Site,
        choose: Callable[[str, Decide], Lookup | None],
        *,
        max_lookups: int,
    ) -> None:
        self.site = site
        self._runner, self._choose = runner, choose
        self._left = max_lookups
        """How many lookups it may still make; none once it has handed back."""
        self._has_succeeded = False
        """Whether a lookup was made and succeeded, and no outcome has told so yet."""
        self._run: Coroutine[Lookup, bool | None, Run] | None = None

    def begin(self) -> Lookup | Run:
        """
        The first lookup to make, or the run, over without any.

        Raises:
            ProgramError: the program misran, here or in `go_on`.
        """
        steps = self._runner.after(self.site, max_lookups=self._left)
        self._run = serve(steps, self._answer)
        return self._resume(None)

    def go_on(self, *, succeeded: bool) -> Lookup | Run:
        """What comes after the lookup: the next one, or the run, over."""
        return self._resume(succeeded)

    def _resume(self, succeeded: bool | None) -> Lookup | Run:
        assert self._run is not None
        try:
            return self._run.send(succeeded)
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
        lookup = self._choose(draw.address, draw.distribution)
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
