"""A thousand random settings of a flow, and the ones that no other beats."""

import sys
from random import Random

import numpy as np

from stretto import read, read_flow
from stretto.evaluate.flat import Walkable
from stretto.evaluate.growing import Grower
from stretto.evaluate.setting import OFF, Batch, Setting
from stretto.evaluate.sweep import Sweep
from stretto.learn.search import counts
from stretto.models.sweep import jax_walk

flow, episodes = read_flow(sys.argv[1]), list(read([sys.argv[2]]))
random, sites = Random(7), sorted(map(str, flow.sites.next))
levels = [0.1, 0.2, 0.3, 0.5, 0.7, 0.9, OFF]
settings = [
    Setting(thresholds={site: random.choice(levels) for site in sites})
    for _ in range(1000)
]

sweep = Sweep(Grower(flow), episodes)
counted = sweep.counted(settings)

flat = sweep.flat()
walkable = Walkable.of(flat)
again = jax_walk(walkable, walkable.levels(flat, Batch(settings)))
assert np.array_equal(again, counted)

sums = {name: each.sum(axis=1) for name, each in counts(counted).items()}
points = sorted(zip(sums["detours"], -sums["turns_saved"], strict=True))
print(f"{len(settings):,} settings of {len(sites)} sites, {len(episodes)} sessions")
print(f"{flat.n_nodes:,} states, {flat.n_bytes / 1024:.0f} KiB")
most = 0
for detours, lost in points:
    if -lost > most:
        most = -lost
        print(f"{most} turns saved with {detours} detours")
