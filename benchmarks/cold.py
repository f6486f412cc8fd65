"""What a process remembers of results it has seen, which a new one does not know."""

from stretto.binding import outputs
from stretto.episodes import content


def forget() -> None:
    """Parse and take apart again whatever result comes next."""
    content._remembered.cache_clear()
    outputs._read.cache_clear()
