"""Position vectors to be added to word vectors, and rotary positions."""

import numpy as np

from attention_core import checks


def sinusoidal_positions(n, d_model):
    """Return the position vectors of the 2017 transformer, which are added to the word vectors.

    Each pair of columns rotates with the position: the first pair by one radian per word, each
    following pair more slowly, the last nearly 10,000 times more slowly.

        P[p, 2i] = sin(p / 10000^(2i / d_model)),    P[p, 2i + 1] = cos(p / 10000^(2i / d_model))

    Returns float64, (n, d_model), positions counted from 0. With an odd d_model the last sine has
    no cosine. The dot product of two rows depends on their distance alone (for an even d_model).

    Raises `ValueError` unless n is a whole number ≥ 0 and d_model one ≥ 1.
    Source: Vaswani et al. 2017, §3.5.

    >>> sinusoidal_positions(2, 4).round(3)
    array([[0.   , 1.   , 0.   , 1.   ],
           [0.841, 0.54 , 0.01 , 1.   ]])
    """
    position = np.arange(checks.whole_number(n, "n", 0))
    d_model = checks.whole_number(d_model, "d_model", 1)
    angle = position[:, None] * _frequencies(d_model, 10000.0)
    table = np.empty((len(position), d_model))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle[:, : d_model // 2])
    return table


def dial_positions(n):
    """Return points on a circle, one per position, each rotated from the one before by α with cos α = 24/25.

        P[p] = (cos(p · α), sin(p · α)),    tan α = 7/24

    A full turn takes 22.1 positions, so up to 16 words are well separated. A head that rotates its queries back
    by α, which takes only the whole numbers 24 and 7, attends to the previous word. Returns float64, (n, 2).

    Raises `ValueError` unless n is a whole number ≥ 0.

    >>> dial_positions(2)
    array([[1.  , 0.  ],
           [0.96, 0.28]])
    """
    angle = np.arange(checks.whole_number(n, "n", 0)) * np.arctan2(7, 24)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


@np.errstate(all="ignore")
def rotate_by_position(x, positions, base=10000.0):
    """Apply rotary positions: rotate each pair of components by an angle that grows with the position.

    Rotated queries and keys keep their lengths, and their score depends only on the distance
    between the two words.

        (x[2i], x[2i + 1])  →  (x[2i] cos α − x[2i + 1] sin α,  x[2i] sin α + x[2i + 1] cos α)
        α = position · base^(−2i / d),  in radians

    `x` is (…, n, d) with d even; `positions` broadcasts to (…, n), usually 0, 1, 2, …, and may be
    any finite numbers. For x of (batch, h, n, d), positions per sentence are `positions[:, None]`.
    Returns the shape of `x`; float32 stays float32.

    Raises `ValueError` for an odd d, positions that do not fit or could mean sentences or heads, a base
    that is not above 0, and input that is not finite. Source: Su et al. 2021 (RoFormer).

    >>> rotate_by_position([[1, 0], [1, 0]], [0, 1]).round(3)
    array([[1.   , 0.   ],
           [0.54 , 0.841]])

    The pairs are interleaved, as in RoFormer: components 0 and 1, 2 and 3, … Hugging Face's Llama, among
    others, pairs the two halves instead: i with i + d/2. To rotate vectors of that layout, bring them into
    this one and the result back:

    >>> halves = np.array([[1.0, 2, 0, 0]])  # the pairs (1, 0) and (2, 0)
    >>> order = np.arange(4).reshape(2, -1).T.ravel()  # 0, 2, 1, 3: its pairs, one after another
    >>> rotate_by_position(halves[:, order], [1])[:, np.argsort(order)].round(3)
    array([[0.54 , 2.   , 0.841, 0.02 ]])
    """
    x = checks.finite(checks.vectors(x, "x"), "x")
    if x.shape[-1] % 2:
        raise ValueError(f"x must have an even number of components to rotate in pairs, got shape {x.shape}")
    positions = checks.finite(checks.real_array(positions, "positions"), "positions")
    checks.one_place(positions, x.shape[:-2], "positions", own=1)
    try:
        positions = np.broadcast_to(positions, x.shape[:-1])
    except ValueError:
        raise ValueError(
            f"positions must broadcast to {x.shape[:-1]}, one per vector of x of shape {x.shape}, "
            f"got shape {positions.shape}"
        ) from None

    frequencies = _frequencies(x.shape[-1], checks.positive_number(base, "base"))
    angle = checks.finite(positions[..., None] * frequencies, "positions · base^(−2i / d)")
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
    rotated = np.empty_like(x)
    rotated[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    rotated[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    if not checks.is_finite(rotated):
        raise ValueError(f"the rotated vectors overflow {x.dtype}: x is too large")
    return rotated


def _frequencies(d, base):
    """base^(−2i / d) for every pair i, in radians per position."""
    return base ** (-np.arange(0, d, 2) / d)
