"""Flows learned from random sessions and changed at random, as a reviewer might."""

from dataclasses import replace
from random import Random

from stretto.episodes.episode import Episode
from stretto.files import Node
from stretto.flow.wire import flow_json, parse_flow
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from tests.evaluate.sessions import MANIFESTS, across_servers, episodes
from tests.flow.literal import named
from tests.toys import Script


class Lesson:
    """A random flow and its file, always the same for a seed."""

    def __init__(self, seed: int, *, steady: bool = False) -> None:
        """`steady` sessions are all alike, so that most lookups have a source."""
        random = Random(seed)
        self.seed, self.servers = seed, random.choice((1, 1, 1, 2))
        chosen = Settings(
            alpha=random.choice((0.1, 0.3, 1.0, 3.0)),
            features=random.random() < 0.2,
            constants=random.random() < 0.5,
            now_ms=lambda: 0,
        )
        first, *others = episodes(seed, random.randrange(3, 9), n_turns=12)
        sessions = [steadily()] * 3 if steady else [replace(first, reward=1.0), *others]
        training = self.named(sessions)
        manifest = MANIFESTS[self.servers - 1]
        self.file = flow_json(learn(training, manifest, chosen).flow)
        _change(self.file, random)
        self.flow = parse_flow(Node(self.file, "random.flow.json"))

    def named(self, sessions: list[Episode]) -> list[Episode]:
        """The sessions, of as many servers as this flow's."""
        return sessions if self.servers == 1 else [*map(across_servers, sessions)]

    def measured(self, n: int, **sizes: float) -> list[Episode]:
        """Other sessions of the same kind."""
        return self.named(episodes(self.seed + 1, n, **sizes))


def steadily(n_orders: int = 3) -> Episode:
    """A session whose agent reads all there is, one call after the other."""
    orders = [f"W{101 + i}" for i in range(n_orders)]
    script = Script().user("hello").turn(("find", {"name": "Ann"}, "u_11"))
    script.turn(("user", {"user_id": "u_11"}, {"orders": orders, "user_id": "u_11"}))
    for order in orders:
        script.turn(("get", {"order_id": order}, {"id": order, "status": "sent"}))
    script.turn(("list_all", {}, [{"id": order} for order in orders]))
    script.turn(("price", {"orders": orders}, {"prices": [1, 2, 3]}))
    return script.turn(("cancel", {"order_id": "W101"}, "ok")).reply().episode()


def _change(file: dict, random: Random) -> None:
    sites = [named(site) for site, _ in file["sites"]["next"]]
    if random.random() < 0.4:
        file["stretto_flow"] = 2
        file["thresholds"] = {
            site: random.choice((0.0, 0.05, 0.2, 1.0, 1.5))
            for site in sites
            if random.random() < 0.5
        }
    if random.random() < 0.3:
        file["stretto_flow"] = 2
        file["surprise"] = {
            "window": random.choice((1, 2, 3)),
            "threshold": random.choice((0.5, 1.0, 2.0)),
        }
    if random.random() < 0.2:
        file["sites"]["every_read"] = True
    if random.random() < 0.2:
        file["promoted"] = _promoted(sites, random)


def _promoted(sites: list[str], random: Random) -> dict:
    record = {"decisions": 1, "lookups": 1, "used": 1, "tasks": 1, "lower": 0.1}
    return {
        "bar": {"threshold": 0.3, "min_used": 0.7, "min_lower": 0.5, "min_tasks": 3},
        "sites": {
            site: {**record, "promoted": random.random() < 0.7}
            for site in sites
            if random.random() < 0.7
        },
    }
