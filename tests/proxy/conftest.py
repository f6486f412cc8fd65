"""What the tests of the proxy's processes take for granted."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from stretto.demo.record import record
from stretto.flow.wire import write_flow
from stretto.learn.learn import learn
from stretto.proxy.happenings import SIGNALS
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read

SEED = 7


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


@pytest.fixture(scope="package")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A flow learned from sessions at the shop."""
    folder = tmp_path_factory.mktemp("learned")
    ledger = Ledger()
    logs = record(folder / "sessions", sessions=40, seed=SEED)
    episodes = list(read(logs, ledger=ledger))
    learned = learn(episodes, ledger.manifest, contracts=ledger.contracts)
    write_flow(learned.flow, folder / "shop.flow.json")
    return folder / "shop.flow.json"
