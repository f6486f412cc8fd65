"""
Does this agent look things up as readily as the agents its flow was learned from?

A flow's probabilities are those of the sessions it was learned from. Put behind another
agent, or the same one a version later, it may be too forward or too shy, and its
threshold wrong by as much. This program is the flow's standard run with one thing it
does not know: the agent's eagerness, a number added to the log odds of every lookup
against handing back. Conditioned on new sessions it says how eager the agent is; at 0
it is the standard run.

    python programs/eagerness.py shop.flow.json sessions/

`model` is a NumPyro model like any other: `condition` it on choices and give it to
MCMC, or `do` it with an eagerness and `seed` it to see what such an agent looks up. One
unknown needs no MCMC: `posterior` computes it on a grid from the model's own density.
"""

from collections.abc import Sequence
from pathlib import Path

import click
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
from jax.nn import log_softmax
from jaxtyping import Array, Bool, Float, Int
from numpyro import distributions as dist
from numpyro import handlers
from numpyro.infer.util import log_density

from stretto.episodes.step import steps
from stretto.errors import StrettoError
from stretto.flow.caps import PER_CALL
from stretto.flow.recorded import Recorded, recorded
from stretto.flow.run import Numbers, Runner, numbers
from stretto.flow.wire import read_flow
from stretto.models.families import Decide, Tables, tables
from stretto.models.precision import float64
from stretto.traces.reader import read

PRIOR_SD = 1.0
"""An agent of eagerness 1 has 2.7 times the odds of a lookup."""

GRID = np.linspace(-5.0, 5.0, 1001)
"""Where the posterior is computed; wider than the prior by far."""


class Calls(eqx.Module):
    """The calls that runs come after."""

    tool: Int[Array, " run"]
    failed: Bool[Array, " run"]


def tilted(decision: Float[Array, "run tool"], by: Float[Array, ""]) -> Decide:
    """A decision with `by` added to every lookup's log odds against handing back."""
    return Decide(log_softmax(decision.at[:, 0].add(-by), axis=-1))


def model(flow: Tables, calls: Calls, max_lookups: int = PER_CALL) -> None:
    """Runs after `calls`, of an agent as eager as it happens to be."""
    eagerness = numpyro.sample("eagerness", dist.Normal(0.0, PRIOR_SD))
    prev, failed = calls.tool, calls.failed
    going = jnp.ones_like(failed)
    with numpyro.plate("run", len(prev)):
        for i in range(max_lookups):
            decision = tilted(flow.row(prev, failed), eagerness).mask(going)
            d = numpyro.sample(f"decide#{i}", decision)
            going &= d != 0
            ok = numpyro.sample(f"outcome#{i}", flow.outcome(d).mask(going))
            prev, failed = jnp.where(going, d, prev), jnp.where(going, ~ok, failed)


def observed(
    runs: Sequence[Recorded], tools: Numbers, max_lookups: int = PER_CALL
) -> tuple[Calls, dict[str, Array]]:
    """Recorded runs as arrays: the calls before them, and the choices by address."""
    calls = Calls(
        jnp.array([tools.of(site.tool) for site, _ in runs]),
        jnp.array([site.failed for site, _ in runs]),
    )
    choices: dict[str, Array] = {}
    for i in range(max_lookups):
        for address, after_the_end in ((f"decide#{i}", 0), (f"outcome#{i}", False)):
            drawn = [run.values.get(address, after_the_end) for _, run in runs]
            choices[address] = jnp.array(drawn)
    return calls, choices


def posterior(
    flow: Tables,
    calls: Calls,
    choices: dict[str, Array],
    max_lookups: int = PER_CALL,
) -> Float[Array, " node"]:
    """The probability of each eagerness of `GRID`, given the choices."""
    given = handlers.condition(model, data=choices)

    def log_joint(eagerness: Float[Array, ""]) -> Float[Array, ""]:
        args = (flow, calls, max_lookups)
        found, _ = log_density(given, args, {}, {"eagerness": eagerness})
        return jnp.asarray(found)

    return jax.nn.softmax(jax.lax.map(log_joint, jnp.asarray(GRID)))


def quantile(probs: Float[Array, " node"], share: float) -> float:
    """The eagerness below which `share` of the probability lies."""
    return float(GRID[jnp.searchsorted(jnp.cumsum(probs), share)])


@click.command()
@click.argument("flow", type=click.Path(path_type=Path))
@click.argument("sessions", nargs=-1, required=True, type=click.Path(path_type=Path))
def main(flow: Path, sessions: tuple[Path, ...]) -> None:
    """Say how eager the agent of SESSIONS is, beside those FLOW was learned from."""
    try:
        learned = read_flow(flow)
        runner, tools = Runner.of(learned), numbers(learned)
        runs = [
            run
            for episode in read(sessions)
            for run in recorded(runner, steps(episode.events))
        ]
    except StrettoError as error:
        raise click.ClickException(str(error)) from error
    if not runs:
        raise click.ClickException("the sessions hold no call")
    with float64():
        probs = posterior(tables(learned), *observed(runs, tools))
        low, middle, high = (quantile(probs, share) for share in (0.05, 0.5, 0.95))
    click.echo(f"{len(runs):,} runs")
    click.echo(f"eagerness {middle:+.2f} [{low:+.2f}, {high:+.2f}] (median, 90%)")
    if low > 0:
        click.echo("more eager than the agents of the flow")
    elif high < 0:
        click.echo("less eager than the agents of the flow")
    else:
        click.echo("as eager as the agents of the flow, as far as these sessions tell")


if __name__ == "__main__":
    main()
