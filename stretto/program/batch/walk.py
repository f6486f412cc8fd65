"""
A program's statements, each on all lanes at once, under a mask of those it is for.

Both branches of an `if` run, each for its own lanes; a lane that leaves a loop is
masked until the loop is over.
"""

import math
from collections.abc import Iterable, Mapping

from stretto.errors import ProgramError
from stretto.program.ast import (
    Address,
    Assign,
    Dist,
    Expr,
    Factor,
    For,
    If,
    Let,
    Observe,
    Program,
    Sample,
    Stmt,
)
from stretto.program.batch.draws import Given
from stretto.program.batch.evaluate import Cell, Evaluator, Scope, inverted
from stretto.program.batch.lanes import Lanes, Operand, Shared, kind_of
from stretto.program.batch.runs import Fault
from stretto.program.batch.table import Tabled, log_probs
from stretto.program.compile import escaped


class Walk:
    """A run of a program in each lane."""

    def __init__(
        self,
        tables: Mapping[str, Tabled],
        given: Given,
        *,
        most_turns: int | None = None,
    ) -> None:
        self.tables, self.given, self.most_turns = tables, given, most_turns
        self.runs, self.xp = given.runs, given.runs.arrays.xp
        evaluator = Evaluator(given.runs)
        self.expr, self.truth = evaluator.expr, evaluator.truth
        zero: Lanes = self.xp.zeros(self.runs.alive.shape)
        self.log_prior = self.log_likelihood = self.log_factors = zero

    def run(self, program: Program, data: Mapping[str, Operand]) -> Lanes:
        """What each run ends with; false or zero for one that failed."""
        scope = {name: Cell(value) for name, value in data.items()}
        act = self.block(program.body, scope, self.runs.alive)
        value = self.expr(program.ret, scope, act)
        self.given.all_made()
        return self._where(self.runs.alive, value, kind_of(value)(0))

    @property
    def log_prob(self) -> Lanes:
        """Of each run, in nats; −∞ for one that failed, or has an impossible part."""
        parts = (self.log_prior, self.log_likelihood, self.log_factors)
        possible = self.runs.alive
        for part in parts:
            possible = possible & (part != -math.inf)
        return self._where(possible, sum(parts), -math.inf)

    def block(self, body: Iterable[Stmt], scope: Scope, act: Lanes) -> Lanes:
        """
        Run statements for some of the lanes; those of them that go on afterwards.

        The variables that the statements bind are added to `scope`.
        """
        for stmt in body:
            act = self.stmt(stmt, scope, act) & self.runs.alive
        return act

    def stmt(self, stmt: Stmt, scope: Scope, act: Lanes) -> Lanes:
        """Run one statement, as `block` does."""
        match stmt:
            case Let(var, value):
                scope[var] = Cell(self.expr(value, scope, act))
            case Assign(var, value):
                found = self.expr(value, scope, act)
                scope[var].value = self._where(act, found, scope[var].value)
            case Sample(var, addr, dist):
                scope[var] = Cell(self._sample(addr, dist, scope, act))
            case Observe():
                self._observe(stmt, scope, act)
            case Factor(logw):
                self._factor(logw, scope, act)
            case For():
                self._loop(stmt, scope, act)
            case If():
                return self._branch(stmt, scope, act)
            case _:
                return act & False
        return act

    def _sample(self, addr: Address, dist: Dist, scope: Scope, act: Lanes) -> Lanes:
        draws = self.tables[dist.name].draws
        address = self._address(addr, scope, act)
        args = self._args(dist, scope, act)
        act = act & self.runs.alive
        if isinstance(address, str):
            value = self.given.draw(address, draws, act)
        else:
            name = escaped(addr.name)
            value = self.given.draw_numbered(name, address, draws, act)
        self.log_prior = self._plus(self.log_prior, dist, args, value, act)
        return value

    def _observe(self, stmt: Observe, scope: Scope, act: Lanes) -> None:
        value = self.expr(stmt.value, scope, act)
        address = self._address(stmt.addr, scope, act)
        args = self._args(stmt.dist, scope, act)
        if not isinstance(address, str):
            raise ProgramError(
                "cannot be run on arrays: runs number this observation differently",
                place=stmt.at,
            )
        act = self.given.once(address, act & self.runs.alive)
        sums = self._plus(self.log_likelihood, stmt.dist, args, value, act)
        self.log_likelihood = sums

    def _factor(self, logw: Expr, scope: Scope, act: Lanes) -> None:
        added = self.expr(logw, scope, act)
        self.runs.end(act & ~(self.xp.asarray(added) < math.inf), Fault.SOFT)
        self.log_factors = self.log_factors + self._where(act, added, 0.0)

    def _loop(self, loop: For, scope: Scope, act: Lanes) -> None:
        start = self.expr(loop.start, scope, act)
        end = self.expr(loop.end, scope, act)
        going, turn = act & self.runs.alive, 0
        while (more := start + turn < end) is not False:
            going = going & more
            if not self.runs.arrays.some(going):
                break
            if turn == self.most_turns:
                self.runs.end(going, Fault.UNFINISHED)
                break
            inner = {**scope, loop.var: Cell(start + turn)}
            going = self.block(loop.body, inner, going)
            turn += 1

    def _branch(self, branch: If, scope: Scope, act: Lanes) -> Lanes:
        cond = self.truth(branch.cond, scope, act)
        act = act & self.runs.alive
        then, otherwise = act & cond, act & inverted(cond)
        if cond is not False and self.runs.arrays.some(then):
            then = self.block(branch.then, {**scope}, then)
        if cond is not True and self.runs.arrays.some(otherwise):
            otherwise = self.block(branch.otherwise, {**scope}, otherwise)
        return then | otherwise

    def _address(self, addr: Address, scope: Scope, act: Lanes) -> str | Lanes:
        """An address where all lanes have the same, and else the number of each."""
        name = escaped(addr.name)
        if addr.index is None:
            return name
        number = self.expr(addr.index, scope, act)
        return f"{name}#{number}" if isinstance(number, Shared) else number

    def _args(self, dist: Dist, scope: Scope, act: Lanes) -> list[Operand]:
        """A family's arguments; there is none for a negative number."""
        args = [self.expr(arg, scope, act) for arg in dist.args]
        for arg in args:
            self.runs.end(act & (arg < 0), Fault.SOFT)
        return args

    def _plus(
        self, total: Lanes, dist: Dist, args: list[Operand], value: Operand, act: Lanes
    ) -> Lanes:
        """A sum of log-probabilities, and those of these lanes' values."""
        table = self.tables[dist.name].log_p
        found = log_probs(self.runs.arrays, table, args, value)
        return total + self._where(act, found, 0.0)

    def _where(self, act: Lanes, value: Operand, otherwise: Operand) -> Lanes:
        found: Lanes = self.xp.where(act, value, otherwise)
        return found
