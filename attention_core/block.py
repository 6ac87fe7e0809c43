"""What a block adds to attention: layer norm, and a network that works on every word by itself.

Vaswani et al. 2017, §3.1 and §3.3; the norm before each part as in GPT-2 (Radford et al. 2019).
"""

from dataclasses import dataclass

import numpy as np

from attention_core import checks


@np.errstate(all="ignore")
def layer_norm(x, epsilon=1e-5):
    """Every vector moved to mean 0 and brought to variance 1.

        (x − mean(x)) / √(var(x) + ε)

    `x` is (…, d). A vector of equal numbers becomes zeros. Trained norms also stretch and shift each number by
    learned amounts, which begin at 1 and 0. Source: Ba et al. 2016.

    Raises `ValueError` for input that is not finite and for an `epsilon` that is not above 0.
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
    """Two matrices with max(0, ·) between them: each word by itself, (…, d_model) → (…, d_ff) → (…, d_model)."""

    W_up: np.ndarray
    W_down: np.ndarray
    provenance: str = "yours"

    def __post_init__(self):
        """Check the matrices and keep copies."""
        for name in ("W_up", "W_down"):
            vars(self)[name] = checks.matrix(getattr(self, name), name)
        if self.W_down.shape != self.W_up.shape[::-1]:
            raise ValueError(
                f"W_down must have shape {self.W_up.shape[::-1]} to fit W_up of shape {self.W_up.shape}, "
                f"got {self.W_down.shape}"
            )

    def __call__(self, x):
        """What is added to every vector of `x`, (…, d_model)."""
        x = checks.finite(checks.vectors(x, "x"), "x")
        if x.shape[-1] != len(self.W_up):
            raise ValueError(f"x must have {len(self.W_up)} components to fit W_up, got shape {x.shape}")
        with np.errstate(all="ignore"):
            return checks.finite(np.maximum(x @ self.W_up, 0) @ self.W_down, "output")


def random_feed_forward(d_model, d_ff=None, seed=0):
    """A feed-forward network as it is before training: independent entries, variance 2 / d_model and 1 / d_ff.

    `d_ff` is 4 · d_model unless given.
    """
    d_model = checks.whole_number(d_model, "d_model", 1)
    d_ff = 4 * d_model if d_ff is None else checks.whole_number(d_ff, "d_ff", 1)
    draw = np.random.default_rng([checks.whole_number(seed, "seed", 0), d_model, d_ff])
    W_up = draw.standard_normal((d_model, d_ff)) * (2 / d_model) ** 0.5
    W_down = draw.standard_normal((d_ff, d_model)) * d_ff**-0.5
    return FeedForward(W_up, W_down, "random")


def block_steps(x, attention, feed_forward, norm_first=False):
    """One block on the words of `x`, (n, d_model): every vector between its input and its output, by name.

        2017:    x → + attention → norm → + feed-forward → norm
        GPT-2:   x → + attention of norm → + feed-forward of norm

    `attention` is a `MultiHeadAttention`, `feed_forward` a `FeedForward`. The last of the dictionary is the
    block's output, from which the next block begins.
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
