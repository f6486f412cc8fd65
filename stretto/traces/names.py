"""Names that recorders reuse, made unique."""


class Names:
    """The names given out so far."""

    def __init__(self) -> None:
        self._uses: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """The name itself the first time, and `NAME#n` the n-th."""
        n = self._uses.get(name, 0) + 1
        fresh = name if n == 1 else f"{name}#{n}"
        while n > 1 and fresh in self._uses:  # somebody else was called that
            n += 1
            fresh = f"{name}#{n}"
        self._uses[name] = n
        self._uses.setdefault(fresh, 1)
        return fresh
