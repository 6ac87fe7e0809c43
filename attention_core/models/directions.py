"""The directions along which vectors spread most: how vectors of many numbers are seen on a plane."""

from __future__ import annotations

import numpy as np

from attention_core import checks


def leading_directions(vectors) -> tuple[np.ndarray, np.ndarray]:
    """An orthonormal basis for rows of d numbers, and the share of their spread along each direction of it.

    The basis is (d, d), a direction in each column: `vectors @ basis` are the same vectors seen from there, and
    every dot product of two of them is as it was. The widest direction comes first; the shares, (d,), add up to 1
    (spread is the sum of squared distances from the mean). Raises `ValueError` for fewer than two different rows.
    """
    vectors = checks.finite(checks.vectors(vectors, "vectors"), "vectors").astype(np.float64)
    centred = vectors - vectors.mean(axis=0) if len(vectors) else vectors
    spread = (centred**2).sum()
    if not spread > 0:
        raise ValueError("vectors must differ: rows that are all alike spread in no direction")
    _, sizes, rows = np.linalg.svd(centred, full_matrices=True)
    signs = np.sign(
        rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)]
    )  # no direction is told from its opposite
    shares = np.zeros(vectors.shape[1])
    shares[: len(sizes)] = sizes**2 / spread
    return checks.frozen((rows * signs[:, None]).T.copy()), checks.frozen(shares)
