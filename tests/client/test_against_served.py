"""A replay against the shop finds what serving the flow there does."""

from contextlib import contextmanager

from stretto.client.live import Live, replay_live
from stretto.client.session import Ends
from stretto.demo.record import record
from stretto.demo.served import serve
from stretto.demo.server import served
from stretto.demo.world import build
from stretto.evaluate.replay import Replayer
from stretto.flow.deciders.decider import decider
from stretto.learn.learn import learn
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read

SEED, TAUGHT, SERVED = 7, 120, 20
WORLD = build(SEED)


@contextmanager
def beside(_):
    """The shop in a thread of this process."""
    with served(WORLD) as (reads, writes):
        yield Ends(writes.buffer, reads.buffer)


def test_session_by_session_the_same_turns_are_saved_and_the_same_lookups_needless(
    tmp_path,
):
    ledger = Ledger()
    logs = record(tmp_path / "taught", sessions=TAUGHT, seed=SEED)
    flow = learn(list(read(logs, ledger=ledger)), ledger.manifest).flow
    unseen = record(tmp_path / "unseen", sessions=SERVED, seed=SEED, first=TAUGHT)

    live = Live(beside, writes=True)
    replayer = Replayer(flow, decider(flow))
    found = list(replay_live(replayer, read(unseen), [0.3], live))
    for_real = serve(WORLD, flow, sessions=SERVED, seed=SEED, first=TAUGHT)

    assert sum(one.live[0].row.turns_saved for one in found) > 40
    for one, session in zip(found, for_real, strict=True):
        [account], [in_record] = one.live, one.record
        turns = len(session.without.turns) - len(session.recording.turns)
        assert account.row.turns_saved == turns
        assert account.row.lookups == len(session.lookups)
        assert account.row.detours == session.needless
        assert not one.fidelity.differing + one.fidelity.misread
        assert in_record.detours.low <= session.needless <= in_record.detours.high
