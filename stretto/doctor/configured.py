"""Whether what hosts start through the proxy is there."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from stretto.doctor.data import is_writable
from stretto.doctor.finding import Finding, note, ok, problem
from stretto.errors import StrettoError
from stretto.flow.wire import read_flow
from stretto.hosts.config import Config
from stretto.hosts.host import HOSTS, Host
from stretto.hosts.server import Command, Wrapped, wrapped


def configured(hosts: Mapping[str, Host] = HOSTS) -> Iterator[Finding]:
    """For each server behind the proxy, in each host's file: what is missing."""
    n_servers = 0
    for host in hosts.values():
        try:
            entries = Config.read(host).entries()
        except StrettoError as cause:
            yield problem(f"{host.title}: {cause}")
            continue
        for name, entry in entries.items():
            started = wrapped(entry)
            if started is not None and started.proxy is not None:
                n_servers += 1
                found = [*_missing(started)]
                yield from (problem(f"{host.title}: {name}: {why}") for why in found)
                if not found:
                    yield ok(f"{host.title}: {name} goes through the proxy")
    if not n_servers:
        yield note("no host starts a server through the proxy; see `stretto init`")


def _missing(started: Wrapped) -> Iterator[str]:
    proxy = started.proxy or ()
    programs = [*proxy[:1]]
    if isinstance(started.server, Command):
        programs += started.server.words[:1]
    for program in programs:
        if shutil.which(program) is None:
            yield f"{program} is not there, or cannot be run"
    if (folder := _option(proxy, "--record")) is not None:
        path = Path(folder).expanduser().absolute()
        there = next(p for p in (path, *path.parents) if p.exists())
        if not (there.is_dir() and is_writable(there)):
            yield f"{folder} cannot be written to"
    if (flow := _option(proxy, "--flow")) is not None:
        try:
            read_flow(flow)
        except StrettoError as cause:
            yield str(cause)


def _option(proxy: tuple[str, ...], name: str) -> str | None:
    """An option's value, as `--name VALUE` or `--name=VALUE`."""
    for word, following in zip(proxy, (*proxy[1:], None), strict=True):
        if word == name:
            return following
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None
