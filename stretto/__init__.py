"""
Learn an agent's tool-calling habit; serve its read-only part as a flow.

A public name's home is imported when the name is first used.
"""

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "Arbitration",
    "Episode",
    "Flow",
    "Manifest",
    "Program",
    "ScriptedOracle",
    "Settings",
    "StrettoError",
    "audit",
    "audit_guards",
    "compare_flows",
    "decide",
    "drift",
    "fit_arbiter",
    "headroom",
    "learn_arbitrated",
    "learn_flow",
    "load_guards",
    "numpyro_model",
    "parse_program",
    "phase0",
    "read",
    "read_arbiter",
    "read_flow",
    "read_manifest",
    "render_program",
    "replay",
    "review",
    "show",
    "totals",
    "write_arbiter",
    "write_flow",
]

if TYPE_CHECKING:
    from stretto.episodes.episode import Episode
    from stretto.episodes.manifest import Manifest, read_manifest
    from stretto.errors import StrettoError
    from stretto.evaluate.audit import audit
    from stretto.evaluate.drift import drift
    from stretto.evaluate.guards import audit_guards
    from stretto.evaluate.headroom import headroom
    from stretto.evaluate.phase0 import phase0
    from stretto.evaluate.replay import replay
    from stretto.evaluate.rows import totals
    from stretto.flow.arbiter_file import read_arbiter, write_arbiter
    from stretto.flow.decide import decide
    from stretto.flow.diff.compare import compare as compare_flows
    from stretto.flow.flow import Flow
    from stretto.flow.review import review
    from stretto.flow.show import show
    from stretto.flow.wire import read_flow, write_flow
    from stretto.guards.load import load as load_guards
    from stretto.learn.arbiter import Arbitration, learn_arbitrated
    from stretto.learn.learn import learn as learn_flow
    from stretto.learn.settings import Settings
    from stretto.models.crossfit import fit as fit_arbiter
    from stretto.models.lower import numpyro_model
    from stretto.oracle.scripted import ScriptedOracle
    from stretto.program.ast import Program
    from stretto.program.render import render as render_program
    from stretto.program.text import parse as parse_program
    from stretto.traces.reader import read
else:

    def __getattr__(name: str) -> object:
        if name not in HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module, attribute = HOMES[name].split(":")
        found = globals()[name] = getattr(importlib.import_module(module), attribute)
        return found


HOMES = {
    "Arbitration": "stretto.learn.arbiter:Arbitration",
    "Episode": "stretto.episodes.episode:Episode",
    "Flow": "stretto.flow.flow:Flow",
    "Manifest": "stretto.episodes.manifest:Manifest",
    "Program": "stretto.program.ast:Program",
    "ScriptedOracle": "stretto.oracle.scripted:ScriptedOracle",
    "Settings": "stretto.learn.settings:Settings",
    "StrettoError": "stretto.errors:StrettoError",
    "audit": "stretto.evaluate.audit:audit",
    "audit_guards": "stretto.evaluate.guards:audit_guards",
    "compare_flows": "stretto.flow.diff.compare:compare",
    "decide": "stretto.flow.decide:decide",
    "drift": "stretto.evaluate.drift:drift",
    "fit_arbiter": "stretto.models.crossfit:fit",
    "headroom": "stretto.evaluate.headroom:headroom",
    "learn_arbitrated": "stretto.learn.arbiter:learn_arbitrated",
    "learn_flow": "stretto.learn.learn:learn",
    "load_guards": "stretto.guards.load:load",
    "numpyro_model": "stretto.models.lower:numpyro_model",
    "parse_program": "stretto.program.text:parse",
    "phase0": "stretto.evaluate.phase0:phase0",
    "read": "stretto.traces.reader:read",
    "read_arbiter": "stretto.flow.arbiter_file:read_arbiter",
    "read_flow": "stretto.flow.wire:read_flow",
    "read_manifest": "stretto.episodes.manifest:read_manifest",
    "render_program": "stretto.program.render:render",
    "replay": "stretto.evaluate.replay:replay",
    "review": "stretto.flow.review:review",
    "show": "stretto.flow.show:show",
    "totals": "stretto.evaluate.rows:totals",
    "write_arbiter": "stretto.flow.arbiter_file:write_arbiter",
    "write_flow": "stretto.flow.wire:write_flow",
}
"""The public names, and `module:attribute` of each."""


def __dir__() -> list[str]:
    return sorted({*globals(), *HOMES})
