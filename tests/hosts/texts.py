"""Configuration files as people write them, by chance."""

import json

from hypothesis import strategies as st

WORDS = ["a", "shop", "b c", "// no", "/* no */", 'q"q', "\\", "é", "x,]}", "# no"]
COMMENTS = ["// a, }", '// "quoted"', "/* b ] */", '/* "c\n d */', "/**/", "//"]
GAPS = ["", "", " ", "\n", "\n\t", "\r\n"]


def gaps() -> st.SearchStrategy[str]:
    """White space, with a comment in it now and then."""
    line = st.sampled_from([f" {c}\n" for c in COMMENTS if c.startswith("//")])
    block = st.sampled_from([c for c in COMMENTS if c.startswith("/*")])
    return st.one_of(st.sampled_from(GAPS), st.sampled_from(GAPS), line, block)


def values() -> st.SearchStrategy[object]:
    """What a host's file may hold."""
    leaves = st.one_of(
        st.sampled_from(WORDS), st.integers(-3, 3), st.booleans(), st.none()
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
        ),
        max_leaves=8,
    )


@st.composite
def jsonc(draw: st.DrawFn, value: object) -> str:
    """A spelling of `value` with comments and trailing commas."""
    gap = lambda: draw(gaps())  # noqa: E731
    match value:
        case dict():
            members = [
                f"{gap()}{json.dumps(key)}{gap()}:{gap()}{draw(jsonc(item))}{gap()}"
                for key, item in value.items()
            ]
            brackets = "{}"
        case list():
            members = [f"{gap()}{draw(jsonc(item))}{gap()}" for item in value]
            brackets = "[]"
        case _:
            return json.dumps(value)
    trailing = "," + gap() if members and draw(st.booleans()) else ""
    return brackets[0] + ",".join(members) + trailing + gap() + brackets[1]
