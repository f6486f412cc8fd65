import math
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from jax.scipy.special import logit
from numpyro.infer.util import log_density

from stretto import Episode, Flow, decide, read, read_flow
from stretto.evaluate.concentrated import concentrated
from stretto.evaluate.decisions import Point, points
from stretto.flow.deciders.habit import decider
from stretto.flow.decision import Lookup
from stretto.habit.encode import encode
from stretto.models.decider import HabitModule
from stretto.models.precision import float64
from tests.docs.conftest import Shop
from tests.docs.console import DOCS, EXAMPLES, Console, quoted
from tests.toys import TOY, taught, walked

PAGE = DOCS / "how-to" / "embed-the-decider.md"


def example(name: str) -> ModuleType:
    """An example as a module; it is not run."""
    spec = spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_examples_print_what_the_page_shows(console: Console) -> None:
    console.follow(PAGE)


def test_the_page_quotes_its_examples_as_they_are() -> None:
    for found in quoted(PAGE):
        assert found.text == (EXAMPLES / found.name).read_text(encoding="utf-8")


def test_a_cold_soft_rule_is_worth_what_the_flows_own_decisions_are(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = example("train_thresholds")
    monkeypatch.setattr(train, "TEMPERATURE", 1e-6)
    flow = read_flow(shop.folder / "shop.flow.json")
    episodes = list(read([shop.folder / "held-out"]))[:20]
    sites = sorted(map(str, flow.sites.next))
    thresholds = dict(zip(sites, [0.95, 0.5, 0.6, 0.3, 0.2], strict=True))
    other = replace(concentrated(flow, 6.0), thresholds=thresholds)
    with float64():
        rule = train.Rule(
            jnp.log(jnp.array(6.0)), logit(jnp.array([*thresholds.values()]))
        )
        seen = train.decisions(flow, episodes, sites)
        found, _ = eqx.filter_jit(train.loss)(rule, HabitModule.from_flow(flow), seen)

    worth = [each for e in episodes for each in worths(train, other, e)]
    assert {1.0, -train.WASTE, 0.0} == set(worth)
    assert float(found) == pytest.approx(-sum(worth) / len(worth), rel=1e-12)


def worths(train: ModuleType, flow: Flow, episode: Episode) -> list[float]:
    """What each decision of a flow in a session comes to."""
    found = []
    for point in points(flow, decider(flow), episode):
        if isinstance(point, Point):
            act = decide(flow, point.moment, decider(flow)).action
            used = isinstance(act, Lookup) and train.makes(
                point.follows, act.tool, act.arguments
            )
            found.append(
                (1.0 if used else -train.WASTE) if isinstance(act, Lookup) else 0.0
            )
    return found


def test_the_embedding_models_density_is_that_of_a_loop_over_the_steps() -> None:
    follow = example("follow_a_habit")
    flow = taught(TOY).flow
    agents = [[walked("E3", "rfgcR")], [walked("E4", "fggR"), walked("E5", "rR")]]
    at = {"centre": 0.7, "spread": 1.3, "α": 2.5, "apart": [0.4, -1.1]}
    with float64():
        habit, steps = HabitModule.from_flow(flow), follow.steps_of(flow, agents)
        steps = jax.tree.map(jnp.asarray, steps)
        params = {name: jnp.array(value) for name, value in at.items()}
        density = jax.jit(
            lambda p: log_density(follow.following, (habit, steps, 2), {}, p)[0]
        )
        value = float(density(params))

    own = concentrated(flow, 2.5).habit
    expected = normal(0.7, 2) + math.log(2) + normal(1.3, 1)
    expected += normal(math.log(2.5), 2) - math.log(2.5)
    for apart, episodes in zip([0.4, -1.1], agents, strict=True):
        expected += normal(apart, 1)
        follows = 1 / (1 + math.exp(-(0.7 + 1.3 * apart)))
        for episode in episodes:
            walk = encode(episode, flow.vocab, flow.map)
            for step, action in enumerate(walk.actions):
                p = own.predict(walk.symbols[:step])[action]
                expected += math.log(follows * p + (1 - follows) / flow.vocab.size)
    assert value == pytest.approx(expected, rel=1e-12)


def normal(x: float, sd: float) -> float:
    """The log density of a Normal around 0."""
    return -0.5 * (x / sd) ** 2 - math.log(sd * math.sqrt(2 * math.pi))
