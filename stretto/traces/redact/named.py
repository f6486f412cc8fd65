"""Which of the sessions' values a message names, as bindings look for them."""

from collections.abc import Iterator, Mapping, Set

from stretto.traces.redact.pseudonym import SHORT

LONGEST = 200
"""The longest value, in characters, that is looked for in messages."""

_END = SHORT


class Named:
    """Values to look for in messages, found by their last characters."""

    def __init__(self, values: Mapping[str, Set[str]]) -> None:
        """
        Args:
            values: How each value was spelled, by its `plain` text.
        """
        self._spelled = values
        self._short: set[str] = set()
        self._by_end: dict[str, list[str]] = {}
        for value in values:
            if len(value) < _END:
                self._short.add(value)
            else:
                self._by_end.setdefault(value[-_END:], []).append(value)

    def within(self, message: str) -> list[str]:
        """
        The values that a message names, whatever their case, in order.

        Each as it was spelled somewhere and stands in the message, or in lower case
        where the message has a spelling of its own. A short one in every spelling,
        since short pseudonyms of two spellings have nothing in common.
        """
        lower = message.lower()
        found = sorted((lower.index(v), -len(v), v) for v in {*self._in(lower)})
        said: list[str] = []
        for _, _, value in found:
            spelled = sorted(self._spelled[value])
            if len(value) >= SHORT:
                spelled = [s for s in spelled if s in message] or [value]
            said += spelled
        return said

    def _in(self, lower: str) -> Iterator[str]:
        for n in range(1, _END):
            yield from (cut for cut in _cuts(lower, n) if cut in self._short)
        for end in {cut for cut in _cuts(lower, _END) if cut in self._by_end}:
            yield from (value for value in self._by_end[end] if value in lower)


def _cuts(text: str, n: int) -> Iterator[str]:
    return (text[i : i + n] for i in range(len(text) - n + 1))
