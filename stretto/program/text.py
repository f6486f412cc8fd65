"""A program's text form, read: recursive descent, every error at its place."""

from stretto.program.ast import (
    Address,
    Array,
    Assign,
    Binary,
    Bool,
    Break,
    Call,
    Dist,
    Expr,
    Factor,
    Float,
    For,
    If,
    Index,
    Int,
    Len,
    Let,
    Observe,
    Operator,
    Program,
    Sample,
    Sign,
    Stmt,
    Unary,
    Var,
)
from stretto.program.cursor import Cursor
from stretto.program.lexer import Kind, Source, unquote
from stretto.program.nesting import check_nesting
from stretto.program.render import BINARY, COMPARISON, render

__all__ = ["parse", "render"]

_OPERATORS = {sign: (op, level) for op, (sign, level) in BINARY.items()}


def parse(text: str, *, name: str = "program") -> Program:
    """
    The program a text says; errors call the text `name`.

    Raises:
        ProgramError: it is no program, with what was expected, what was found, where.
    """
    program = _Parser(Source.of(text, name)).program()
    check_nesting(program)
    return program


class _Parser(Cursor):
    def program(self) -> Program:
        body = self.statements("pure")
        self.take("(")
        ret = self.expr()
        self.take(")")
        self.skip(";")
        if self.token.kind is not Kind.END:
            self.fail("the end of the program")
        return Program(body, ret)

    def statements(self, closing: str) -> tuple[Stmt, ...]:
        body: list[Stmt] = []
        while not self.skip(closing):
            body.append(self.nested(lambda: self.statement(closing)))
        return tuple(body)

    def block(self) -> tuple[Stmt, ...]:
        self.take("{")
        return self.statements("}")

    def statement(self, closing: str) -> Stmt:
        at = self.place()
        match self.token.text:
            case "let":
                return self.let()
            case "for":
                return self.loop()
            case "if":
                return self.branch()
            case "break":
                self.advance()
                return self.ended(Break(at=at))
            case "observe":
                self.advance("(")
                addr, dist = self.drawn()
                self.take(",")
                value = self.expr()
                self.take(")")
                return self.ended(Observe(addr, dist, value, at=at))
            case "factor":
                self.advance("(")
                logw = self.expr()
                self.take(")")
                return self.ended(Factor(logw, at=at))
        if not self.at_identifier():
            self.fail(f"a statement or `{closing}`")
        var = self.advance("=").text
        return self.ended(Assign(var, self.expr(), at=at))

    def let(self) -> Stmt:
        at = self.place()
        self.advance()
        self.skip("mut")
        var = self.identifier("a variable")
        if self.skip("="):
            return self.ended(Let(var, self.expr(), at=at))
        if not self.at_arrow():
            self.fail("`=` or `<-`")
        self.advance("-")
        self.take("sample")
        self.take("(")
        addr, dist = self.drawn()
        self.take(")")
        return self.ended(Sample(var, addr, dist, at=at))

    def loop(self) -> Stmt:
        at = self.place()
        self.advance()
        var = self.identifier("a variable")
        self.take("in")
        start = self.expr()
        self.take("..")
        end = self.expr()
        return For(var, start, end, self.block(), at=at)

    def branch(self) -> Stmt:
        at = self.place()
        self.advance()
        cond, then = self.expr(), self.block()
        if not self.skip("else"):
            return If(cond, then, at=at)
        if self.token.text == "if":
            return If(cond, then, (self.nested(self.branch),), at=at)
        return If(cond, then, self.block(), at=at)

    def drawn(self) -> tuple[Address, Dist]:
        addr = self.address()
        self.take(",")
        return addr, self.dist()

    def address(self) -> Address:
        at = self.place()
        self.take("addr")
        self.take("!")
        self.take("(")
        if self.token.kind is not Kind.STRING:
            self.fail("an address's name, a string")
        name = unquote(self.source, self.advance())
        index = self.expr() if self.skip(",") else None
        self.take(")")
        return Address(name, index, at=at)

    def dist(self) -> Dist:
        at = self.place()
        name = self.identifier("a family")
        if self.skip("::"):
            self.take("new")
        self.take("(")
        args = self.items(")")
        if self.skip("."):
            self.take("unwrap")
            self.take("(")
            self.take(")")
        return Dist(name, args, at=at)

    def items(self, closing: str) -> tuple[Expr, ...]:
        if self.skip(closing):
            return ()
        found = [self.expr()]
        while self.skip(","):
            found.append(self.expr())
        self.take(closing)
        return tuple(found)

    def expr(self, level: int = 0) -> Expr:
        """An expression of operators that bind tighter than `level`."""
        lhs = self.nested(self.prefixed)
        while True:
            op, binds = _OPERATORS.get(self.token.text, (None, 0))
            if op is None or binds <= level:
                return lhs
            self.advance()
            lhs = Binary(op, lhs, self.expr(binds), at=lhs.at)
            if binds == COMPARISON and self.binds() == COMPARISON:
                self.fail("one comparison; `&&` joins several")

    def binds(self) -> int:
        return _OPERATORS.get(self.token.text, (Operator.OR, 0))[1]

    def prefixed(self) -> Expr:
        at = self.place()
        if self.skip("!"):
            return Unary(Sign.NOT, self.nested(self.prefixed), at=at)
        literal = self.after.kind in (Kind.INT, Kind.FLOAT)
        if self.token.text == "-" and not literal:
            self.advance()
            return Unary(Sign.NEG, self.nested(self.prefixed), at=at)
        expr = self.atom()
        while True:
            if self.skip("["):
                expr = Index(expr, self.expr(), at=expr.at)
                self.take("]")
            elif self.skip("."):
                self.take("len")
                self.take("(")
                self.take(")")
                expr = Len(expr, at=expr.at)
            else:
                return expr

    def atom(self) -> Expr:
        token, at = self.token, self.place()
        if token.text == "-" or token.kind in (Kind.INT, Kind.FLOAT):
            return self.number()
        if self.skip("("):
            expr = self.expr()
            self.take(")")
            return expr
        if self.skip("["):
            return Array(self.items("]"), at=at)
        if token.text in ("true", "false"):
            return Bool(self.advance().text == "true", at=at)
        name = self.identifier("an expression")
        if self.skip("("):
            return Call(name, self.items(")"), at=at)
        return Var(name, at=at)

    def number(self) -> Expr:
        """A number; a minus before it is part of it, so the least integer has one."""
        start, at = self.token.start, self.place()
        sign = "-" if self.skip("-") else ""
        token = self.advance()
        if token.kind is Kind.FLOAT:
            value = float(sign + token.text)
            if value in (float("inf"), float("-inf")):
                self.source.fail(f"`{token.text}` is larger than any float", start)
            return Float(value, at=at)
        if len(token.text) > 19 or not -(2**63) <= int(sign + token.text) < 2**63:
            self.source.fail(f"`{sign}{token.text}` does not fit in 64 bits", start)
        return Int(int(sign + token.text), at=at)
