"""A trained language model: whom its heads look at, what each state says next, what an exchanged word changes.

The weights are a file of the course, ``readable.npz`` or ``plain.npz``, handed over with this program.
"""

from pathlib import Path

import numpy as np

# given
model = "readable"
words = ["the", "soccer", "player"]
numbers = [1, 115, 116]
numbers_before = [1, 118, 116]
strengths = [[1.0, 1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0, 1.0]]
vocabulary = [".", "the"]
# end given

places = [Path(), Path("attention_core/models/shipped")]
file = next((path for path in (place / f"{model}.npz" for place in places) if path.exists()), None)
if file is None:
    raise SystemExit(
        f"Its weights are missing: save {model}.npz, which the page offers under Take away, beside it."
    )
with np.load(file) as found:
    w = {name: found[name].astype(float) for name in found.files if found[name].dtype.kind == "f"}
strengths = np.array(strengths)


def softmax(scores):
    """Shares along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def read(numbers):
    """Each word's vector at the start and after each layer, the patterns of all heads, the next word's shares."""
    x = w["embeddings"][numbers] + w["positions"][: len(numbers)]
    states, patterns = [x], []
    for layer in range(len(w["W_query"])):
        of_heads = x[None]  # one more axis, for the heads
        query, key, value = (of_heads @ w[name][layer] for name in ("W_query", "W_key", "W_value"))
        scores = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[2])
        scores = np.where(np.tri(len(numbers), dtype=bool), scores, -np.inf)  # nobody looks at what comes later
        weights = softmax(scores)
        added = weights @ value @ w["W_output"][layer]  # each head's own Δx
        x = x + (strengths[layer][:, None, None] * added).sum(axis=0)
        states.append(x)
        patterns.extend(weights)
    shares = softmax(np.array([state[-1] for state in states]) @ w["W_vocabulary"] + w["bias"])
    return states, patterns, shares


names = dict(enumerate(vocabulary))
states, patterns, shares = read(numbers)
for head, pattern in enumerate(patterns):
    print(f"L{head // strengths.shape[1] + 1}H{head % strengths.shape[1] + 1}", *map(float, pattern[-1]))
for k in np.argsort(-shares[-1], kind="stable")[:6]:
    print(repr(names.get(int(k))), *(float(of_state[k]) for of_state in shares))
states_before, _, _ = read(numbers_before)
if len(numbers) == len(numbers_before):
    for word, before, after in zip(
        words, np.swapaxes(states_before, 0, 1), np.swapaxes(states, 0, 1), strict=True
    ):
        moved = np.linalg.norm(after - before, axis=1) / np.linalg.norm(before, axis=1)
        print(repr(word), *map(float, moved))
