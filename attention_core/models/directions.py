"""Principal axes: the directions along which vectors vary most."""

import numpy as np

from attention_core import checks


def leading_directions(vectors) -> tuple[np.ndarray, np.ndarray]:
    """Compute the principal axes of vectors, (n, d), and the fraction of their variance along each.

    The basis is (d, d) and orthonormal, an axis in each column, in descending order of variance: `vectors @
    basis` are the same vectors in these coordinates, with the same dot products. The fractions, (d,), sum to 1.
    Of an axis and its opposite it is the one whose largest component is positive.

    Raises `ValueError` for fewer than two different vectors.
    """
    vectors = checks.finite(checks.vectors(vectors, "vectors"), "vectors").astype(np.float64)
    centred = vectors - vectors.mean(axis=0) if len(vectors) else vectors
    spread = (centred**2).sum()
    if not spread > 0:
        raise ValueError("vectors must differ: rows that are all alike spread in no direction")
    _, sizes, axes = np.linalg.svd(centred, full_matrices=True)
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    fractions = np.zeros(vectors.shape[1])
    fractions[: len(sizes)] = sizes**2 / spread
    return checks.frozen((axes * signs[:, None]).T.copy()), checks.frozen(fractions)
