"""What of a session is ever read, where it is known which lookups may be bound."""

from collections.abc import Iterable
from typing import NamedTuple, Self

from stretto.binding.sources import Bindings


class Scope(NamedTuple):
    """The tools whose calls and outputs the binding of some lookups reads."""

    lookups: frozenset[str]
    """Those that may be bound: what they were passed, and what came of it, is read."""
    suppliers: frozenset[str] | None
    """Those whose outputs may supply an argument; None where any may."""

    @classmethod
    def of(cls, bindings: Bindings, lookups: Iterable[str]) -> Self:
        """
        What is read to bind these lookups and no others.

        One that training never saw is bound by the names of its arguments, from the
        outputs of any tool.
        """
        tools = frozenset(lookups)
        recipes = [bindings.recipe(tool) for tool in tools]
        slots = [slot for recipe in recipes if recipe for slot in recipe.slots]
        suppliers = frozenset(source.tool for slot in slots for source in slot.sources)
        return cls(tools, suppliers if all(recipes) else None)

    def reads_calls(self, tool: str) -> bool:
        """Whether it matters what a tool was passed."""
        return tool in self.lookups

    def reads_outputs(self, tool: str) -> bool:
        """Whether it matters what a tool returned."""
        suppliers = self.suppliers
        return suppliers is None or tool in suppliers or tool in self.lookups
