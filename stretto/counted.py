"""A number with the noun it counts."""


def counted(n: int, noun: str) -> str:
    """`1 session`, `2,000 sessions`: for nouns whose plural only adds an s."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
