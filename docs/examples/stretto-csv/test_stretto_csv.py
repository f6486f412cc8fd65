"""The spreadsheet's sessions, read."""

from pathlib import Path

from stretto_csv import READER

from stretto.traces.reader import Head, Ledger, ReadOptions

SHEET = Path(__file__).with_name("sessions.csv")


def test_every_session_but_the_unreadable_one_is_an_episode() -> None:
    ledger = Ledger()
    episodes = list(READER.read([SHEET], ReadOptions(), ledger))

    assert [episode.id for episode in episodes] == ["mon-1", "mon-2", "tue-1", "tue-3"]
    assert [problem.line for problem in ledger.problems] == [14]


def test_a_failed_call_has_a_failed_result() -> None:
    episodes = {e.id: e for e in READER.read([SHEET], ReadOptions(), Ledger())}

    assert [r.error for r in episodes["tue-1"].results().values()] == [True]
    assert [r.error for r in episodes["mon-1"].results().values()] == [False, False]


def test_a_file_without_the_columns_is_not_this_readers() -> None:
    assert READER.sniff(Head.of(SHEET))
    assert not READER.sniff(Head.of(Path(__file__)))
