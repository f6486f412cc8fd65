"""
The one interpreter: a generator that pauses at each draw.

Whoever drives it decides what a draw is: a choice already made, a random one, a tool
called. It never waits, never reads a clock and never draws by itself.
"""

import math
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import TypeAlias

from stretto.errors import ProgramError
from stretto.program.ast import Program
from stretto.program.check import check
from stretto.program.compile import (
    Bind,
    Block,
    Branch,
    Env,
    Loop,
    Observed,
    Pick,
    Weighed,
    compiled,
)
from stretto.program.events import Draw, Event, Steps, Weight
from stretto.program.families import Registry
from stretto.program.values import SoftError, Value, describe

Start: TypeAlias = Callable[[Mapping[str, Value]], Steps]
"""Starts a run on data."""


def steps(program: Program, registry: Registry, data: Mapping[str, Value]) -> Steps:
    """
    A run of `program` on `data`; it ends with the value of what it `pure`s.

    Raises:
        ProgramError: a name stands for nothing; while running: an address comes up a
            second time, or a draw is answered with a value of another type.
    """
    return prepare(program, registry, data)(data)


def prepare(program: Program, registry: Registry, data_names: Iterable[str]) -> Start:
    """
    What starts runs of `program` on any data of these names, checked and compiled once.

    Raises:
        ProgramError: a name stands for nothing.
    """
    names = tuple(data_names)
    check(program, registry, names)
    code = compiled(program.body, program.ret, registry, names)
    empty: list[Value] = [math.nan] * (code.slots - len(names))

    def start(data: Mapping[str, Value]) -> Steps:
        env = [data[name] for name in names] + empty
        yield from _walk(code.body, env, set())
        try:
            return code.ret(env)
        except SoftError as error:
            yield _impossible(error, program.ret.at)
            return math.nan

    return start


def _walk(
    block: Block, env: Env, seen: set[str]
) -> Generator[Event, Value | None, bool]:
    """Run a block; whether it broke out of the loop it stands in."""
    for op in block:
        try:
            match op:
                case Bind():
                    env[op.slot] = op.value(env)
                case Pick():
                    draw = op.draw(env)
                    _once(draw.address, seen, op.at)
                    env[op.slot] = _answer(draw, (yield draw), op.at)
                case Branch():
                    chosen = op.chosen(env)
                    if chosen and (yield from _walk(chosen, env, seen)):
                        return True
                case Loop():
                    for number in op.numbers(env):
                        env[op.slot] = number
                        if (yield from _walk(op.body, env, seen)):
                            break
                case Weighed():
                    yield op.weight(env)
                case Observed():
                    observation = op.observation(env)
                    _once(observation.address, seen, op.at)
                    yield observation
                case _:
                    return True
        except SoftError as error:
            yield _impossible(error, op.at)
            if isinstance(op, Bind | Pick):
                env[op.slot] = op.placeholder
    return False


def _impossible(error: SoftError, at: str) -> Weight:
    return Weight(-math.inf, f"{at}: {error}" if at else str(error))


def _once(address: str, seen: set[str], at: str) -> None:
    if address in seen:
        raise ProgramError(
            f"the address `{address}` comes up a second time",
            place=at,
            hint='number it, as in `addr!("decide", i)`',
        )
    seen.add(address)


def _answer(draw: Draw, value: Value | None, at: str) -> Value:
    """The value sent for a draw, if it is of the draw's type."""
    if type(value) is draw.draws:
        return value
    if type(value) is int and draw.draws is float:
        return float(value)
    found = "nothing" if value is None else describe(value)
    wanted = {bool: "a boolean", int: "an integer", float: "a float"}[draw.draws]
    cause = f"`{draw.address}` was answered with {found}, and draws {wanted}"
    raise ProgramError(cause, place=at)
