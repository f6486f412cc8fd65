"""The guards that `stretto-proxy` was asked for, and what is told of them."""

from collections import Counter

from stretto.cli.proxy_options import Acting
from stretto.episodes.manifest import Kind, read_manifest
from stretto.guards.confirm import Asked, Judging
from stretto.guards.guard import Guards
from stretto.guards.load import load
from stretto.oracle.oracle import Oracle
from stretto.proxy.notes import note
from stretto.proxy.serving import Confirming


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


def confirming(asked: Acting, oracle: Oracle | None) -> Confirming | None:
    """How writes are judged, if `--confirm-judge` asks for it."""
    if asked.confirm is None or oracle is None:
        return None
    second = None if asked.confirm_second is None else Asked(asked.confirm_second)
    is_counted = not asked.confirm_second_shadow
    return Confirming(
        Judging(second, is_counted, asked.confirm_threshold),
        oracle.model,
        is_enforced=asked.confirm == "enforce" and not asked.guards_shadow,
        questions=asked.confirm_questions,
    )


def told(counts: Counter[str]) -> str:
    """What the guards came to."""
    text = f"{counts['checked']} calls checked, {counts['refused']} of them refused"
    if counts["judged"]:
        failed, late = counts["unconfirmed"], counts["judged late"]
        text += f"; {counts['judged']} judged, {failed} failed, {late} too late"
    return text
