"""Names for the words of a sentence, each of which stands for one position."""

from collections.abc import Sequence
from functools import lru_cache


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
