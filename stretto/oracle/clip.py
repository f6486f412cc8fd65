"""Texts cut to a length, as the published requests cut them."""

SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Unicode's white space. `str.strip` takes U+001C to U+001F for some as well."""


def trim(text: str) -> str:
    """`text` without white space at either end."""
    return text.strip(SPACES)


def clip(text: str, length: int) -> str:
    """`text`, trimmed; beyond `length` characters cut there, and ended with `…`."""
    text = trim(text)
    return text if len(text) <= length else f"{text[:length]}…"
