"""`stretto guards audit`: a policy's rules against recorded sessions."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click

from stretto.cli.chosen import Measured
from stretto.cli.examples import example
from stretto.cli.guards_json import summary
from stretto.cli.number import Whole
from stretto.cli.options import Sessions, as_json, labelled_sessions
from stretto.cli.reports import html_option, write_report
from stretto.cli.rules import rules_name, rules_option
from stretto.cli.warnings import warn
from stretto.episodes.manifest import Kind
from stretto.errors import StrettoError
from stretto.evaluate.guards import (
    N_EXAMPLES,
    audit_guards,
)
from stretto.guards.load import Loaded, load
from stretto.guards.rules import RuleFile, allow, read_rules
from stretto.report.guards import guards_document


@click.command(
    epilog=example(
        "stretto guards audit sessions/ --domain retail",
        "stretto guards audit sessions/ --rules shop.rules.json --allow shop.small",
    )
)
@labelled_sessions
@rules_option
@click.option(
    "--now",
    metavar="TIME",
    type=click.DateTime(),
    help="What time it is for rules about dates; the rules' own time if left out.",
)
@click.option(
    "--only-listed",
    is_flag=True,
    help="Take records only from tools that --manifest says read or write.",
)
@click.option(
    "--allow",
    "allowed",
    metavar="RULE",
    multiple=True,
    help="Write what was found of this rule into the rule file, which lets it be "
    "enforced; may be given again.",
)
@click.option(
    "--examples",
    type=Whole(0, 1000),
    default=N_EXAMPLES,
    show_default=True,
    help="How many failures of each rule are shown, of accepted writes in sessions "
    "that succeeded, in others, and of refused writes each.",
)
@html_option
@as_json
def audit(
    sessions: Sessions,
    named: str | None,
    now: datetime | None,
    only_listed: bool,
    allowed: Sequence[str],
    examples: int,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Say what rules would have made of every recorded write.

    Each write is checked against what its session had shown by then. Per rule: how
    many writes pass, fail and are unknown, of those that the tools accepted, in
    sessions that succeeded and that failed, and of those that they refused. A file's
    rules are taken as it asks for them, enforced or logged.

    PATHS are session files and folders of them. With --allow, FILE is written to.
    """
    loaded = load(rules_name(sessions, named))
    file = _allowing(loaded, allowed)
    if file is not None and (now is not None or only_listed):
        raise StrettoError(
            "--allow takes rules as their file has them; leave out what changes them",
            hint="for --now and --only-listed the file has `now` and `trusted`",
        )
    rules = loaded.guards if loaded.file is None else loaded.file.asked
    if now is not None:
        rules = rules.at(now)
    if only_listed:
        rules = rules.trusting(_listed(sessions))
    found = audit_guards(rules, Measured(sessions), n_examples=examples)
    if file is not None:
        allow(file, {r: found.evidence(r, file.digests[r]) for r in allowed})
        click.echo(f"wrote what was found into {file.path}", err=True)
    if loaded.file is not None:
        for warning in read_rules(loaded.file.path).warnings:
            warn(warning)
    name = rules.domain or rules_name(sessions, named)
    write_report(
        lambda draw: guards_document(found, name, draw), summary(found), page, as_json
    )


def _allowing(loaded: Loaded, allowed: Sequence[str]) -> RuleFile | None:
    """The file to write to, if there is to be one."""
    if not allowed:
        return None
    if loaded.file is None:
        raise StrettoError(
            "--allow needs a rule file to write to; installed rules are as they are",
            hint="give the file with --rules FILE",
        )
    for rule in allowed:
        if rule not in loaded.file.digests:
            known = ", ".join(loaded.file.digests)
            raise StrettoError(
                f"{loaded.file.path} has no rule {rule!r}", hint=f"it has {known}"
            )
    return loaded.file


def _listed(sessions: Sessions) -> list[str]:
    if sessions.given is None:
        raise StrettoError(
            "--only-listed needs --manifest FILE",
            hint="it says which tools read and which write",
        )
    kinds = sessions.given.tools
    return [tool for tool, kind in kinds.items() if kind is not Kind.GENERIC]
