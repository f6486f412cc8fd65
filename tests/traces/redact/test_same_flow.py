"""From copies the same flow is learned as from the sessions, but for spelling."""

import pytest

from stretto.demo.record import record
from stretto.demo.served import serve
from stretto.demo.served import write as write_served
from stretto.demo.world import build
from stretto.episodes.manifest import Kind, Manifest
from stretto.files import read_json
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read
from stretto.traces.redact.copies import NOTHING_STAYS, copy, logs, surveyed
from stretto.traces.redact.pseudonym import Pseudonyms, plain
from stretto.traces.redact.values import Choice
from tests.conftest import shared
from tests.traces.logs import call, log, result, said, write
from tests.traces.redact.flows import as_log, unspelled

SALT = b"a salt of sixteen"


def learned(folder):
    """The flow learned from a folder of logs."""
    ledger = Ledger()
    episodes = list(read([folder], ledger=ledger))
    assert ledger.problems == []
    settings = Settings(constants=True)
    return learn(episodes, ledger.manifest, settings, contracts=ledger.contracts).flow


def assert_same(source, out, choice=NOTHING_STAYS):
    """The flows of sessions and of their copies differ in spelling alone."""
    found = logs([source], Ledger())
    copy(found, out, SALT, choice=choice, ledger=Ledger())
    pseudonyms, staying = Pseudonyms(SALT), surveyed(found, choice).staying()

    def new(value):
        return value if plain(value) in staying else pseudonyms.of(value)

    flow = learned(source)
    told = unspelled(flow, new)
    for constant in told["bindings"].get("constants", ()):
        constant[1] = new(constant[1])
    assert unspelled(learned(out), lambda value: value) == told
    return flow


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Forty sessions at the demo's shop."""
    folder = tmp_path_factory.mktemp("shop")
    record(folder, sessions=40, seed=7)
    return folder


def test_of_sessions_at_the_shop(shop, tmp_path):
    flow = assert_same(shop, tmp_path)

    assert flow.map.fields
    assert flow.bindings.sources


def test_of_sessions_at_the_shop_with_a_field_kept(shop, tmp_path):
    assert_same(shop, tmp_path, Choice(keep=frozenset({"status"}), keep_shared=5))


def test_of_sessions_that_a_flow_served(shop, tmp_path):
    sessions = serve(build(7), learned(shop), sessions=20, seed=7, first=40)
    write_served(tmp_path / "served", sessions)

    assert_same(tmp_path / "served", tmp_path / "copies")


def test_of_published_logs(tmp_path):
    assert_same(shared("reference/logs/shop"), tmp_path)


@pytest.mark.parametrize(
    ("domain", "sessions"),
    [
        ("airline", "tau2-sierra-prs/airline__gpt-4o-2024-11-20__50.json.gz"),
        ("telecom-solo", "tau2-sierra-prs/telecom-solo__gpt-4.1__40.json.gz"),
    ],
)
def test_of_a_benchmarks_sessions(domain, sessions, tmp_path):
    kinds = read_json(shared(f"manifests/{domain}.json"))["tools"]
    tools = {name: kind.one_of(Kind, "a kind") for name, kind in kinds.items()}
    for nth, episode in enumerate(read([shared(f"sessions/{sessions}")])):
        (tmp_path / "in").mkdir(exist_ok=True)
        write(tmp_path / "in", as_log(episode, Manifest(domain, tools), nth))

    flow = assert_same(tmp_path / "in", tmp_path / "out")

    assert flow.bindings.sources


def test_logs_of_one_hosts_servers_are_one_session_still(tmp_path):
    talk = [said(1, "user", "Ship W1 to Oslo."), said(2, "user", "Or is L77 nearer?")]
    (tmp_path / "in").mkdir()
    for name, first, text in (("shop", "W1", "Oslo"), ("map", "L77", "near W1")):
        entries = [*talk, call(3, 1, x=first), result(4, 1, text)]
        named = {"host_session": "Mia at her desk", "server_name": name}
        write(tmp_path / "in", log(*entries, session=f"s-{name}", **named))
    found = logs([tmp_path / "in"], Ledger())
    copy(found, tmp_path / "out", SALT, ledger=Ledger())

    (before, whole), (after, copied) = map(reading, (tmp_path / "in", tmp_path / "out"))

    assert whole == copied == 1
    assert [shape(e) for e in after] == [shape(e) for e in before]
    assert "Mia" not in after[0].id


def reading(folder):
    """The episodes of a folder, and how many were put together."""
    ledger = Ledger()
    return list(read([folder], ledger=ledger)), ledger.counts["merged sessions"]


def shape(episode):
    """What kinds of events an episode has."""
    return [type(event) for event in episode.events]
