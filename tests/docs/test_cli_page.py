"""The commands' pages say what the commands say."""

import re

from stretto.cli.main import COMMANDS
from stretto.cli.proxy_arguments import parser
from stretto.traces.reader import READERS
from tests.docs.cli_page import PAGE, PROXY_PAGE, page, proxy_page


def test_the_commands_page_is_what_the_commands_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"


def test_the_commands_page_has_a_section_for_every_command() -> None:
    headings = {line for line in page().splitlines() if line.startswith("## stretto")}

    assert headings == {f"## stretto {name}" for name in COMMANDS}


def test_the_readers_that_help_names_are_those_that_are_installed() -> None:
    [row] = [line for line in page().splitlines() if "`--reader NAME`" in line]
    _, _, named = row.partition("format: ")

    assert named.partition(", or another")[0].split(", ") == READERS.names()


def test_the_proxys_page_is_what_the_proxy_says() -> None:
    assert PROXY_PAGE.read_text(encoding="utf-8") == proxy_page(), "run `make docs`"


def test_the_proxys_page_has_a_row_for_every_option() -> None:
    options = {*re.findall(r"(?<!\S)--[a-z-]+", parser().format_help())}
    rows = {*re.findall(r"^\| `(--[a-z-]+)", proxy_page(), re.MULTILINE)}

    assert options - rows == {"--help"}
