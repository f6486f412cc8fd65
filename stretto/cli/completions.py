"""`stretto completions`: what a shell needs to complete stretto's command lines."""

import click
from click.shell_completion import get_completion_class

from stretto.cli.examples import example

SHELLS = ("bash", "fish", "powershell", "zsh")
"""The shells that click knows how to complete in, from some version on."""


@click.command(
    epilog=example(
        "stretto completions bash > \\",
        "    ~/.local/share/bash-completion/completions/stretto",
        "stretto completions fish > ~/.config/fish/completions/stretto.fish",
        "stretto completions zsh > ~/.zfunc/_stretto",
    )
)
@click.argument("shell", metavar="SHELL")
@click.pass_context
def completions(ctx: click.Context, shell: str) -> None:
    """
    Print a shell's completions.

    For bash, fish and zsh, and for powershell where the installed click has it. What is
    printed asks stretto itself, so it need not be made again for a later version.
    """
    completer = get_completion_class(shell)
    if completer is None:
        known = [name for name in SHELLS if get_completion_class(name)]
        raise click.BadParameter(
            f"there are no completions for {shell!r}, but for {', '.join(known)}",
            param_hint="SHELL",
        )
    root = ctx.find_root()
    name = root.info_name or "stretto"
    variable = f"_{name}_COMPLETE".replace("-", "_").upper()
    click.echo(completer(root.command, {}, name, variable).source())
