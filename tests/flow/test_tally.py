"""Many runs, counted."""

from random import Random

from stretto.episodes.site import Site
from stretto.flow.recorded import lookups
from stretto.flow.run import Numbers, Runner
from stretto.flow.tally import tally
from stretto.program.handlers import simulate
from tests.toys import TOY, taught

TOY_FLOW = taught(TOY).flow
FOUND = Site("find", False)


def test_runs_are_counted_by_the_lookups_they_made():
    runner, random = Runner.of(TOY_FLOW), Random(3)
    runs = [simulate(runner.after(FOUND), random) for _ in range(400)]

    found = tally(runs, runner.numbers)

    made = [lookups(run, runner.numbers) for run in runs]
    assert found.runs == sum(found.paths.values()) == 400
    assert found.mean_lookups == sum(map(len, made)) / 400
    assert all(n == made.count(path) for path, n in found.paths.items())
    assert list(found.paths.values()) == sorted(found.paths.values(), reverse=True)
    assert found.impossible == 0


def test_no_runs_make_no_lookups():
    assert tally([], Numbers(("respond",))).mean_lookups == 0
