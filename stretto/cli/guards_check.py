"""`stretto guards check`: whether a rule file can be read, and what it refuses."""

import json
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.options import as_json
from stretto.cli.warnings import warn
from stretto.guards.rules import RuleFile, read_rules


@click.command(epilog=example("stretto guards check shop.rules.json"))
@click.argument("file", type=click.Path(path_type=Path))
@as_json
def check(file: Path, as_json: bool) -> None:
    """
    Say whether a rule file can be read, and which of its rules refuse.

    A rule is enforced once the file asks for it and holds an audit of it as it stands.
    """
    read = read_rules(file)
    rules = read.guards.rules
    if as_json:
        click.echo(json.dumps(_checked(read), indent=2))
        return
    n_enforced = sum(guard.enforced for guard in rules)
    click.echo(f"{file}: {len(rules)} rules, {n_enforced} of them enforced")
    for guard in rules:
        mode = "enforced" if guard.enforced else "logged"
        click.echo(f"  {guard.rule}: {mode}; {', '.join(sorted(guard.tools))}")
    for warning in read.warnings:
        warn(warning)


def _checked(read: RuleFile) -> Json:
    return {
        "domain": read.guards.domain,
        "rules": [
            {"rule": guard.rule, "enforced": guard.enforced,
             "tools": [*sorted(guard.tools)], "audited": guard.rule in read.evidence}
            for guard in read.guards.rules
        ],
        "warnings": [*read.warnings],
    }  # fmt: skip
