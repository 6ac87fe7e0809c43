"""Operations of Cross-attention: translating word by word, and scoring alignments.

Each has its twin of the same name in ``operations.js`` beside it.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from attention_core import models
from attention_core.models import translator
from attention_lab.calculation.operations import remembered
from attention_lab.calculation.table import operation


@operation("mask n m", "places n m", gives="n")
def closed_at(mask: np.ndarray, places: Sequence[int]) -> np.ndarray:
    """For each row of a mask, 1 where its cell at that place is closed."""
    return np.array([float(not line[place]) for line, place in zip(mask, places, strict=True)])


@operation("places n m", "places n 2?", gives="")
def crossings(places: Sequence[float], left_out: Sequence[float] = ()) -> int:
    """How many pairs stand the other way round: links from 0, 1, 2 … to these places that cross each other.

    Those with a 1 in `left_out` are none.
    """
    links = [place for k, place in enumerate(places) if not (len(left_out) and left_out[k])]
    pairs = ((a, b) for k, a in enumerate(links) for b in links[k + 1 :])
    return len([1 for a, b in pairs if a > b])


@operation("translator n m d", "tokens 1 n m", "flag", "place 4", "bent n", gives="DecodedWords")
@remembered
def translation(
    parameters: Mapping[str, np.ndarray], tokens: np.ndarray, raw_values: bool, off: int, bent: np.ndarray
) -> models.DecodedWords:
    """What a translator makes of a text: `off` says, as a sum of 1 and 2, which heads hand nothing over."""
    heads_off = [head for head in (0, 1) if int(off) >> head & 1]
    decoded = translator.decode(parameters, tokens[0], bool(raw_values), heads_off, bent)
    said, next_word, _, _, across = decoded
    next_word.setflags(write=False)
    return models.DecodedWords(tuple(said), across.weights, next_word)


@operation("tokens 1 n m", "places v m", "mask m m", gives="v")
def translated_places(tokens: np.ndarray, said: Sequence[int], can_be: np.ndarray) -> tuple[int, ...]:
    """For each word said the place of the one that it translates, each place once, −1: of none.

    ``can_be[a][b]`` says whether word a can become word b.
    """
    free = [*map(int, np.asarray(tokens)[0])]
    result = []
    for word in said:
        place = next((k for k, other in enumerate(free) if other >= 0 and can_be[other][word]), -1)
        if place >= 0:
            free[place] = -1
        result.append(place)
    return tuple(result)


@operation("gold n m", "gold n m", gives="")
def places_lost(places: Sequence[int], before: Sequence[int]) -> int:
    """How many of the places that stood among those `before` stand nowhere now; −1 is no place."""
    return len({*map(int, before)} - {*map(int, places)} - {-1})


@operation("weights n m", "gold n m", gives="3")
def links_scored(weights: np.ndarray, gold: Sequence[int]) -> tuple[int, int, int]:
    """How many links are right, wrong and missed: a weight of half or more is a link."""
    return translator.score(np.asarray(weights, dtype=float), gold)


@operation("row d", "gold n d", "count", gives="")
def share_at(row_: Sequence[float], places: Sequence[int], step: int) -> float:
    """The number at the place that belongs to a step; 0 where none does."""
    return float(row_[places[step]]) if step < len(places) and places[step] >= 0 else 0.0


@operation("count", "places n m", gives="")
def no_later(step: int, said: Sequence[int]) -> int:
    """A step, or the last where there are not so many: one for each word and one for the end."""
    return min(step, len(said))
