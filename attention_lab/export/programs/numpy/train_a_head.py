"""Train a head, step by step: a forward pass, gradients written out by hand, and Adam.

The embeddings are (vocabulary, d_model), positions (n, d_model), W_query, W_key and W_value (layers, heads,
d_model, d_k), W_output (layers - 1, heads, d_k, d_model), W_vocabulary (groups, d_k, outputs), bias (groups,
outputs). In the sentences every letter stands for one word. In the answers a dot stands where none is asked.
"""

import numpy as np


def indices(text, width):
    """Return sentences of letters as numbers: a is 0, b is 1, a dot is -1."""
    letters = ".abcdefghijklmnopqrstuvwxyz"
    rows = np.array([[letters.index(letter) - 1 for letter in sentence] for sentence in text.split()])
    return rows.reshape(len(rows), -1, width)


def transposed(matrices):
    """Return matrices with their last two axes swapped."""
    return matrices.swapaxes(-1, -2)


# shared: softmax


def loss_and_gradients(p, sentences, targets, settings):
    """Return the mean loss of all answers, and the gradient for each of the parameters `p`."""
    size, n, _ = sentences.shape
    num_layers, heads, _, d_k = p["W_query"].shape
    scale = d_k**-0.5 if settings["scaled"] else 1.0
    W_key = p.get("W_key", p["W_query"])  # perhaps one matrix for both

    # forward
    x = p["embeddings"][sentences].sum(axis=2)
    if "positions" in p:
        x = x + p["positions"]
    layers = []
    for layer in range(num_layers):
        of_heads = x[:, None]  # one more axis, for the heads
        query, key = of_heads @ p["W_query"][layer], of_heads @ W_key[layer]
        value = of_heads @ p["W_value"][layer]
        scores = query @ transposed(key) * scale
        if settings["causal"]:
            scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
        weights = softmax(scores)
        context = weights @ value
        layers.append((of_heads, query, key, value, weights, context))
        if layer < num_layers - 1:
            x = x + (context @ p["W_output"][layer]).sum(axis=1)

    own = p["W_vocabulary"].shape[1] == d_k  # each group reads a head of its own, or all of them side by side
    read = context if own else context.swapaxes(1, 2).reshape(size, 1, n, heads * d_k)
    logits = read @ p["W_vocabulary"] + p["bias"][:, None]
    targets = np.moveaxis(targets, -1, 1)
    asked = (targets >= 0)[..., None]
    right = asked & (targets[..., None] == np.arange(logits.shape[-1]))
    below = logits - logits.max(axis=-1, keepdims=True)
    loss = (np.log(np.exp(below).sum(axis=-1)) - (below * right).sum(axis=-1))[asked[..., 0]].sum() / asked.sum()

    # backward
    g = {name: np.zeros_like(array) for name, array in p.items()}
    d_logits = (softmax(logits) - right) * asked / asked.sum()
    g["W_vocabulary"] = (transposed(read) @ d_logits).sum(axis=0)
    g["bias"] = d_logits.sum(axis=(0, 2))
    d_read = d_logits @ transposed(p["W_vocabulary"])
    if read.shape[1] == 1:  # all groups read the same
        d_read = d_read.sum(axis=1, keepdims=True)
    d_context = d_read if own else d_read.reshape(size, n, heads, d_k).swapaxes(1, 2)
    d_x = 0
    for layer in reversed(range(num_layers)):
        of_heads, query, key, value, weights, context = layers[layer]
        if layer < num_layers - 1:
            g["W_output"][layer] = (transposed(context) @ d_x[:, None]).sum(axis=0)
            d_context = d_x[:, None] @ transposed(p["W_output"][layer])
        d_weights, d_value = d_context @ transposed(value), transposed(weights) @ d_context
        d_scores = weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))
        if settings["entropy_penalty"] and layer == num_layers - 1:
            log = np.log(np.where(weights > 0, weights, 1))
            entropy = -(weights * log).sum(axis=-1, keepdims=True)
            some = asked.any(axis=1, keepdims=True)
            rate = some * settings["entropy_penalty"] / (some.sum() * heads)
            loss += (rate * entropy).sum()
            d_scores -= rate * weights * (log + entropy)
        d_query, d_key = d_scores @ key * scale, transposed(d_scores) @ query * scale
        for name, W, d in (
            ("W_query", p["W_query"], d_query),
            ("W_key", W_key, d_key),
            ("W_value", p["W_value"], d_value),
        ):
            g[name if name in p else "W_query"][layer] += (transposed(of_heads) @ d).sum(axis=0)
            d_x = d_x + (d @ transposed(W[layer])).sum(axis=1)
    if "positions" in p:
        g["positions"] = d_x.sum(axis=0)
    for feature in np.moveaxis(sentences, -1, 0):
        np.add.at(g["embeddings"], feature, d_x)
    return loss, g


# data

groups = len(start["bias"])
x, y = indices(trained, features), indices(trained_answers, groups)
measured = indices(held_out, features), indices(held_out_answers, groups)
batches = np.random.default_rng([seed, 8]).integers(len(x), size=(steps, 64))
parameters = {name: np.array(rows) for name, rows in start.items()}
mean = {name: np.zeros_like(array) for name, array in parameters.items()}
square = {name: np.zeros_like(array) for name, array in parameters.items()}
for step in range(steps + 1):
    if step % every == 0 or step == steps:  # as float32, as which the page keeps them
        rounded = {name: array.astype(np.float32).astype(np.float64) for name, array in parameters.items()}
        loss = loss_and_gradients(rounded, *measured, settings)[0]
        print(f"after {begun + step} steps: loss {loss:.15g}")
    if step < steps:
        batch = batches[step]
        _, gradients = loss_and_gradients(parameters, x[batch], y[batch], settings)
        for name, gradient in gradients.items():  # Adam
            mean[name] += 0.1 * (gradient - mean[name])
            square[name] += 0.01 * (gradient**2 - square[name])
            spread = np.sqrt(square[name] / (1 - 0.99 ** (step + 1))) + 1e-8
            parameters[name] -= settings["learning_rate"] * mean[name] / (1 - 0.9 ** (step + 1)) / spread
