"""A replay as JSON."""

from dataclasses import asdict

from stretto.canonical import Json
from stretto.evaluate.balance import TokenPrices
from stretto.evaluate.rows import Row
from stretto.evaluate.tokens import Net
from stretto.report.replay import COUNTING, Replayed
from stretto.report.replay_sites import Point
from stretto.report.tokens import net_json, tokens_json


def summary(
    chosen: Replayed,
    settings: list[Replayed],
    rows: list[Row],
    nets: list[Net | None],
    decider: str,
    sites: dict[str, list[Point]],
    prices: TokenPrices,
) -> Json:
    """The replay as JSON."""
    found: dict[str, Json] = {
        "counting": "current",
        "assumes": COUNTING,
        "decider": decider,
        "threshold": chosen.threshold,
        "totals": _totals(chosen),
        "thresholds": [{"threshold": s.threshold, **_totals(s)} for s in settings],
        "prices": prices._asdict(),
        "episodes": [
            {**asdict(row), "tokens": net_json(net)}
            for row, net in zip(rows, nets, strict=True)
        ],
    }
    if sites:
        found["sites"] = {s: [p._asdict() for p in ps] for s, ps in sites.items()}
    return found


def _totals(setting: Replayed) -> dict[str, Json]:
    share = round(setting.totals.turns_saved_share, 4)
    interval = None if setting.interval is None else list(setting.interval)
    return {
        **asdict(setting.totals),
        "turns_saved_share": share,
        "turns_saved_share_interval": interval,
        "turns_saved_share_model": None if setting.model is None else [*setting.model],
        "tokens": tokens_json(setting.tokens),
    }
