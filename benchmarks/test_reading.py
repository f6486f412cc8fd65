"""
How long reading and learning take beside parsing the same sessions' JSON, and in how
much memory.
"""

import gzip
import json
import shutil
import tracemalloc

import pytest

from benchmarks.beside import beside
from benchmarks.cold import forget
from stretto.episodes.manifest import read_manifest
from stretto.learn.corpus import Corpus
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.traces.reader import read
from tests.conftest import shared

RETAIL = "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"
AIRLINE = "sessions/tau1-sierra/airline__gpt-4o__50x4.json.gz"
MOST = 3
"""How many times as long as parsing its JSON each of these may take with a file."""


def parsing(path):
    """What the file's JSON costs, once it is text."""
    text = gzip.decompress(path.read_bytes()).decode()
    if path.name.endswith(".jsonl.gz"):
        lines = text.splitlines()
        return lambda: [json.loads(line) for line in lines]
    return lambda: json.loads(text)


def costing(benchmark, run, path):
    """Measures `run`, and prints how many times as long as parsing a file it takes."""
    beside(
        benchmark, run, baseline=parsing(path), named="json.loads of the file's text"
    )
    benchmark.extra_info["bar"] = 1 / MOST
    cost = benchmark.stats.stats.min / benchmark.extra_info["baseline_s"]
    print(f"{cost:.1f} times parsing (at most: {MOST})")


def drain(paths):
    """Reads sessions and keeps none."""
    return sum(1 for _ in read(paths))


@pytest.mark.parametrize("file", [RETAIL, AIRLINE], ids=["tau2-lines", "tau1-document"])
def test_reading_a_file_beside_parsing_it(benchmark, file):
    path = shared(file)
    costing(benchmark, lambda: drain([path]), path)


@pytest.mark.parametrize("features", [False, True], ids=["plain", "features"])
def test_learning_a_habit_from_a_file_beside_parsing_it(benchmark, features):
    path, manifest = shared(RETAIL), read_manifest(shared("manifests/retail.json"))

    def learn_all():
        forget()
        corpus = Corpus(lambda: read([path]))
        return learn(corpus, manifest, Settings(features=features))

    costing(benchmark, learn_all, path)


def peak(paths):
    """The most memory that reading these sessions takes, in MiB."""
    tracemalloc.start()
    drain(paths)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / 2**20


def test_reading_four_times_the_sessions_takes_no_more_memory(benchmark, tmp_path):
    path = shared(RETAIL)
    one, four = tmp_path / "one.jsonl", tmp_path / "four.jsonl"
    with gzip.open(path) as packed, one.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    four.write_bytes(one.read_bytes() * 4)
    drain([one])
    found = {
        "MiB": one.stat().st_size / 2**20,
        "peak_MiB": peak([one]),
        "peak_MiB_of_four_times": peak([four]),
    }

    benchmark.pedantic(drain, args=([four],), rounds=1)

    benchmark.extra_info |= found
    print("\n" + ", ".join(f"{name} {mib:.1f}" for name, mib in found.items()))
