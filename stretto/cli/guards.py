"""`stretto guards`: its commands, each imported when it runs."""

import importlib

import click

from stretto.cli.examples import example

HELPS = {
    "audit": "Say what rules would have made of every recorded write.",
    "check": "Say whether a rule file can be read, and which of its rules refuse.",
}


class _Group(click.Group):
    """A group whose first word may also be what to audit."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in {*HELPS, *ctx.help_option_names}:
            args = ["audit", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, _: click.Context) -> list[str]:
        return sorted(HELPS)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        if name not in HELPS:
            return None
        module = importlib.import_module(f"stretto.cli.guards_{name}")
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(HELPS.items()))


@click.group(
    cls=_Group,
    epilog=example(
        "stretto guards sessions/ --domain retail",
        "stretto guards sessions/ --rules shop.rules.json --html guards.html",
        "stretto guards check shop.rules.json",
    ),
)
def guards() -> None:
    """
    Check recorded writes against a policy's rules.

    `stretto guards PATHS…` is short for `stretto guards audit PATHS…`.
    """
