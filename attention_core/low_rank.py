"""Low-rank factorisation of a matrix."""

from dataclasses import dataclass

import numpy as np

from attention_core import checks


@dataclass(frozen=True, eq=False)
class LowRank:
    """A matrix as the product of two smaller ones. The arrays are read-only."""

    down: np.ndarray  #: (d, inner)
    up: np.ndarray  #: (inner, m)
    through: np.ndarray  #: (d, m), down @ up: the nearest matrix of that rank
    singular_values: np.ndarray  #: of the matrix, in descending order
    retained: float  #: the fraction of the matrix's squared Frobenius norm that is retained, 0 to 1


def low_rank(matrix, inner):
    """Factorise a matrix into two of rank `inner`: (d, m) ≈ (d, inner) @ (inner, m).

    From the singular value decomposition: no other product of that rank is nearer to the matrix (Eckart and Young
    1936). The matrix has d · m numbers, its two factors have inner · (d + m).

    Raises `ValueError` for a matrix that is not finite and an `inner` below 1 or above the shorter side.

    >>> low_rank([[1, 2], [2, 4]], inner=1).through.round(9)
    array([[1., 2.],
           [2., 4.]])
    """
    matrix = checks.matrix(matrix, "matrix")
    inner = checks.whole_number(inner, "inner", 1)
    if inner > min(matrix.shape):
        raise ValueError(f"inner must be at most {min(matrix.shape)} for a matrix of {matrix.shape}, got {inner}")
    left, sizes, right = np.linalg.svd(np.array(matrix, dtype=np.float64), full_matrices=False)
    roots = np.sqrt(sizes[:inner])
    down, up = left[:, :inner] * roots, roots[:, None] * right[:inner]
    relative = sizes / sizes[0] if sizes[0] else np.zeros_like(sizes)  # squares stay in range
    total = float(relative @ relative)
    retained = float(relative[:inner] @ relative[:inner]) / total if total else 1.0
    return LowRank(*map(checks.frozen, (down, up, down @ up, sizes)), retained)
