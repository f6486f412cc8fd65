"""How long a model of one's own takes to answer, in CPU time on one thread."""

import time

import numpy as np
import pytest

from benchmarks.beside import beside
from stretto.episodes.manifest import read_manifest
from stretto.flow.deciders.arbiter import Asker
from stretto.learn.cases import steps_asked
from stretto.learn.local import local_cases, local_flows
from stretto.models.local import fit
from stretto.models.local_batch import told
from stretto.oracle.local import account, clues, tokens
from stretto.oracle.local.calibration import Calibration
from stretto.oracle.local.file import (
    PLACES,
    LocalModel,
    Member,
    Provenance,
    local_bytes,
    parse_local,
)
from stretto.oracle.local.oracle import Local
from stretto.oracle.wording import shipped_wording
from stretto.traces.reader import read
from tests.conftest import shared

SESSIONS = "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run{}__114.jsonl.gz"

KEPT = (
    tokens.words,
    tokens.ids,
    tokens.shape,
    tokens.result,
    account._line,
    clues._numbered,
    clues._described,
)
"""What holds texts taken apart."""

PROVENANCE = Provenance("", "retail", (), 0, 0, "", (), {}, None, {})


@pytest.fixture(scope="module")
def asked():
    """A model trained on one run's sessions, and the requests of another's."""
    manifest = read_manifest(shared("manifests/retail.json"))
    one, other = ([*read([shared(SESSIONS.format(n))])] for n in (1, 2))
    flows = local_flows(one, manifest)
    cases = local_cases(one, flows, shipped_wording())
    offered = [case for case in cases if case.taken in case.offered[-1]]
    net = fit(
        offered, [told(c) for c in offered], offering=len(flows) - 1, seed=7, epochs=8
    )
    members = dict.fromkeys(PLACES, Member(net, Calibration()))
    model = parse_local(local_bytes(LocalModel(members, PROVENANCE)), "benchmark")
    asker = Asker.of(flows[-1])
    requests = [s.request for e in other for s in steps_asked(flows[-1], asker, e)]
    return Local.of(model), requests


def test_answering_real_requests_beside_writing_them_as_json(benchmark, asked):
    local, requests = asked
    benchmark.extra_info["n"] = len(requests)
    beside(
        benchmark,
        lambda: [local.ask(request) for request in requests],
        baseline=lambda: [request.data for request in requests],
        named="the requests' canonical JSON",
    )
    for name, forgets in (("along a session", False), ("each text new", True)):
        taken = np.array([_seconds(local, one, forgets=forgets) for one in requests])
        p50, p99 = 1e6 * np.quantile(taken, [0.5, 0.99])
        print(f"{name}: p50 {p50:.0f} µs, p99 {p99:.0f} µs of {len(requests)} answers")


def _seconds(local, request, *, forgets):
    if forgets:
        for function in KEPT:
            function.cache_clear()
    start = time.thread_time()
    local.ask(request)
    return time.thread_time() - start
