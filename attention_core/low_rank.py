"""A square matrix in two steps: down to a few numbers, and up again."""

from dataclasses import dataclass

import numpy as np

from attention_core import checks


@dataclass(frozen=True, eq=False)
class LowRank:
    """The two steps, and what gets through them. The arrays are read-only."""

    down: np.ndarray  #: (d, inner)
    up: np.ndarray  #: (inner, m)
    through: np.ndarray  #: (d, m), down @ up: of that rank, the nearest to the matrix
    singular_values: np.ndarray  #: of the matrix, the largest first
    kept: float  #: the part of the matrix's squared size that gets through, 0 to 1


def low_rank(matrix, inner):
    """The best two steps instead of one: (d, m) ≈ (d, inner) @ (inner, m).

    From the singular value decomposition: the `inner` largest singular values are kept, the others lost, and no
    other two steps lose less (Eckart and Young 1936). One step holds d · m numbers, two hold inner · (d + m).

    Raises `ValueError` for a matrix that is not finite and an `inner` below 1 or above the shorter side.
    """
    matrix = checks.matrix(matrix, "matrix")
    inner = checks.whole_number(inner, "inner", 1)
    if inner > min(matrix.shape):
        raise ValueError(f"inner must be at most {min(matrix.shape)} for a matrix of {matrix.shape}, got {inner}")
    left, sizes, right = np.linalg.svd(np.array(matrix, dtype=np.float64), full_matrices=False)
    roots = np.sqrt(sizes[:inner])
    down, up = left[:, :inner] * roots, roots[:, None] * right[:inner]
    parts = sizes / sizes[0] if sizes[0] else np.zeros_like(sizes)  # squares stay in range
    total = float(parts @ parts)
    kept = float(parts[:inner] @ parts[:inner]) / total if total else 1.0
    return LowRank(*map(checks.frozen, (down, up, down @ up, sizes)), kept)
