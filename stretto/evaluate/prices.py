"""What tokens cost and how long texts are, fitted from recorded usage."""

from collections.abc import Iterable
from typing import NamedTuple

from stretto.episodes.episode import Usage
from stretto.evaluate.sketch import Text

LEAST_DETERMINANT = 1e-9
"""Below it, prompt and completion tokens are one variable."""


class Price(NamedTuple):
    """Dollars a token."""

    prompt: float
    completion: float


class LookupTokens(NamedTuple):
    """What the result of a typical lookup adds to every later prompt."""

    by_bytes: float
    """Mean bytes of the results of reads, failed ones included, over four."""
    fitted: float | None
    """
    Mean characters of those that did not fail, times the tokens a character that
    prompts were seen to grow by; None where usage was not recorded.
    """


def price(turns: Iterable[Usage]) -> Price:
    """The price of an agent's tokens: least squares of cost, without an intercept."""
    pp = pc = cc = py = cy = 0.0
    for turn in turns:
        prompt, completion, cost = turn.prompt_tokens, turn.completion_tokens, turn.cost
        pp += prompt * prompt
        pc += prompt * completion
        cc += completion * completion
        py += prompt * cost
        cy += completion * cost
    determinant = pp * cc - pc * pc
    if determinant < LEAST_DETERMINANT:
        return Price(py / pp if pp else 0.0, 0.0)
    return Price((cc * py - pc * cy) / determinant, (pp * cy - pc * py) / determinant)


def lookup_tokens(texts: Iterable[Text]) -> LookupTokens:
    """What the sessions say about the length of a lookup's result; 0 without reads."""
    reads = n_bytes = good = characters = 0
    grown = squared = 0
    for text in texts:
        reads, n_bytes = reads + text.reads, n_bytes + text.read_bytes
        good += text.good_reads
        characters += text.good_read_characters
        for added, tokens in text.added:
            grown += added * tokens
            squared += added * added
    by_bytes = n_bytes / reads / 4 if reads else 0.0
    if not squared or not good:
        return LookupTokens(by_bytes, None)
    return LookupTokens(by_bytes, characters / good * grown / squared)
