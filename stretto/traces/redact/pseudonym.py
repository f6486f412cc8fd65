"""
Pseudonyms: a value's stand-in, the same wherever the value stands under one salt.

What learning looks at in a value survives, and nothing else does. Two stand-ins are
equal where the values are, and equal but for their case where the values are. A number
stays a number. A leading `#` and the white space around a value are kept, and whether
it has a digit or an `@`. Values of two or three characters keep that length, and what
their case has in common is lost. A value of one character stays: it is no secret.
"""

import hmac
import re
from dataclasses import dataclass, field
from functools import lru_cache

VERSION = 1
"""Of how pseudonyms are made; another version's are other ones."""
MIN_SALT = 16
"""The fewest bytes of a salt: with a guessed one, values can be guessed too."""

SHORT = 4
"""Of how many characters a value is long enough to tell records apart."""

_PURPOSE = f"stretto-redact-{VERSION}".encode()
_NUMERAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")
_DIGIT = re.compile("[0-9]")
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
_N_LETTERS = 16
"""Of sixteen letters each: 64 bits."""
_IDEOGRAPHS = (0x4E00, 20_992)
"""From which on and how many: characters that no other pseudonym has, nor a case."""
_NUMERALS = 10**18
"""How many numbers stand in for numbers: just under 60 bits, within 64 as JSON."""


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """Those of one salt."""

    salt: bytes = field(repr=False)

    @property
    def check(self) -> str:
        """What tells this salt from another, and not what it is: 16 hex digits."""
        return self.digest("check", "").hex()[:16]

    def of(self, value: str) -> str:
        """A value's pseudonym; the value itself where that is one character or none."""
        before, core, after = split(value)
        return value if len(core) < 2 else before + self._of(core) + after

    def _of(self, core: str) -> str:
        lower = core.lower()
        digest = self.digest("value", lower)
        if _NUMERAL.fullmatch(core):
            if len(core) < SHORT:
                return _shuffled(self, _shape(core))[core]
            return str(_NUMERALS + int.from_bytes(digest) % _NUMERALS)
        if len(core) < SHORT:
            return self._short(core)
        mark = "h1" if _DIGIT.search(core) else "h"
        letters = digest.hex()[:_N_LETTERS].translate(_LETTERS)
        found = f"{mark}{'@' if '@' in core else '_'}{letters}"
        return found if core == lower else self._cased(core, found)

    def _short(self, core: str) -> str:
        """As long as the value: of records that values name, a short one names none."""
        bits = int.from_bytes(self.digest("short", core))
        first, n = _IDEOGRAPHS
        return "".join(chr(first + (bits >> 32 * i) % n) for i in range(len(core)))

    def _cased(self, core: str, lower: str) -> str:
        """The pseudonym of a spelling of its own; it begins with a capital."""
        bits = int.from_bytes(self.digest("case", core))
        spelled = (c.upper() if bits >> i & 1 else c for i, c in enumerate(lower[1:]))
        return lower[0].upper() + "".join(spelled)

    def digest(self, about: str, text: str) -> bytes:
        """What is computed of a text with the salt, for one purpose: 32 bytes."""
        said = text.encode("utf-8", errors="surrogatepass")
        message = b"\0".join((_PURPOSE, about.encode(), said))
        return hmac.digest(self.salt, message, "sha256")


def _shape(numeral: str) -> str:
    return _DIGIT.sub("0", numeral)


@lru_cache(maxsize=64)
def _shuffled(pseudonyms: Pseudonyms, shape: str) -> dict[str, str]:
    """Each number of two or three characters, and another spelled with as many."""
    n = shape.count("0")
    spelled = (shape.replace("0", "{}").format(*f"{i:0{n}}") for i in range(10**n))
    those = [numeral for numeral in spelled if _NUMERAL.fullmatch(numeral)]
    # One round of all of them, so that none stands for itself.
    order = sorted(those, key=lambda numeral: pseudonyms.digest("short", numeral))
    return dict(zip(order, (*order[1:], order[0]), strict=True))


def split(value: str) -> tuple[str, str, str]:
    """White space and a `#` before a value, what it says, and white space behind."""
    core = value.strip()
    n_before = len(value) - len(value.lstrip())
    n_behind = len(value) - n_before - len(core)
    if core.startswith("#") and len(core) > 1:
        core, n_before = core[1:], n_before + 1
    return value[:n_before], core, value[len(value) - n_behind :]


def plain(value: str) -> str:
    """A value as a message is searched for it: trimmed, lower-case, without its `#`."""
    return split(value)[1].lower()
