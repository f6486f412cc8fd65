"""
Does an arbiter of use save more turns than one of the next step?

    python -m benchmarks.use_arbiter --domain retail

A network is trained to say of each lookup that binds, whether the agent makes that
very call before its next write, and weighed against reach and the binding's chance.
All is learned from the split's training tasks, thresholds are chosen on those, fold by
fold, for as many detours as the habit has at 0.3, and the test tasks are replayed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import click
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from benchmarks.deciders import replayed
from benchmarks.deciders_table import within
from benchmarks.local_model import SEED, SHARED, sessions_of
from stretto.binding.bind import bind
from stretto.canonical import Json, compact, sort_keys
from stretto.episodes.episode import Episode, ToolCall
from stretto.episodes.manifest import Kind, Manifest, read_manifest
from stretto.episodes.tasks import N_FOLDS, fold
from stretto.episodes.vocabulary import RESPOND
from stretto.evaluate.growing import Grower
from stretto.evaluate.paired import Sums
from stretto.evaluate.rows import totals
from stretto.files import read_json
from stretto.flow.deciders.arbiter import Asker
from stretto.flow.deciders.protocol import Chances
from stretto.flow.deciders.reach import decider as reach_decider
from stretto.flow.flow import Flow
from stretto.flow.judge import log_odds
from stretto.flow.moment import Moment
from stretto.flow.options import options
from stretto.learn.cases import before_steps
from stretto.learn.local import local_cases, local_flows
from stretto.models.local import (
    _OPTIMISER,
    BATCHES,
    STEPS,
    Kept,
    Network,
    _kept,
    _served,
    _start,
)
from stretto.models.local_batch import Told, known, rows
from stretto.oracle.answer import Response
from stretto.oracle.local.case import Case
from stretto.oracle.local.clues import clues
from stretto.oracle.local.hashing import numbers
from stretto.oracle.local.net import Net, marks_of
from stretto.oracle.next_step import NEXT
from stretto.oracle.question import Choice, Request
from stretto.oracle.state import Slice
from stretto.oracle.wording import shipped_wording

EPOCHS = 14
THRESHOLDS = [round(0.02 + 0.01 * i, 2) for i in range(97)]


@dataclass(frozen=True, slots=True)
class Seen:
    """A decision, and of each of its lookups what is known and what came of it."""

    case: Case
    binds: Sequence[float | None]
    """The chance of the binding; None where the lookup does not bind."""
    reach: Sequence[float]
    used: Sequence[bool]


@dataclass(slots=True)
class Use:
    """Decides by the chance that the bound call comes before the next write."""

    flow: Flow
    net: Net
    weights: Sequence[float]
    name: str = "use"
    chances: Chances = Chances.INDEPENDENT

    def state(self) -> Slice | None:
        return Asker.of(self.flow).state()

    def question(self, _: Moment, __: tuple[str, ...]) -> Request | None:
        return None

    def weigh(
        self, moment: Moment, offered: tuple[str, ...], _: Response | None = None
    ) -> Mapping[str, float]:
        asked = Asker.of(self.flow).question(moment, offered)
        which = asked.questions[NEXT]
        assert isinstance(which, Choice)
        told = {o: which.criteria[o] for o in (*sorted(offered), RESPOND)}
        scores = dict(zip(told, self.net.scores(clues(asked.state, told)), strict=True))
        reach = reach_decider(self.flow).weigh(moment, offered, None)
        found = {RESPOND: 0.0}
        for lookup in offered:
            bound = _chance(self.flow, lookup, moment)
            x = (scores[lookup], log_odds(reach[lookup]), log_odds(bound or 0.5), 1.0)
            # A flow multiplies by the binding's chance, which is in here already.
            found[lookup] = min(1.0, _logistic(x, self.weights) / (bound or 0.5))
        return found


def _logistic(x: Sequence[float], weights: Sequence[float]) -> float:
    return float(1 / (1 + np.exp(-np.dot(x, weights))))


def _chance(flow: Flow, lookup: str, moment: Moment) -> float | None:
    found = bind(flow.bindings, flow.manifest, lookup, moment.seen, moment.pending)
    return None if isinstance(found, str) else found.chance


def seen_in(episode: Episode, flows: Sequence[Flow], manifest: Manifest) -> list[Seen]:
    """The decisions of an episode, judged by the flow that left its fold out."""
    flow = flows[fold(episode.task_or_id)]
    reach = reach_decider(flow)
    cases = iter(local_cases([episode], flows, shipped_wording()))
    found, steps = [], list[str | None]()
    for moment, call, _ in before_steps(Asker.of(flow), episode):
        steps.append(None if call is None else _key(call, manifest))
        site = moment.site
        if site is None or not any(options(other, site) for other in flows):
            continue
        case = next(cases)
        lookups = case.options[:-1]
        chances = reach.weigh(moment, lookups, None)
        bound = [
            bind(flow.bindings, flow.manifest, lookup, moment.seen, moment.pending)
            for lookup in lookups
        ]
        keys = [
            None if isinstance(b, str) else _text(lookup, dict(b.arguments))
            for lookup, b in zip(lookups, bound, strict=True)
        ]
        binds = [None if isinstance(b, str) else b.chance for b in bound]
        p = [chances[lookup] for lookup in lookups]
        found.append((len(steps) - 1, case, binds, p, keys))
    later = _before_writes(steps)
    return [
        Seen(case, binds, p, [key in later[place] for key in keys])
        for place, case, binds, p, keys in found
    ]


def _before_writes(steps: Sequence[str | None]) -> list[frozenset[str | None]]:
    """From each step on, the calls until the next write; a write has no key."""
    later, found = frozenset[str | None](), []
    for step in reversed(steps):
        later = frozenset() if step == WRITE else later | {step} - {None}
        found.append(later)
    return found[::-1]


WRITE = ""
"""Stands for a call that writes."""


def _key(call: ToolCall, manifest: Manifest) -> str:
    writes = manifest.kind(call.tool) is Kind.WRITE
    return WRITE if writes else _text(call.tool, call.arguments)


def _text(tool: str, arguments: Json) -> str:
    return compact([tool, sort_keys(arguments)])


class Batch(eqx.Module):
    """Decisions at one shape."""

    words: Int32[Array | np.ndarray, "case slot"]
    marks: Int32[Array | np.ndarray, "case option place"]
    used: Float[Array | np.ndarray, "case option"]
    counted: Bool[Array | np.ndarray, "case option"]
    weight: Float[Array | np.ndarray, " case"]


def trained(seen: Sequence[Seen], out: int, epochs: int) -> Iterator[Net]:
    """The network after each pass over the decisions that an offering has."""
    seen = [one for one in seen if one.case.offered[out]]
    # The step itself is not learned from, but has to be one of the options.
    cases = [replace(one.case, taken=one.case.taken or RESPOND) for one in seen]
    tolds = [Told(numbers(c.clues.words), marks_of(c.clues)) for c in cases]
    vocabulary = known(tolds, [case.task for case in cases])
    data = rows(cases, tolds, vocabulary, out)
    used = np.zeros(data.offered.shape, np.float32)
    counted = np.zeros(data.offered.shape, bool)
    for i, one in enumerate(seen):
        used[i, : len(one.used)] = one.used
        binds = [b is not None for b in one.binds]
        counted[i, : len(binds)] = data.offered[i, : len(binds)] & binds
    data = data._replace(taken=used, offered=counted)
    shuffled = np.random.default_rng([SEED, out])
    network = _start(vocabulary, shuffled)
    state = _OPTIMISER.init(eqx.filter(network, eqx.is_array))
    key, step = jax.random.key(SEED), 0
    size = max(b for b in BATCHES if b * STEPS <= len(cases) or b == BATCHES[0])
    for _ in range(epochs):
        order = shuffled.permutation(len(cases))
        for start in range(0, len(order), size):
            part = data.take(order[start : start + size], size)
            batch = Batch(part.words, part.marks, part.taken, part.offered, part.weight)
            drop = jax.random.fold_in(key, step)
            network, state = _step(network, state, batch, drop)
            step += 1
        yield _served(network, vocabulary)


@eqx.filter_jit
def _step(
    network: Network, state: object, batch: Batch, key: PRNGKeyArray
) -> tuple[Network, object]:
    gradient = eqx.filter_grad(_loss)(network, batch, key)
    updates, state = _OPTIMISER.update(gradient, state, network)
    return eqx.apply_updates(network, updates), state


def _loss(network: Network, batch: Batch, key: PRNGKeyArray) -> Float[Array, ""]:
    def one(of: Batch, key: PRNGKeyArray) -> Float[Array, ""]:
        left = jax.random.split(key)
        slots = of.words.shape[-1], of.marks.shape[-1]
        kept = Kept(_kept(left[0], slots[0]), _kept(left[1], slots[1]))
        scores = network(of.words, of.marks, kept)
        losses = jnp.logaddexp(0, scores) - of.used * scores
        return jnp.sum(jnp.where(of.counted, losses, 0.0))

    losses = jax.vmap(one)(batch, jax.random.split(key, len(batch.weight)))
    return losses @ batch.weight / jnp.maximum(batch.weight.sum(), 1.0)


def weighed(seen: Sequence[Seen]) -> tuple[int, list[float]]:
    """After how many passes held-out folds are likeliest, and the weights."""
    best = (np.inf, 0, [0.0])
    tables: list[list[tuple[list[float], bool]]] = [[] for _ in range(EPOCHS)]
    for out in range(N_FOLDS):
        others = [one for one in seen if fold(one.case.task) != out]
        own = [
            one for one in seen if fold(one.case.task) == out and one.case.offered[out]
        ]
        for epoch, net in enumerate(trained(others, out, EPOCHS)):
            tables[epoch] += [row for one in own for row in _told(one, net, out)]
    for epoch, found in enumerate(tables):
        x, used = np.array([x for x, _ in found]), np.array([y for _, y in found])
        loss = float(np.mean(np.logaddexp(0, x[:, 0]) - used * x[:, 0]))
        if loss < best[0]:
            best = loss, epoch + 1, _logit(x, used).tolist()
    return best[1], best[2]


def _told(one: Seen, net: Net, out: int) -> Iterator[tuple[list[float], bool]]:
    scores = net.scores(one.case.clues)
    for i, (lookup, chance) in enumerate(
        zip(one.case.options[:-1], one.binds, strict=True)
    ):
        if chance is not None and lookup in one.case.offered[out]:
            x = [float(scores[i]), log_odds(one.reach[i]), log_odds(chance), 1.0]
            yield x, one.used[i]


def _logit(x: np.ndarray, used: np.ndarray) -> np.ndarray:
    at = np.zeros(x.shape[1])
    for _ in range(50):
        said = 1 / (1 + np.exp(-x @ at))
        bend = (x * (said * (1 - said))[:, None]).T @ x + 1e-3 * np.eye(len(at))
        at += np.linalg.solve(bend, x.T @ (used - said) - 1e-3 * at)
    return at


@click.command()
@click.option("--domain", default="retail")
def main(domain: str) -> None:
    """Train, choose thresholds, replay the test tasks, and print what came of it."""
    split = read_json(SHARED / "splits" / f"{domain}.json")
    train, test = (
        {task.text() for task in split[side].array()} for side in ("train", "test")
    )
    manifest = read_manifest(SHARED / "manifests" / f"{domain}.json")
    sessions = [*sessions_of(domain)]
    learned = [one for one in sessions if one.task in train]
    new = [one for one in sessions if one.task in test]
    flows = local_flows(learned, manifest)
    seen = [one for e in learned for one in seen_in(e, flows, manifest)]
    epochs, weights = weighed(seen)
    click.echo(f"{epochs} passes; net, reach, binding, 1: {np.round(weights, 2)}")
    names = ("habit", "reach", "use")
    chosen: dict[str, dict[float, list]] = {name: {} for name in names}  # type: ignore[type-arg]
    for out in range(N_FOLDS):
        own = [one for one in learned if fold(one.task_or_id) == out]
        others = [one for one in seen if fold(one.case.task) != out]
        growers = _growers(flows[out], [*trained(others, out, epochs)][-1], weights)
        for name, grower in growers.items():
            for at, of in replayed(grower, own, THRESHOLDS).items():
                chosen[name].setdefault(at, []).extend(of)
    sums = {
        name: {at: totals(of) for at, of in found.items()}
        for name, found in chosen.items()
    }
    allowed = sums["habit"][0.3].detours
    growers = _growers(flows[-1], [*trained(seen, N_FOLDS, epochs)][-1], weights)
    tasks = [one.task_or_id for one in new]
    measured = {}
    for name, grower in growers.items():
        at = within(sums[name], allowed)
        of = replayed(grower, new, [at])[at]
        measured[name] = Sums.of(zip(tasks, [[]] * len(new), of, strict=True))
        all_of = totals(of)
        click.echo(f"{name} at {at}: {all_of.turns_saved} turns, {all_of.detours}")
    for name in ("habit", "reach"):
        for measure in ("turns saved", "detours"):
            more = measured["use"].beyond(measured[name], measure)
            click.echo(f"use − {name}, {measure}: {more}")


def _growers(flow: Flow, net: Net, weights: Sequence[float]) -> dict[str, Grower]:
    return {
        "habit": Grower(flow, "habit"),
        "reach": Grower(flow, "reach"),
        "use": Grower(flow, given=Use(flow, net, weights)),
    }


if __name__ == "__main__":
    main()
