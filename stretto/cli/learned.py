"""What learning came to: for a person, and as JSON."""

from pathlib import Path

from stretto.canonical import Json
from stretto.episodes.manifest import Kind
from stretto.learn.learn import Learned


def learned_lines(learned: Learned, out: Path) -> list[str]:
    """The flow written to `out`, in a few lines."""
    flow = learned.flow
    kinds = list(flow.manifest.tools.values())
    counts = ", ".join(f"{kinds.count(kind)} {kind.value}" for kind in Kind)
    used = flow.provenance.habit_episodes
    lines = [
        f"domain     {flow.manifest.domain or 'unnamed'}",
        f"sessions   {learned.episodes} read, {learned.training} to learn from, "
        f"{used} used",
        f"tools      {len(kinds)}: {counts}",
        f"sites      {len(flow.sites.next)} with a lookup",
        f"α          {_alpha(learned)}",
        f"features   {_features(learned)}",
    ]
    if len(flow.provenance.sources) > 1:
        lines.append(
            f"agents     {', '.join(flow.provenance.sources)}: one habit of all"
        )
    if learned.on_trust:
        lines.append(
            f"on trust   {learned.on_trust} of the sessions used carry no reward and "
            "were taken as successful (--rewards)"
        )
    return [*lines, f"wrote      {out}"]


def learned_json(learned: Learned, out: Path) -> dict[str, Json]:
    """The same as JSON."""
    flow, posterior = learned.flow, learned.concentration
    return {
        "flow": str(out),
        "domain": flow.manifest.domain,
        "episodes": learned.episodes,
        "training": learned.training,
        "habit_episodes": flow.provenance.habit_episodes,
        "on_trust": learned.on_trust,
        "sources": list(flow.provenance.sources),
        "sites": len(flow.sites.next),
        "alpha": flow.habit.base.alpha,
        "concentration": None
        if posterior is None
        else {
            "median": posterior.median,
            "low": posterior.low,
            "high": posterior.high,
            "sampler": posterior.sampler,
            "r_hat": posterior.r_hat,
            "ess": posterior.ess,
        },
        "features": []
        if learned.selection is None
        else [
            {
                "tool": c.candidate.tool,
                "kind": c.candidate.field.kind,
                "path": c.candidate.field.path,
                "gain": c.gain,
            }
            for c in learned.selection.chosen
        ],
    }


def _alpha(learned: Learned) -> str:
    posterior = learned.concentration
    alpha = learned.flow.habit.base.alpha
    if posterior is None:
        return f"{alpha:g}, as given"
    text = f"{alpha:.3f} [{posterior.low:.3f}, {posterior.high:.3f}], the median and "
    text += f"90% interval by {posterior.sampler}"
    if posterior.r_hat is not None and posterior.ess is not None:
        text += f" (R̂ {posterior.r_hat:.3f}, ESS {posterior.ess:.0f})"
    return text


def _features(learned: Learned) -> str:
    if learned.selection is None:
        return "not looked for"
    if not learned.selection.chosen:
        return f"none of {learned.selection.n_candidates} fields helps"
    return ", ".join(
        f"{c.candidate.tool} {c.candidate.field.kind}({c.candidate.field.path}) "
        f"+{c.gain:.1f} nats"
        for c in learned.selection.chosen
    )
