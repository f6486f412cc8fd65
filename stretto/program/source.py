"""A program from a file of either form."""

from pathlib import Path

from stretto.files import parse_json, read_text
from stretto.program.ast import Program
from stretto.program.text import parse
from stretto.program.wire import read_program


def read_program_file(path: str | Path) -> Program:
    """
    The program a file holds: as JSON if it begins with a brace, as text otherwise.

    Raises:
        FormatError: the file cannot be read, or is JSON that is no program.
        ProgramError: it is a text that is no program.
    """
    text = read_text(path)
    if text.lstrip().startswith("{"):
        return read_program(parse_json(text, str(path)))
    return parse(text, name=str(path))
