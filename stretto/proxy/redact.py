"""
Command lines and addresses without their secrets.

What is secret is told by the name beside it, so a secret without a telling name stays:
a password given as a bare argument, or one inside a JSON argument.
"""

import re
from collections.abc import Iterator, Sequence

REDACTED = "<redacted>"

_SECRET = re.compile("key|token|secret|password|passwd|credential|auth", re.IGNORECASE)
_URL = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*://)(?:[^/?#]*@)?(?P<place>[^?#]*)"
    r"(?P<query>\?[^#]*)?(?P<fragment>#.*)?",
    re.IGNORECASE | re.DOTALL,
)
_QUERY_PART = re.compile(r"([?&;])([^=&;]*)=([^&;]*)")
_AUTHORIZATION = re.compile(r"\s*authorization:|.*bearer\s", re.IGNORECASE | re.DOTALL)
_HEADER = re.compile(r"([\w-]+):\s")


def redacted(command: Sequence[str]) -> tuple[str, ...]:
    """
    A command line whose secrets read `<redacted>`.

    Redacting twice changes nothing more.
    """
    return tuple(_redacted(command))


def redacted_url(url: str) -> str:
    """An address without its user, and without the values of telling parameters."""
    if (parts := _URL.fullmatch(url)) is None:
        return url
    query = _QUERY_PART.sub(_without_value, parts["query"] or "")
    return parts["scheme"] + parts["place"] + query + (parts["fragment"] or "")


def _redacted(command: Sequence[str]) -> Iterator[str]:
    is_next_secret = False
    for argument in command:
        if is_next_secret and not argument.startswith("-"):
            yield REDACTED
        else:
            yield _argument(argument)
        names_next = argument.startswith("-") and "=" not in argument
        is_next_secret = names_next and bool(_SECRET.search(argument))


def _argument(argument: str) -> str:
    if _AUTHORIZATION.match(argument):
        return REDACTED
    if _URL.fullmatch(argument):
        return redacted_url(argument)
    if (header := _HEADER.match(argument)) and _SECRET.search(header[1]):
        return f"{header[1]}: {REDACTED}"
    name, equals, value = argument.partition("=")
    if not equals:
        return argument
    return f"{name}={REDACTED if _SECRET.search(name) else redacted_url(value)}"


def _without_value(part: re.Match[str]) -> str:
    before, name, value = part.groups()
    return f"{before}{name}={REDACTED if _SECRET.search(name) else value}"
