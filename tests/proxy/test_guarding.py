"""Guards in a proxy that is a process, with the demo's shop behind it."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from stretto.cli.main import cli
from stretto.cli.proxy_arguments import OWN_FAILURE
from stretto.demo.record import record
from stretto.demo.world import build
from stretto.episodes.episode import ToolResult
from stretto.traces.reader import read
from tests.conftest import ROOT
from tests.proxy.host import INITIALIZE, Host

SEED = 7
SHOP = [sys.executable, "-m", "stretto.demo.server", "--seed", str(SEED)]
EXAMPLE = ROOT / "docs" / "examples" / "shop.rules.json"


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's rules, audited on sessions at the shop and allowed."""
    folder = tmp_path_factory.mktemp("guarded")
    record(folder / "sessions", sessions=40, seed=SEED)
    path = folder / "shop.rules.json"
    path.write_bytes(EXAMPLE.read_bytes())
    allowed = ("--allow", "shop.read_first", "--allow", "shop.processing")
    arguments = ["guards", str(folder / "sessions"), "--rules", str(path), *allowed]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    return path


def greet(host: Host) -> None:
    host.send(INITIALIZE)
    host.line()
    host.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')


def order() -> str:
    """An order that may still be cancelled."""
    orders = build(SEED).orders.values()
    return next(o.order_id for o in orders if o.status == "processing")


def test_a_write_is_refused_until_its_order_was_read(rules: Path, tmp_path: Path):
    given = {"order_id": order(), "reason": "no longer needed"}
    guarded = ("--guards", str(rules), "--record", str(tmp_path))
    with Host.behind_proxy(SHOP, *guarded) as host:
        greet(host)
        refused = host.ask(1, name="cancel_order", arguments=given)
        host.ask(2, name="get_order", arguments=given)
        made = host.ask(3, name="cancel_order", arguments=given)
        assert host.end() == 0
        noted = host.noted()

    assert refused["result"]["isError"] is True
    assert "(policy check shop.read_first)" in refused["result"]["content"][0]["text"]
    assert made["result"].get("isError") is not True
    assert f"stretto-proxy: guarding by {rules}: 2 rules, 2 of them enforced" in noted
    assert noted[-1] == "stretto-proxy: 2 calls checked, 1 of them refused"
    [log] = tmp_path.glob("*.guards.jsonl")
    checks = [json.loads(line) for line in log.read_text().splitlines()]
    assert [check["refused"] for check in checks] == [True, False]
    [episode] = read([tmp_path])
    returned = [e for e in episode.events if isinstance(e, ToolResult)]
    assert [e.error for e in returned] == [True, False, False]


def test_rules_that_were_not_audited_refuse_nothing_and_that_is_noted(tmp_path: Path):
    log = tmp_path / "checks.jsonl"
    given = {"order_id": order(), "reason": "no longer needed"}
    asked = ("--guards", str(EXAMPLE), "--guards-log", str(log))
    with Host.behind_proxy(SHOP, *asked) as host:
        greet(host)
        made = host.ask(1, name="cancel_order", arguments=given)
        assert host.end() == 0
        noted = host.noted()

    assert made["result"].get("isError") is not True
    assert sum("is only logged" in line for line in noted) == 2
    [check] = [json.loads(line) for line in log.read_text().splitlines()]
    assert check["verdicts"]["shop.read_first"] == "fail"


def test_in_shadow_and_with_a_manifest_nothing_unlisted_is_a_record(
    rules: Path, tmp_path: Path
):
    manifest = tmp_path / "manifest.json"
    manifest.write_text('{"domain":"shop","tools":{"get_customer":"read"}}')
    given = {"order_id": order(), "reason": "no longer needed"}
    log = tmp_path / "checks.jsonl"
    asked = ("--guards", str(rules), "--guards-manifest", str(manifest))
    more = ("--guards-shadow", "--guards-log", str(log))
    with Host.behind_proxy(SHOP, *asked, *more) as host:
        greet(host)
        host.ask(1, name="get_order", arguments={"order_id": given["order_id"]})
        made = host.ask(2, name="cancel_order", arguments=given)
        assert host.end() == 0
        noted = host.noted()

    assert made["result"].get("isError") is not True
    assert f"stretto-proxy: guarding by {rules}: 2 rules, in shadow" in noted
    [check] = [json.loads(line) for line in log.read_text().splitlines()]
    assert check["shadow"] is True
    assert check["verdicts"]["shop.read_first"] == "fail"


@pytest.mark.parametrize("named", ["bakery", "no-such.rules.json"])
def test_guards_that_are_not_there_are_said_before_the_server_starts(named: str):
    with Host.behind_proxy(SHOP, "--guards", named) as host:
        assert host.end() == OWN_FAILURE
        assert named in host.noted()[-1]
