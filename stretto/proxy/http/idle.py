"""Things that are done again and again, while something else goes on."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

_SHORTEST_S, _LONGEST_S = 0.01, 60.0


def quarter(idle_s: float) -> float:
    """How often to look for what has been idle for so long, in seconds."""
    return min(max(idle_s / 4, _SHORTEST_S), _LONGEST_S)


@asynccontextmanager
async def every(period_s: float, do: Callable[[], None]) -> AsyncIterator[None]:
    """Do something every so many seconds, for the length of the block."""
    doing = asyncio.ensure_future(_again(period_s, do))
    try:
        yield
    finally:
        doing.cancel()


async def _again(period_s: float, do: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(period_s)
        do()
