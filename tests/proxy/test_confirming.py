"""The confirmation judge in a proxy that is a process, with the demo's shop behind."""

import json
from pathlib import Path

import pytest

from stretto.cli.proxy_options import parsed
from stretto.demo.world import build
from tests.conftest import ROOT
from tests.proxy.host import Host
from tests.proxy.test_guarding import SEED, SHOP, greet, order

EXAMPLE = ROOT / "docs" / "examples" / "shop.rules.json"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """The example's rules and one that asks for consent, all of them only logged."""
    document = json.loads(EXAMPLE.read_text())
    document["rules"].append(
        {
            "id": "shop.confirmed",
            "policy": "The customer says yes to a change before it is made.",
            "tools": ["cancel_order"],
            "require": {"agreed": True},
            "reason": "the customer's last message holds no yes",
        }
    )
    path = tmp_path / "shop.rules.json"
    path.write_text(json.dumps(document))
    return path


def spoken(folder: Path) -> Path:
    path = folder / "said.jsonl"
    lines = [
        {"role": "assistant", "content": "Shall I cancel it?"},
        {"role": "user", "content": "Yes."},
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


@pytest.mark.parametrize(
    ("mode", "threshold", "is_made"),
    [("enforce", 0.5, True), ("enforce", 0.6, False), ("log", 0.6, True)],
)
def test_a_write_is_judged_by_what_was_said(
    mode: str, threshold: float, is_made: bool, rules: Path, tmp_path: Path
) -> None:
    given = {"order_id": order(), "reason": "no longer needed"}
    judged = ("--confirm-judge", mode, "--confirm-threshold", str(threshold))
    asked = ("--guards", str(rules), "--context", str(spoken(tmp_path)))
    folder = ("--record", str(tmp_path / "logs"), "--oracle", "mock")
    with Host.behind_proxy(SHOP, *asked, *judged, *folder) as host:
        greet(host)
        made = host.ask(1, name="cancel_order", arguments=given)
        after = host.ask(2, name="get_order", arguments={"order_id": given["order_id"]})
        assert host.end() == 0
        noted = host.noted()

    assert (made["result"].get("isError") is not True) == is_made
    status = json.loads(after["result"]["content"][0]["text"])["status"]
    before = next(o for o in build(SEED).orders.values() if o.order_id == order())
    assert (status != before.status) == is_made
    [log] = (tmp_path / "logs").glob("*.confirm.jsonl")
    [found] = map(json.loads, log.read_text().splitlines())
    assert (found["p_yes"], found["enforced"]) == (0.5, mode == "enforce")
    assert found["fails"] == (threshold > 0.5)
    assert "1 judged" in noted[-1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--confirm-judge", "log"), "needs --guards and --context"),
        (("--confirm-second", "described"), "needs --confirm-judge"),
        (("--confirm-second-shadow",), "needs --confirm-second"),
        (("--confirm-judge", "maybe"), "invalid choice"),
        (("--confirm-threshold", "2"), "no number from 0 to 1"),
    ],
)
def test_what_does_not_go_together_is_a_line(options, says: str, capfd) -> None:
    with pytest.raises(SystemExit) as left:
        parsed([*options, "--", "server"])

    assert left.value.code == 2
    assert says in capfd.readouterr().err
