"""A site: where a flow decides."""

from typing import NamedTuple


class Site(NamedTuple):
    """The call that just returned, and whether it failed."""

    tool: str
    failed: bool

    def __str__(self) -> str:
        return f"{self.tool} (error)" if self.failed else self.tool
