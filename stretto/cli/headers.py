"""Headers whose values are in the environment, so that no command line holds them."""

import os
from collections.abc import Mapping

from stretto.errors import StrettoError


def header_values(variables: Mapping[str, str]) -> Mapping[str, str]:
    """
    What to send, by the headers' names.

    Args:
        variables: By header, the variable that its value is in.

    Raises:
        StrettoError: a variable is not in the environment.
    """
    return {name: _value(variable) for name, variable in variables.items()}


def _value(variable: str) -> str:
    if (value := os.environ.get(variable)) is None:
        raise StrettoError(
            f"the environment has no {variable}",
            hint="set it where this is started; its value is never logged",
        )
    return value
