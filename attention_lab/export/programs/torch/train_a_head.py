"""Train a head, step by step: a forward pass, gradients by autograd, and Adam.

The embeddings are (vocabulary, d_model), positions (n, d_model), W_query, W_key and W_value (layers, heads,
d_model, d_k), W_output (layers - 1, heads, d_k, d_model), W_vocabulary (groups, d_k, outputs), bias (groups,
outputs). In the sentences every letter stands for one word. In the answers a dot stands where none is asked.
"""

import numpy as np  # for which sentences each step takes
import torch


def indices(text, width):
    """Return sentences of letters as numbers: a is 0, b is 1, a dot is -1."""
    letters = ".abcdefghijklmnopqrstuvwxyz"
    rows = torch.tensor([[letters.index(letter) - 1 for letter in sentence] for sentence in text.split()])
    return rows.reshape(len(rows), -1, width)


def loss_of(p, sentences, targets, settings):
    """Return the mean loss of all answers with the parameters `p`."""
    size, n, _ = sentences.shape
    num_layers, heads, _, d_k = p["W_query"].shape
    W_key = p.get("W_key", p["W_query"])  # perhaps one matrix for both

    x = p["embeddings"][sentences].sum(dim=2)
    if "positions" in p:
        x = x + p["positions"]
    for layer in range(num_layers):
        of_heads = x[:, None]  # one more axis, for the heads
        query, key = of_heads @ p["W_query"][layer], of_heads @ W_key[layer]
        value = of_heads @ p["W_value"][layer]
        scores = query @ key.mT * (d_k**-0.5 if settings["scaled"] else 1.0)
        if settings["causal"]:
            scores = scores.masked_fill(~torch.ones(n, n, dtype=torch.bool).tril(), -torch.inf)
        weights = scores.softmax(dim=-1)
        context = weights @ value
        if layer < num_layers - 1:
            x = x + (context @ p["W_output"][layer]).sum(dim=1)

    own = p["W_vocabulary"].shape[1] == d_k  # each group reads a head of its own, or all of them side by side
    read = context if own else context.transpose(1, 2).reshape(size, 1, n, heads * d_k)
    logits = read @ p["W_vocabulary"] + p["bias"][:, None]
    right = targets.movedim(-1, 1)
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 2), right.flatten(), ignore_index=-1)
    if settings["entropy_penalty"]:
        entropy = torch.special.entr(weights).sum(dim=-1).movedim(1, -1)  # of each word, in each head
        loss = loss + settings["entropy_penalty"] * entropy[(targets >= 0).any(dim=-1)].mean()
    return loss


# data

torch.set_num_threads(1)  # too little to be shared out
groups = len(start["bias"])
x, y = indices(trained, features), indices(trained_answers, groups)
measured = indices(held_out, features), indices(held_out_answers, groups)
batches = torch.from_numpy(np.random.default_rng([seed, 8]).integers(len(x), size=(steps, 64)))
parameters = {name: torch.tensor(rows, dtype=torch.float64, requires_grad=True) for name, rows in start.items()}
adam = torch.optim.Adam(parameters.values(), lr=settings["learning_rate"], betas=(0.9, 0.99), eps=1e-8)
for step in range(steps + 1):
    if step % every == 0 or step == steps:  # as float32, as which the page keeps them
        rounded = {name: array.detach().float().double() for name, array in parameters.items()}
        loss = loss_of(rounded, *measured, settings)
        print(f"after {begun + step} steps: loss {loss:.15g}")
    if step < steps:
        adam.zero_grad()
        loss_of(parameters, x[batches[step]], y[batches[step]], settings).backward()
        adam.step()
