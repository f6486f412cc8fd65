"""Phase 0 as JSON: every table of the report, shares with what they are made of."""

from stretto.canonical import Json
from stretto.evaluate.foresight import ORDERS, Foresight
from stretto.evaluate.outlook import OutlookRow
from stretto.evaluate.phase0 import Phase0
from stretto.evaluate.prediction import Fit, Reliance
from stretto.learn.opinions import Opinions
from stretto.report.naming import action_name, context_name
from stretto.report.opinions import opinions_json
from stretto.report.phase0_sites import sites_json, sure_json
from stretto.report.shares import share_json


def phase0_json(found: Phase0, opinions: Opinions | None = None) -> Json:
    """The measures of one domain. Agents have their whole names."""
    rows = (*found.outlook, *(() if opinions is None else opinions.rows))
    return {
        "domain": found.domain,
        "episodes": found.episodes,
        "on_trust": found.on_trust,
        "tools": {str(kind): n for kind, n in sorted(found.tools.items())},
        "unlisted_tools": list(found.unlisted),
        "train": {"tasks": found.train_tasks, "episodes": found.train_episodes},
        "test": {"tasks": found.test_tasks, "episodes": found.test_episodes},
        "agents": [
            {
                "agent": a.agent, "target": a.is_target, "episodes": a.episodes,
                "empty": a.empty, "tasks": a.tasks,
                "succeeded": share_json(a.succeeded), "turns": share_json(a.turns),
                "calls": share_json(a.calls), "writes": share_json(a.writes),
                "parallel": share_json(a.parallel),
                "headroom": share_json(a.headroom),
                "lookups_from_outputs": share_json(a.from_outputs),
                "lookups_from_conversation": share_json(a.from_conversation),
                "bundled_writes": share_json(a.bundled),
            }
            for a in found.agents
        ],
        "anatomy": [
            {
                "agent": a.agent, "target": a.is_target,
                **{str(kind): share_json(s) for kind, s in a.kinds.items()},
                "language": share_json(a.language),
            }
            for a in found.anatomy
        ],
        "runs": [{"run": name, "times": n} for name, n in found.runs],
        "origins": [
            {
                "origin": str(o.origin), "writes": share_json(o.writes),
                "writes_whole_words": share_json(o.writes_whole),
                "reads": share_json(o.reads),
                "reads_whole_words": share_json(o.reads_whole),
                "others": share_json(o.others),
                "others_whole_words": share_json(o.others_whole),
            }
            for o in found.origins
        ],
        "confirmations": [
            {"agent": c.agent, "yes": share_json(c.yes), "assent": share_json(c.assent)}
            for c in found.confirmations
        ],
        "lookup_tokens": {
            "by_bytes": found.tokens.by_bytes, "fitted": found.tokens.fitted,
        },
        "prices": {name: p._asdict() for name, p in sorted(found.prices.items())},
        "foresight": None
        if found.foresight is None
        else _foresight(found, found.foresight),
        "oracle": None if opinions is None else opinions_json(opinions),
        "savings": [_outlook(row) for row in rows],
    }  # fmt: skip


def _foresight(found: Phase0, foresight: Foresight) -> Json:
    posterior, transfer = foresight.concentration, foresight.transfer
    selection = foresight.selection
    return {
        "alpha": foresight.alpha,
        "alpha_90": None if posterior is None else [posterior.low, posterior.high],
        "orders": [
            {"order": order, **_fit(fit)}
            for order, fit in zip(ORDERS, foresight.orders, strict=True)
        ],
        "coverage": [_reliance(r) for r in foresight.reliance],
        "positions": [
            {
                "position": str(p.position), "share": share_json(p.share),
                **_fit(p.fit), "sure": _reliance(p.reliance),
            }
            for p in foresight.positions
        ],
        "variants": [
            {
                "variant": v.variant, "alpha": v.alpha, **_fit(v.fit),
                "after_tool": _reliance(v.after_tool),
            }
            for v in foresight.variants
        ],
        "features": []
        if selection is None
        else [
            {
                "tool": c.candidate.tool, "kind": c.candidate.field.kind,
                "path": c.candidate.field.path, "gain": c.gain,
            }
            for c in selection.chosen
        ],
        "sites": sites_json(foresight),
        "sure_rules": sure_json(foresight),
        "validated": [
            {
                "context": context_name(v.context, found.vocab),
                "action": action_name(v.action, found.vocab),
                "agreed": share_json(v.agreed), "tasks": v.tasks,
                "held_out": share_json(v.held_out),
            }
            for v in foresight.validated
        ],
        "transfer": {
            "habits": list(transfer.habits), "agents": list(transfer.agents),
            "top1": [[share_json(cell) for cell in row] for row in transfer.top1],
        },
    }  # fmt: skip


def _fit(fit: Fit) -> dict[str, Json]:
    return {"bits": share_json(fit.bits), "top1": share_json(fit.top1)}


def _reliance(found: Reliance) -> Json:
    return {
        "threshold": found.threshold,
        "coverage": share_json(found.coverage),
        "agreement": share_json(found.agreement),
    }


def _outlook(row: OutlookRow) -> Json:
    return {
        "agent": row.agent, "design": str(row.design),
        "scenario": str(row.scenario), "gate": row.gate,
        "threshold": row.threshold,
        "turns": share_json(row.turns), "ceiling": share_json(row.ceiling),
        "prompt_tokens": share_json(row.prompt),
        "prompt_tokens_by_bytes": share_json(row.prompt_by_bytes),
        "dollars": share_json(row.dollars),
        "sessions_with_detour": share_json(row.with_detour),
        "sessions_with_wrong_call": share_json(row.with_wrong),
        "handed_back": row.handed_back, "stopped": row.stopped,
        "unsure": row.unsure, "arguments": row.arguments,
    }  # fmt: skip
