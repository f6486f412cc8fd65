"""What a server's entry becomes: put behind the proxy, moved on, taken out again."""

from collections.abc import Mapping, Sequence

from stretto.canonical import Json
from stretto.errors import StrettoError
from stretto.hosts.config import Config
from stretto.hosts.server import (
    Address,
    Command,
    Entry,
    Server,
    Wrapped,
    behind,
    wrapped,
)

_HOW = ("type", "command", "args", "url")
"""The keys of an entry that say how the server is reached."""


def server_of(config: Config, name: str) -> Wrapped:
    """
    What the file's entry of that name starts.

    Raises:
        StrettoError: there is no such entry, or it is not understood.
    """
    entries = config.entries()
    if name not in entries:
        there = ", ".join(entries)
        raise StrettoError(
            f"{config.path} has no server {name!r}",
            hint=f"it has {there}"
            if there
            else "give the server's command behind `--`",
        )
    found = wrapped(entries[name])
    if found is None:
        raise StrettoError(
            f"{name} in {config.path} is not read as a command or a plain address",
            hint="give the server's command behind `--`, or --upstream URL and "
            "--upstream-header NAME=VARIABLE, and --force",
        )
    return found


def put_behind(
    config: Config,
    name: str,
    server: Server,
    proxy: Sequence[str],
    *,
    env: Mapping[str, str],
    force: bool = False,
) -> Entry:
    """
    The entry that starts a server through the proxy.

    What an entry of the same server says besides is kept, its environment too.

    Args:
        proxy: The proxy's program and options.
        env: Variables for both, beside those the entry has.
        force: Whether the entry of another server is replaced, whole.

    Raises:
        StrettoError: the entry is another server's.
    """
    words = behind(proxy, located(server))
    old = _kept(config, name, server, force)
    had = old.pop("env", {})
    merged = {**(had if isinstance(had, dict) else {}), **env}
    entry: dict[str, Json] = {**old, **config.host.starting(words, {})}
    return {**entry, "env": merged} if merged else entry


def reach_at(config: Config, name: str, url: str, *, force: bool = False) -> Entry:
    """
    The entry of a server that is reached through a proxy which listens at `url`.

    Raises:
        StrettoError: the entry is another server's.
    """
    old = _kept(config, name, Address(url), force)
    return {**old, **config.host.reaching(url)}


def taken_out(config: Config, name: str) -> Entry:
    """
    The entry without the proxy; as it is where it has none.

    Raises:
        StrettoError: there is no such entry, or it cannot do without the proxy.
    """
    server, proxy = server_of(config, name)
    old, host = config.entries()[name], config.host
    if proxy is None:
        return old
    if isinstance(server, Command):
        return {**old, **host.starting(server.words, {})}
    if server.headers or not host.takes_urls:
        raise StrettoError(
            f"{name} in {config.path} reaches its server through the proxy alone",
            hint="put the server's address and headers there by hand",
        )
    return {**_rest(old), **host.reaching(server.url)}


def _kept(config: Config, name: str, server: Server, force: bool) -> dict[str, Json]:
    """
    What a server's entry says besides how it is reached; nothing where it has none.

    Raises:
        StrettoError: the entry is another server's, and not to be replaced.
    """
    if (old := config.entries().get(name)) is None:
        return {}
    found = wrapped(old)
    if found is not None and located(found.server) == located(server):
        return _rest(old)
    if force:
        return {}
    raise StrettoError(
        f"{name} in {config.path} is another server",
        hint="--name NAME gives this one another name; --force replaces the other",
    )


def located(server: Server) -> Server:
    """A server with the full path of its program, if it is started by one."""
    return server.located() if isinstance(server, Command) else server


def _rest(entry: Entry) -> dict[str, Json]:
    return {key: value for key, value in entry.items() if key not in _HOW}
