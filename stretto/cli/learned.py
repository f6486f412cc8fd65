"""What `stretto learn` says of a flow: as text, and as JSON."""

from pathlib import Path

from stretto.canonical import Json
from stretto.episodes.manifest import Kind
from stretto.flow.flow import Flow
from stretto.learn.adopt import MARK
from stretto.learn.arbiter import Arbitrated
from stretto.learn.learn import Learned


def lines(learned: Learned, fitted: Arbitrated | None, out: Path) -> list[str]:
    """A flow in a few lines, each of a word and what there is to say to it."""
    flow = learned.flow
    kinds = list(flow.manifest.tools.values())
    counts = ", ".join(f"{kinds.count(kind)} {kind.value}" for kind in Kind)
    used = flow.provenance.habit_episodes
    told = [
        f"domain     {flow.manifest.domain or 'unnamed'}",
        f"sessions   {learned.episodes} read, {learned.training} to learn from, "
        f"{used} used",
        f"tools      {len(kinds)}: {counts}",
        f"sites      {len(flow.sites.next)} with a lookup",
        f"α          {_alpha(learned)}",
        f"features   {_features(learned)}",
    ]
    agents = [s for s in flow.provenance.sources if not s.startswith(MARK)]
    if len(agents) > 1:
        told.append(f"agents     {', '.join(agents)}: one habit of all")
    if learned.on_trust:
        told.append(
            f"on trust   {learned.on_trust} of the sessions used carry no reward and "
            "were taken as successful (--rewards)"
        )
    return [*told, *_arbiter(flow, fitted), f"wrote      {out}"]


def _arbiter(flow: Flow, fitted: Arbitrated | None) -> list[str]:
    """Of a flow with an arbiter, where it is from and what it was fitted on."""
    if not flow.folds:
        return []
    cases = flow.provenance.arbiter_cases
    if fitted is None:
        lent = [s for s in flow.provenance.sources if s.startswith(MARK)]
        text = f"taken over, fitted on {cases:,} decisions; {', '.join(lent)}"
        return [f"arbiter    {text}"]
    unanswered = len(fitted.steps) - len(fitted.answered)
    folds = ", ".join(map(str, fitted.fold_sizes))
    text = f"fitted on {cases:,} held-out decisions (by fold: {folds}) of "
    text += f"{len(fitted.tasks)} tasks"
    if targets := len(fitted.answered) - len(fitted.fitted_on):
        text += f", beside {targets:,} of targets"
    if unanswered:
        text += f"; {unanswered:,} more were not answered"
    agree = sum(fit.rates.agree for fit in flow.folds) / len(flow.folds)
    return [
        f"arbiter    {text}",
        f"model      {flow.model}, which agreed with the agent at {agree:.0%} of them",
    ]


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


def summary(learned: Learned, fitted: Arbitrated | None, out: Path) -> Json:
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
        "arbiter": _arbiter_json(flow, fitted),
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


def _arbiter_json(flow: Flow, fitted: Arbitrated | None) -> Json:
    if not flow.folds:
        return None
    known: dict[str, Json] = {
        "model": flow.model,
        "cases": flow.provenance.arbiter_cases,
        "weights": [[*fit.weights] for fit in flow.folds],
    }
    if fitted is None:
        return known
    return {
        **known,
        "asked": len(fitted.steps),
        "unanswered": len(fitted.steps) - len(fitted.answered),
        "held_out_tasks": len(fitted.tasks),
        "of_targets": len(fitted.answered) - len(fitted.fitted_on),
        "cases_by_fold": [*fitted.fold_sizes],
    }
