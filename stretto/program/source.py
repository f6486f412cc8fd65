"""A program from a file of either form, or by the name of one that is shipped."""

from pathlib import Path

from stretto import assets
from stretto.files import parse_json, read_text
from stretto.program.ast import Program
from stretto.program.text import parse
from stretto.program.wire import read_program


def read_program_file(path: str | Path) -> Program:
    """
    The program a file holds: as JSON if it begins with a brace, as text otherwise.

    A bare name of a program that comes with stretto stands for it, where there is no
    such file.

    Raises:
        FormatError: the file cannot be read, or is JSON that is no program.
        ProgramError: it is a text that is no program.
    """
    found = located(path)
    text = read_text(found)
    if text.lstrip().startswith("{"):
        return read_program(parse_json(text, str(found)))
    return parse(text, name=str(path))


def located(path: str | Path) -> Path:
    """The file itself, or the shipped program of that name where there is none."""
    given = Path(path)
    shipped = assets.programs() / f"{given.name}.fugue"
    is_name = given == Path(given.name) and not given.suffix
    return shipped if is_name and not given.exists() and shipped.exists() else given
