"""What of a run's measurements is kept."""

from importlib.metadata import version
from typing import Any

_KEPT = ("min", "median", "rounds")
_VERSIONS = ("numpy", "jax", "numpyro")


def pytest_benchmark_update_json(output_json: dict[str, Any]) -> None:
    """Keep the machine, the fastest and the median of each, and what it was beside."""
    machine = output_json["machine_info"]
    kept = {
        "date": output_json["datetime"][:10],
        "machine": {
            "cpu": machine["cpu"]["brand_raw"],
            "cores": machine["cpu"]["count"],
            "system": machine["system"],
            "python": machine["python_version"],
        },
        "versions": {name: version(name) for name in _VERSIONS},
        "seconds": {
            found["fullname"].removeprefix("benchmarks/"): {
                **{name: _rounded(found["stats"][name]) for name in _KEPT},
                **{k: _rounded(v) for k, v in found["extra_info"].items()},
            }
            for found in output_json["benchmarks"]
        },
    }
    output_json.clear()
    output_json.update(kept)


def _rounded(value: Any) -> Any:
    """A number to three digits, which is what two runs have in common."""
    return float(f"{value:.3g}") if isinstance(value, float) else value
