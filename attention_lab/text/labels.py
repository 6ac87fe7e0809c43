"""Names for the words of a sentence, each of which stands for one position, and signs for what nobody can see."""

from collections.abc import Sequence
from functools import lru_cache

SIGNS = {" ": "␣", "\n": "↵", "\t": "⇥"}


def labels(words: Sequence[str]) -> tuple[str, ...]:
    """Return a name for each position in a sentence: the second *an* is ``an₂``."""
    return _labels(tuple(words))


@lru_cache(256)
def _labels(words: tuple[str, ...]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    names: list[str] = []
    for word in words:
        seen[word] = seen.get(word, 0) + 1
        name = word
        while name in names:
            name = word + "".join("₀₁₂₃₄₅₆₇₈₉"[int(digit)] for digit in str(seen[word]))
            seen[word] += name in names
        names.append(name)
    return tuple(names)


def is_seen(token: str) -> bool:
    """Whether a reader can see a token as it is."""
    return bool(token.strip()) and token.isprintable()


def shown(token: str) -> str:
    """A token as it is shown: without the space that most begin with; of one that nobody could see, signs."""
    return token.strip() if is_seen(token) else with_signs(token)


def with_signs(token: str) -> str:
    """Return a token with signs for spaces, line breaks and whatever else cannot be printed."""
    return "".join(SIGNS.get(c, c if c.isprintable() else ascii(c)[1:-1]) for c in token)
