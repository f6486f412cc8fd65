"""A refinement: which predicates are worth asking, and what none of them explains."""

from stretto.learn.refine import HardSite, Refinement
from stretto.report.document import Document, Heading, Key, Part, Prose, table


def refinement_document(found: Refinement, name: str) -> Document:
    """What became of the candidates on the log called `name`."""
    n = found.scored
    parts: list[Part] = [
        Key(
            (
                (f"{-found.before.log_p / n:.3f}", "nats a held-out decision, as is"),
                (f"{-found.after.log_p / n:.3f}", "with the predicates kept"),
                (f"{len(found.kept)}", "predicates kept"),
            )
        ),
        Prose(_reading(found)),
    ]
    if found.rounds:
        parts += [Heading("Candidates"), _rounds(found)]
    parts.append(Heading("Hardest decisions"))
    for site in found.sites:
        parts += [Prose(_site(site)), _hardest(site)]
    return Document(f"Refinement of {name}", tuple(parts))


def _reading(found: Refinement) -> str:
    text = (
        f"{found.scored:,} decisions, each judged by an arbiter fitted on other folds "
        f"of tasks. A predicate is kept where it gains more than {found.penalty:.2f} "
        "nats over all of them together."
    )
    if found.kept:
        text += f" Kept: {', '.join(predicate.id for predicate in found.kept)}."
    if found.targets:
        before, after = (
            -score.targets / found.targets for score in (found.before, found.after)
        )
        text += (
            f" At {found.targets:,} decisions that no arbiter was fitted on, the "
            f"surprise is {before:.3f} nats as is and {after:.3f} with them."
        )
    return text


def _rounds(found: Refinement) -> Part:
    kept = len(found.kept)
    return table(
        ("round", "candidate", "kept", "gain", "answered", "targets' nats"),
        [
            (
                i + 1, tried.id, "yes" if i < kept and tried is round[0] else "no",
                f"{tried.gain:+.2f}", f"{tried.answered:,}",
                f"{tried.score.targets:.1f}" if found.targets else "–",
            )
            for i, round in enumerate(found.rounds)
            for tried in round
        ],
        text=3,
    )  # fmt: skip


def _site(site: HardSite) -> str:
    return (
        f"After `{site.site}`: {site.surprise:.1f} nats over {site.decisions:,} "
        "decisions. The least likely, one a task:"
    )


def _hardest(site: HardSite) -> Part:
    return table(
        ("episode", "task", "step", "the agent's step", "its probability", "likeliest"),
        [
            (
                hard.episode, hard.task, hard.step, hard.took,
                f"{hard.probabilities[hard.took]:.3f}",
                max(hard.probabilities, key=hard.probabilities.__getitem__),
            )
            for hard in site.hardest
        ],
        text=6,
    )  # fmt: skip
