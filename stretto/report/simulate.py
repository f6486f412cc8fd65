"""A simulation: would sessions like the recorded ones come from the flow?"""

from stretto.evaluate.simulate import Simulation
from stretto.report.document import Document, Figure, Heading, Key, Part, Prose, table
from stretto.report.drawing import Drawing


def simulation_document(
    found: Simulation, name: str, draw: Drawing | None = None
) -> Document:
    """The simulation of the flow called `name`."""
    title = f"Simulation of {name}"
    if not found.decisions:
        return Document(title, (Prose("The flow decided nowhere in these sessions."),))
    n, runs = found.decisions, found.log_p_runs
    mean = sum(runs) / len(runs)
    outside = sum(not option.within for option in found.options)
    parts: list[Part] = [
        Key(
            (
                (f"{-found.log_p / n:.3f}", "nats a decision, as recorded"),
                (f"{-mean / n:.3f}", "nats a decision, in simulated runs"),
                (f"{found.tail:.3f}", "of runs are no likelier than the record"),
                (f"{outside} of {len(found.options)}", "counts outside 90% of runs"),
            )
        ),
        Prose(
            f"{found.runs:,} runs of {n:,} decisions (seed {found.seed}), each drawn "
            "from the flow's probabilities with the agent's history before it. "
            "A flow that fits gives runs like the record: a share near 0 says that the "
            "agents do what the flow finds unlikely, a share near 1 that they are more "
            "regular than it expects."
        ),
    ]
    if draw is not None:
        parts.append(Heading("Surprise"))
        drawn = draw.spread([-p / n for p in runs], -found.log_p / n, "nats a decision")
        parts.append(Figure(drawn, "The record among the flow's own runs."))
    parts += [Heading("Options"), _options(found)]
    return Document(title, tuple(parts))


def _options(found: Simulation) -> Part:
    return table(
        ("site", "option", "recorded", "simulated", "5%", "95%", "within"),
        [
            (
                o.site, o.option, o.recorded, f"{o.mean:.1f}", f"{o.low:.0f}",
                f"{o.high:.0f}", "yes" if o.within else "no",
            )
            for o in found.options
        ],
        text=2,
    )  # fmt: skip
