"""`stretto drift`: its exit code is the answer."""

import json

import pytest
from click.testing import CliRunner

from stretto.cli.main import cli
from stretto.flow.wire import write_flow
from tests.toys import SHOP, TOY, taught, walked
from tests.traces.benchmark import results


@pytest.fixture
def folder(tmp_path):
    write_flow(taught(TOY).flow, tmp_path / "shop.flow.json")
    for name, walks in (("same", ["rfgR"] * 20), ("other", ["rcccR"] * 8)):
        episodes = [walked(f"{name}{n}", walk) for n, walk in enumerate(walks)]
        text = json.dumps(results(episodes, SHOP.domain, "agent"))
        (tmp_path / f"{name}.json").write_text(text)
    return tmp_path


def run(folder, *args):
    paths = [str(folder / a) if a.endswith(".json") else a for a in args]
    return CliRunner().invoke(cli, ["drift", str(folder / "shop.flow.json"), *paths])


def test_the_same_agent_exits_with_0_and_another_with_1(folder):
    same = run(folder, "same.json")
    other = run(folder, "same.json", "other.json")

    assert same.exit_code == 0
    assert "No series changed." in same.stdout
    assert other.exit_code == 1
    assert "## From session 21 on surprise rose" in other.stdout


def test_an_error_exits_with_2(folder):
    result = run(folder, "other.json")

    assert result.exit_code == 2
    assert "drift needs 10 sessions, and there are 8" in result.output
    assert "hint:" in result.output


def test_json_holds_the_series_and_the_alarms(folder):
    result = run(folder, "same.json", "other.json", "--json")
    found = json.loads(result.stdout)

    assert result.exit_code == 1
    assert len(found["sessions"]) == 28
    assert all(len(values) == 28 for values in found["series"].values())
    assert {a["start"] for a in found["alarms"]} == {20}


def test_json_says_where_next_steps_part(folder):
    found = json.loads(run(folder, "same.json", "other.json", "--json").stdout)
    parting = found["parting"]

    assert (parting["start"], parting["p"], found["level"]) == (20, 0.001, 0.05)
    [row] = parting["sites"]
    assert (row["site"], row["next"]) == (None, "cancel")
    assert (row["before"], row["since"]) == (0.0, 0.5)


def test_next_steps_alone_are_an_alarm_where_they_alone_are_asked(folder):
    part = ("same.json", "other.json", "--by", "steps", "--level")
    lax, strict = run(folder, *part, "0.01"), run(folder, *part, "0.0001")

    assert (lax.exit_code, strict.exit_code) == (1, 0)
    assert "From session 21 on (other0), the agent takes other next" in lax.stdout
    assert "They go on alike." in strict.stdout


def test_the_page_draws_the_three_series(folder):
    page = folder / "drift.html"
    paths = [str(folder / name) for name in ("same.json", "other.json")]
    flow = str(folder / "shop.flow.json")
    result = CliRunner().invoke(cli, ["drift", flow, *paths, "--html", str(page)])

    assert result.exit_code == 1
    html = page.read_text()
    assert html.count("<svg") == 1
    for series in ("surprise", "disagreement", "novelty"):
        assert f">{series}</text>" in html
