"""What the tests of the proxy's processes take for granted."""

import signal
from collections.abc import Iterator

import pytest

from stretto.proxy.happenings import SIGNALS


@pytest.fixture(scope="package", autouse=True)
def heeded_signals() -> Iterator[None]:
    """
    No ending signal is ignored by what the tests start.

    Where the tests themselves run in the background, or past a hang-up, some are, and
    the proxy would do as it was started to.
    """
    ignored = [n for n in SIGNALS if signal.getsignal(n) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
