"""Which oracle a flow is served with where nobody named one."""

from collections.abc import Mapping

from stretto.home import Home
from stretto.oracle.local import FILE
from stretto.oracle.local import NAME as LOCAL

KEYS = ("TYPESAFE_API_KEY", "TYPESAFE_API_KEY_FILE")
"""The variables that say there is a key for Jev."""

JEV = "jev"


def usual(model: str, environ: Mapping[str, str]) -> str:
    """
    The oracle for a flow whose arbiter was fitted on the answers of `model`.

    A model of one's own is asked where it was that one. Otherwise Jev is, but where
    there is no key for it and a model of one's own lies in stretto's folder.
    """
    if model.startswith(f"{LOCAL}-"):
        return LOCAL
    has_key = any(environ.get(name) for name in KEYS)
    is_trained = (Home.of(environ).root / FILE).exists()
    return LOCAL if is_trained and not has_key else JEV
