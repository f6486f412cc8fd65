"""A flow's run behind one of the agent's calls, with somebody to decide and look up."""

from collections.abc import Callable

from stretto.episodes.site import Site
from stretto.flow.caps import PER_CALL
from stretto.flow.decision import Lookup
from stretto.flow.run import Decide, Runner
from stretto.program.events import Draw
from stretto.program.handlers import Run, answer
from stretto.program.values import Value


def run_behind(
    runner: Runner,
    site: Site,
    decide: Callable[[], Lookup | None],
    look_up: Callable[[Lookup], bool],
    *,
    max_lookups: int = PER_CALL,
) -> Run:
    """
    The flow's program, run after a call at `site`.

    At a decision it makes the lookup that `decide` gives, at an outcome it says how
    the last lookup went. Whatever the program is, it makes at most `max_lookups`.

    Args:
        decide: The lookup to make as things stand; None hands back.
        look_up: Makes a lookup; whether it succeeded.
    """
    made = 0
    handed_back = False
    """Whether the flow has handed back; as nothing changes, it is not asked again."""
    pending = False
    """Whether a lookup was made and succeeded, and no outcome has told so yet."""

    def choose(draw: Draw) -> Value:
        nonlocal made, handed_back, pending
        if not isinstance(draw.distribution, Decide):
            succeeded, pending = pending, False
            return succeeded
        lookup = decide() if made < max_lookups and not handed_back else None
        if lookup is None:
            handed_back, pending = True, False
            return 0
        made += 1
        pending = look_up(lookup)
        return runner.numbers.of(lookup.tool)

    return answer(runner.after(site, max_lookups=max_lookups), choose)
