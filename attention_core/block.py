"""The rest of a transformer block: layer norm, and a feed-forward network applied to every word by itself.

Vaswani et al. 2017, §3.1 and §3.3; the norm before each part as in GPT-2 (Radford et al. 2019).
"""

from dataclasses import dataclass

import numpy as np

from attention_core import checks


@np.errstate(all="ignore")
def layer_norm(x, epsilon=1e-5):
    """Shift every vector to mean 0 and scale it to variance 1.

        (x − mean(x)) / √(var(x) + ε)

    `x` is (…, n, d). A vector of equal components becomes zeros. Trained norms also multiply each component by a
    learned gain, which begins at 1, and add a learned bias, which begins at 0. Source: Ba et al. 2016.

    Raises `ValueError` for input that is not finite and for an `epsilon` that is not above 0.

    >>> layer_norm([[1, 3], [2, 2]]).round(3)
    array([[-1.,  1.],
           [ 0.,  0.]])
    """
    x = checks.finite(checks.vectors(x, "x"), "x")
    epsilon = checks.positive_number(epsilon, "epsilon")
    centred = x - x.mean(axis=-1, keepdims=True)
    size = np.abs(centred).max(axis=-1, keepdims=True, initial=0)
    size = np.where(size > 1, size, 1)  # squares stay in range
    scaled = centred / size
    variance = (scaled * scaled).mean(axis=-1, keepdims=True)
    return checks.finite(scaled / np.sqrt(variance + epsilon / size / size), "the normed x")


@dataclass(frozen=True, eq=False)
class FeedForward:
    """Two matrices with max(0, ·) between them, applied to each word: d_model → d_ff → d_model components."""

    W_up: np.ndarray  #: (d_model, d_ff)
    W_down: np.ndarray  #: (d_ff, d_model)
    provenance: str = "yours"

    def __post_init__(self):
        for name in ("W_up", "W_down"):
            object.__setattr__(self, name, checks.matrix(getattr(self, name), name))
        if self.W_down.shape != self.W_up.shape[::-1]:
            raise ValueError(
                f"W_down must have shape {self.W_up.shape[::-1]} to fit W_up of shape {self.W_up.shape}, "
                f"got {self.W_down.shape}"
            )

    def __call__(self, x):
        """Return the update of every vector of `x`, (…, n, d_model)."""
        x = checks.finite(checks.vectors(x, "x"), "x")
        if x.shape[-1] != len(self.W_up):
            raise ValueError(f"x must have {len(self.W_up)} components to fit W_up, got shape {x.shape}")
        with np.errstate(all="ignore"):
            return checks.finite(np.maximum(x @ self.W_up, 0) @ self.W_down, "output")


def random_feed_forward(d_model, d_ff=None, seed=0):
    """Draw a feed-forward network as it is before training.

    Independent entries of variance 2 / d_model in W_up and 1 / d_ff in W_down; `d_ff` defaults to 4 · d_model.

    Raises `ValueError` for sizes that are not whole numbers ≥ 1 and a `seed` that is not one ≥ 0.

    >>> random_feed_forward(d_model=2).W_up.shape
    (2, 8)
    """
    d_model = checks.whole_number(d_model, "d_model", 1)
    d_ff = 4 * d_model if d_ff is None else checks.whole_number(d_ff, "d_ff", 1)
    rng = np.random.default_rng([checks.whole_number(seed, "seed", 0), d_model, d_ff])
    W_up = rng.standard_normal((d_model, d_ff)) * (2 / d_model) ** 0.5
    W_down = rng.standard_normal((d_ff, d_model)) * d_ff**-0.5
    return FeedForward(W_up, W_down, "random")


def block_steps(x, attention, feed_forward, norm_first=False):
    """Compute one block on the words of `x`, (n, d_model), and return every intermediate result by name.

        2017:    x → + attention → norm → + feed-forward → norm
        GPT-2:   x → + attention of norm → + feed-forward of norm

    `attention` is a `MultiHeadAttention`, `feed_forward` a `FeedForward`. The last item of the dictionary is the
    block's output, the input of the next block.

    Raises `ValueError` for parts that do not fit `x`, and input that is not finite.

    >>> heads = np.stack([np.eye(2), -np.eye(2)])
    >>> attention = MultiHeadAttention(heads, heads, heads, heads)
    >>> steps = block_steps(np.eye(2), attention, random_feed_forward(2))
    >>> list(steps)
    ['x', 'attention', 'sum', 'norm', 'feed_forward', 'second_sum', 'second_norm']
    """
    if norm_first:
        steps = {"x": x, "norm": layer_norm(x)}
        steps["attention"] = attention.attend(steps["norm"]).output
        steps["sum"] = x + steps["attention"]
        steps["second_norm"] = layer_norm(steps["sum"])
        steps["feed_forward"] = feed_forward(steps["second_norm"])
        steps["second_sum"] = steps["sum"] + steps["feed_forward"]
        return steps
    steps = {"x": x, "attention": attention.attend(x).output}
    steps["sum"] = x + steps["attention"]
    steps["norm"] = layer_norm(steps["sum"])
    steps["feed_forward"] = feed_forward(steps["norm"])
    steps["second_sum"] = steps["norm"] + steps["feed_forward"]
    steps["second_norm"] = layer_norm(steps["second_sum"])
    return steps
