"""How long phase 0 takes beside parsing the same sessions' JSON, and in what memory."""

import tracemalloc
from dataclasses import replace
from functools import reduce

from benchmarks.beside import beside
from benchmarks.test_reading import RETAIL, parsing
from stretto.episodes.manifest import Manifest, read_manifest
from stretto.evaluate.phase0 import phase0
from stretto.learn.corpus import Corpus
from stretto.traces.reader import ReadOptions, read
from tests.conftest import shared

KINDS = ("retail-v1", "airline-v1", "telecom-solo", "telecom", "airline", "retail")


def test_measuring_a_file_beside_parsing_it(benchmark):
    path, manifest = shared(RETAIL), read_manifest(shared("manifests/retail.json"))

    beside(
        benchmark,
        lambda: phase0(Corpus(lambda: read([path])), manifest),
        baseline=parsing(path),
        named="json.loads of the file's text",
    )


def test_measuring_every_tau_session_as_if_of_one_domain(benchmark):
    folders = sorted(path for path in shared("sessions").glob("tau*"))
    options = ReadOptions(domain="all")
    manifests = [read_manifest(shared(f"manifests/{name}.json")) for name in KINDS]
    manifest = replace(reduce(Manifest.merged, manifests), domain="all")

    def measure():
        return phase0(Corpus(lambda: read(folders, options=options)), manifest)

    found = benchmark.pedantic(measure, rounds=1)
    tracemalloc.start()
    measure()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    benchmark.extra_info |= {"n": found.episodes, "peak_mib": round(peak)}
    print(f"\n{found.episodes:,} sessions: {benchmark.stats.stats.min:.1f} s, "
          f"{peak:.0f} MiB")  # fmt: skip
