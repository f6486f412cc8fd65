"""What the arguments of `stretto-proxy` may be; each raises what argparse tells."""

import argparse
import threading


def mebibytes(text: str) -> int:
    """A size in MiB, from 1."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of MiB from 1")
    return int(text)


def days(text: str) -> int:
    """Days, from 1."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of days from 1")
    return int(text)


def seconds(text: str) -> float:
    """Seconds, from 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0")
    return seconds


def number(text: str) -> float:
    """A number from 0."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0")
    return number


def share(text: str) -> float:
    """A number from 0 to 1."""
    if (share := number(text)) > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 1")
    return share


def count(text: str) -> int:
    """A whole number from 0."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0")
    return int(text)


def header(text: str) -> tuple[str, str]:
    """`NAME=VARIABLE`, taken apart."""
    name, equals, variable = text.partition("=")
    if not (name and equals and variable):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VARIABLE")
    return name, variable
