"""A program tried out on a flow before anybody serves it."""

from random import Random

from stretto.episodes.site import Site
from stretto.errors import ProgramError
from stretto.flow.caps import PER_CALL
from stretto.flow.flow import Flow
from stretto.flow.run import Runner
from stretto.program.ast import Program
from stretto.program.handlers import simulate

TRIES = 20
"""How many runs are tried after each call, for each cap."""

_CAPS = (0, 1, PER_CALL)


def rehearse(flow: Flow, program: Program, *, seed: int = 0) -> int:
    """
    How many runs were tried, all of them without a mistake.

    After every call the flow knows, failed or not, and with no, one or the usual number
    of lookups to make.

    Raises:
        ProgramError: a run met a soft error, or came to an address a second time.
    """
    runner, random = Runner.of(flow, program), Random(seed)
    sites = [Site(tool, failed) for tool in runner.numbers.names for failed in _BOTH]
    for site in sites:
        for cap in _CAPS:
            for _ in range(TRIES):
                run = simulate(runner.after(site, max_lookups=cap), random)
                if run.warnings:
                    hint = f"it happened after {site}, with {cap} lookups to make"
                    raise ProgramError(run.warnings[0], hint=hint)
    return len(sites) * len(_CAPS) * TRIES


_BOTH = (False, True)
