"""The commands' page says what the commands say."""

from stretto.cli.main import COMMANDS
from stretto.traces.reader import READERS
from tests.docs.cli_page import PAGE, page


def test_the_commands_page_is_what_the_commands_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"


def test_the_commands_page_has_a_section_for_every_command() -> None:
    headings = {line for line in page().splitlines() if line.startswith("## stretto")}

    assert headings == {f"## stretto {name}" for name in COMMANDS}


def test_the_readers_that_help_names_are_those_that_are_installed() -> None:
    [row] = [line for line in page().splitlines() if "`--reader NAME`" in line]
    _, _, named = row.partition("format: ")

    assert named.partition(", or another")[0].split(", ") == READERS.names()
