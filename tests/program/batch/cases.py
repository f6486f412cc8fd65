"""Random runs of random programs, and what the interpreter makes of each."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import NamedTuple

import numpy as np

from stretto.errors import ProgramError
from stretto.program.ast import Program
from stretto.program.batch import Fault, Tabled
from stretto.program.batch.lanes import Operand
from stretto.program.events import Draw, Steps, Weight
from stretto.program.handlers import answer, score
from stretto.program.run import prepare
from stretto.program.values import Value
from tests.program.batch.typed import DATA, tables, typed_program

Choices = dict[str, Value]

TOO_LARGE = 2**70
"""An integer that the interpreter takes, though no program can compute it."""

_OTHERS: tuple[Value, ...] = (0, 5, -1, True, TOO_LARGE)


def fault_of(run: Steps, choices: Mapping[str, Value]) -> Fault:
    """What a run of the interpreter comes to first."""
    sent: Value | None = None
    drawn = set()
    while True:
        try:
            event = run.send(sent)
        except StopIteration:
            return Fault.LEFT_OVER if choices.keys() - drawn else Fault.NONE
        except ProgramError:
            return Fault.TWICE
        sent = None
        if isinstance(event, Weight) and event.warning is not None:
            return Fault.SOFT
        if isinstance(event, Draw):
            if event.address not in choices:
                return Fault.MISSING
            sent = choices[event.address]
            drawn.add(event.address)
            if type(sent) is not event.draws or sent == TOO_LARGE:
                return Fault.MISTYPED


def some_choices(run: Steps, random: Random) -> Choices:
    """The choices of a random run, as far as it comes."""
    made: Choices = {}

    def choose(draw: Draw) -> Value:
        made[draw.address] = draw.distribution.draw(random)
        return made[draw.address]

    with suppress(ProgramError):
        answer(run, choose)
    return made


def changed(choices: Choices, random: Random) -> Choices:
    """The same choices, or with one left out, added, or put in another's place."""
    addresses = list(choices)
    match random.randrange(6):
        case 0 if choices:
            del choices[random.choice(addresses)]
        case 1:
            choices[random.choice(["a#7", "b", "a#-1", "zz", "a#01"])] = 1
        case 2 if choices:
            choices[random.choice(addresses)] = random.choice(_OTHERS)
    return choices


class Case(NamedTuple):
    """Runs of one program, and what each is told."""

    program: Program
    tables: dict[str, Tabled]
    data: dict[str, Operand]
    choices: list[Choices]

    def told(self, run: int) -> dict[str, Value]:
        """What one of the runs is told."""
        return {
            name: value.tolist()[run] if isinstance(value, np.ndarray) else value
            for name, value in self.data.items()
        }

    def only(self, wanted: Callable[[Choices, Fault], bool]) -> "Case":
        """The runs that are wanted, by their choices and their fault."""
        kept = [
            run
            for run, choices in enumerate(self.choices)
            if wanted(choices, self.expected(run)[0])
        ]
        data = {
            name: value[kept] if isinstance(value, np.ndarray) else value
            for name, value in self.data.items()
        }
        return self._replace(data=data, choices=[self.choices[run] for run in kept])

    def expected(self, run: int) -> tuple[Fault, float, Value | None]:
        """A run's fault, or else what the interpreter scores it and ends with."""
        start = prepare(self.program, self.tables, DATA)
        choices = self.choices[run]
        fault = fault_of(start(self.told(run)), choices)
        if fault:
            return fault, -math.inf, None
        found = score(start(self.told(run)), choices)
        return fault, found.log_prob, found.value


def case(seed: int, *, runs: int = 16) -> Case:
    """Random runs of a random program, some of their choices changed."""
    random = Random(seed)
    program, found = typed_program(random), tables(random)
    columns = {
        "call": [random.randrange(4) for _ in range(runs)],
        "call_failed": [random.random() < 0.3 for _ in range(runs)],
        "most": [random.randrange(4) for _ in range(runs)],
    }
    data: dict[str, Operand] = {
        name: random.choice([np.array(values), values[0]])
        for name, values in columns.items()
    }
    made = Case(program, found, data, [])
    start = prepare(program, found, DATA)
    for run in range(runs):
        choices = some_choices(start(made.told(run)), random)
        made.choices.append(changed(choices, random))
    return made
