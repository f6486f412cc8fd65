"""The guards that `stretto-proxy` was asked for, and what is told of them."""

from collections import Counter

from stretto.cli.proxy_options import Acting
from stretto.episodes.manifest import Kind, read_manifest
from stretto.guards.guard import Guards
from stretto.guards.load import load
from stretto.proxy.notes import note


def guards(asked: Acting) -> Guards | None:
    """
    The guards of `--guards`, if there are some; says which, and what they do not do.

    Raises:
        StrettoError: there are none of that name, or a file of them cannot be read.
    """
    if asked.guards is None:
        return None
    found, file = load(asked.guards)
    for warning in [] if file is None else file.warnings:
        note(warning)
    n = sum(guard.enforced for guard in found.rules)
    how = "in shadow" if asked.guards_shadow else f"{n} of them enforced"
    note(f"guarding by {asked.guards}: {len(found.rules)} rules, {how}")
    if asked.guards_manifest is None:
        return found
    kinds = read_manifest(asked.guards_manifest).tools
    return found.trusting(t for t, kind in kinds.items() if kind is not Kind.GENERIC)


def told(counts: Counter[str]) -> str:
    """What the guards came to."""
    return f"{counts['checked']} calls checked, {counts['refused']} of them refused"
