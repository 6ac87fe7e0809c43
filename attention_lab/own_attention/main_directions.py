"""Queries and keys as arrows in a plane: that of their two main directions."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Arrows:
    """Queries and keys of the heads of a layer, seen in a plane of each head's own."""

    query: np.ndarray  #: (heads, n_q, 2)
    key: np.ndarray  #: (heads, n_k, 2), of the key that each query head uses
    held: np.ndarray  #: (heads,), what the plane holds of all squared lengths, 0 to 1


def main_directions(query: np.ndarray, key: np.ndarray) -> Arrows:
    """Return queries (h, n_q, d) and keys (h or fewer, n_k, d) in the plane that holds most of their lengths.

    Vectors of two components stay as they are. Nothing is centred first, so that a dot product in the plane is
    what the plane holds of the score.

    >>> arrows = main_directions(np.array([[[3.0, 0, 1]]]), np.array([[[0.0, 2, 0]]]))
    >>> arrows.held.round(3).tolist()
    [1.0]
    """
    key = np.repeat(key, len(query) // len(key), axis=0)
    short = 2 - query.shape[-1]
    if short >= 0:
        query, key = (np.pad(each, ((0, 0), (0, 0), (0, short))) for each in (query, key))
        return Arrows(query, key, np.ones(len(query)))
    both = np.concatenate([query, key], axis=1, dtype=np.float64)
    sizes, directions = np.linalg.eigh(both.swapaxes(1, 2) @ both)  # in rising order
    plane = directions[:, :, :-3:-1]
    held = sizes[:, -2:].sum(axis=-1) / np.maximum(sizes.sum(axis=-1), np.finfo(float).tiny)
    return Arrows(query @ plane, key @ plane, held)
