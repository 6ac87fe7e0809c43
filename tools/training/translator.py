"""Train the small translators: `python -m tools.training.translator aligned` (or `through_encoder`, `two_heads`).

*aligned* hands over the English words' own vectors, so that it must look where it translates; *through_encoder*
hands over what the encoder's heads have gathered, which takes the place of the words' own vectors; *two_heads*
has no encoder, and two heads across.
"""

from __future__ import annotations

import argparse
import itertools
import math
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from attention_core.models import phrases
from attention_core.models.translator import MATRICES, MEASURED, NORMS, build, held_out_texts, measure
from tools.training.weights import save

MODULE = "tools.training.translator"
D_MODEL, POOL, BATCH, STEPS, LEARNING_RATE = 32, 12_000, 64, 2500, 0.005
# Times the mean entropy of the rows across, added in the second half: look at little, wherever. From the first
# step on it would break runs, and without it a row also keeps shares that nothing depends on.
SHARPENING = {"aligned": 0.05, "through_encoder": 0.0, "two_heads": 0.05}
HEADS = {
    "aligned": {"encoder": 2, "decoder": 2, "across": 1},
    "through_encoder": {"encoder": 2, "decoder": 2, "across": 1},
    "two_heads": {"decoder": 2, "across": 2},
}
ENOUGH = 0.99  # of held-out texts translated without a mistake
PAD = -1
LONGEST = phrases.LONGEST + 1  # French words with a mark before or after them


def tables(texts: list[phrases.Pair]) -> tuple[torch.Tensor, torch.Tensor]:
    """The numbers of the words in both languages, the French between its marks; PAD after the end."""
    source = np.full((len(texts), phrases.LONGEST), PAD)
    target = np.full((len(texts), LONGEST + 1), PAD)
    for row, text in enumerate(texts):
        source[row, : len(text.english)] = [phrases.SOURCE_WORDS.index(word) for word in text.english]
        french = (phrases.BEGIN, *text.french, phrases.END)
        target[row, : len(french)] = [phrases.TARGET_WORDS.index(word) for word in french]
    return torch.tensor(source), torch.tensor(target)


class Network(torch.nn.Module):
    """The same calculation as `attention_core.models.translator`, for autograd."""

    def __init__(self, name: str, generator: torch.Generator):
        """Begin with random numbers."""
        super().__init__()
        self.raw_values = name == "aligned"

        def drawn(*shape, size):
            return torch.nn.Parameter(torch.randn(*shape, generator=generator) * size)

        weights = {
            "source": drawn(len(phrases.SOURCE_WORDS), D_MODEL, size=0.5),
            "source_positions": drawn(phrases.LONGEST, D_MODEL, size=0.5),
            "target": drawn(len(phrases.TARGET_WORDS), D_MODEL, size=0.5),
            "target_positions": drawn(LONGEST, D_MODEL, size=0.5),
            "W_vocabulary": drawn(D_MODEL, len(phrases.TARGET_WORDS), size=D_MODEL**-0.5),
            "bias": torch.nn.Parameter(torch.zeros(len(phrases.TARGET_WORDS))),
        }
        for norm in NORMS:
            if norm in HEADS[name] or norm == "memory":
                weights[f"{norm}_scale"] = torch.nn.Parameter(torch.ones(D_MODEL))
                weights[f"{norm}_shift"] = torch.nn.Parameter(torch.zeros(D_MODEL))
        for part, heads in HEADS[name].items():
            d_k = D_MODEL // heads
            for matrix in MATRICES:
                shape = (heads, d_k, D_MODEL) if matrix == "W_output" else (heads, D_MODEL, d_k)
                weights[f"{part}_{matrix}"] = drawn(*shape, size=0.5 * D_MODEL**-0.5)
        self.weights = torch.nn.ParameterDict(weights)

    def norm(self, name, x):
        """Every vector normed, then stretched and shifted as learned."""
        return functional.layer_norm(x, (D_MODEL,), self.weights[f"{name}_scale"], self.weights[f"{name}_shift"])

    def attend(self, part, asks, answers, gives, may):
        """What one part adds, and its weights, (batch, heads, n, ·)."""
        W_query, W_key, W_value, W_output = (self.weights[f"{part}_{name}"] for name in MATRICES)
        query, key, value = asks[:, None] @ W_query, answers[:, None] @ W_key, gives[:, None] @ W_value
        scores = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
        attention = scores.masked_fill(~may, -torch.inf).softmax(-1)
        return (attention @ value @ W_output).sum(1), attention

    def forward(self, source, target):
        """The logits of each next French word, (batch, n_out, vocabulary), and the weights across."""
        is_word = (source >= 0)[:, None, None]
        raw = self.weights["source"][source.clamp(min=0)]
        x = raw + self.weights["source_positions"]
        if "encoder_W_query" in self.weights:
            normed = self.norm("encoder", x)
            mixed = self.attend("encoder", normed, normed, normed, is_word)[0]
            x = x + mixed if self.raw_values else mixed
        n = target.shape[1]
        y = self.weights["target"][target.clamp(min=0)] + self.weights["target_positions"][:n]
        normed = self.norm("decoder", y)
        may = torch.ones(n, n, dtype=torch.bool).tril()
        y = y + self.attend("decoder", normed, normed, normed, may)[0]
        keys = self.norm("memory", x)
        values = self.norm("memory", raw) if self.raw_values else keys
        delta, across = self.attend("across", self.norm("across", y), keys, values, is_word)
        return (y + delta) @ self.weights["W_vocabulary"] + self.weights["bias"], across


def entropy(rows: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """The mean entropy of the rows of (batch, heads, n_out, n_in) that count, in nats."""
    each = -(rows * (rows + 1e-9).log()).sum(-1)
    return (each * counts[:, None]).sum() / (counts.sum() * rows.shape[1])


def train(name: str, seed: int, steps: int = STEPS, pool: int = POOL) -> tuple[dict[str, np.ndarray], float]:
    """The weights after so many steps of Adam, and the seconds that they took."""
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(seed)
    network = Network(name, generator)
    source, target = tables(list(itertools.islice(phrases.pairs(seed, held_out=False), pool)))
    adam = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.98))
    began = time.perf_counter()
    for step in range(steps):
        for group in adam.param_groups:
            group["lr"] = (
                LEARNING_RATE * min(1, (step + 1) / 50) * (0.51 + 0.49 * math.cos(math.pi * step / steps))
            )
        rows = torch.randint(0, pool, (BATCH,), generator=generator)
        logits, across = network(source[rows], target[rows, :-1])
        wanted = target[rows, 1:]
        loss = functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=PAD)
        if SHARPENING[name] and step >= steps / 2:
            loss = loss + SHARPENING[name] * entropy(across, wanted != PAD)
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        adam.step()
    seconds = time.perf_counter() - began
    return {key: value.detach().numpy() for key, value in network.weights.items()}, seconds


def suits(name: str, found: dict[str, float]) -> tuple[float, ...]:
    """How well a trained model suits: first of all it must translate; then it depends on what it is to show.

    *aligned* is to look where it translates, *through_encoder* elsewhere, and *two_heads* with one head where it
    translates and with the other at the noun with which a word agrees.
    """
    translates = float(min(found["exact"], found["exact_unseen"]) >= ENOUGH)
    shows = {
        "aligned": found["alignment"],
        "through_encoder": -found["alignment"],
        "two_heads": min(found["alignment"], found["on_noun"]),
    }[name]
    return translates, shows, found["exact"] + found["exact_unseen"]


def main() -> None:
    """Train with each seed and keep the one that suits best."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.training.translator", description=__doc__.splitlines()[0]
    )
    parser.add_argument("name", choices=list(HEADS))
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--folder", type=Path, help="where the weights go (default: where they are shipped)")
    given = parser.parse_args()
    held_out, unseen = held_out_texts(), held_out_texts(unseen=True)
    tried, best, chosen = {}, (), -1
    for seed in range(given.seeds):
        weights, seconds = train(given.name, seed, given.steps)
        model = build(given.name, weights, {})
        found = measure(model, held_out) | {"exact_unseen": measure(model, unseen)["exact"]}
        tried[str(seed)] = found = {key: round(share, 4) for key, share in found.items()}
        print(seed, f"{seconds:.0f} s", found, flush=True)
        if suits(given.name, found) > best:
            best, chosen = suits(given.name, found), seed
            kept, took = weights, seconds
        record = {
            "name": given.name,
            "made_by": f"python -m {MODULE} {given.name} --seeds {given.seeds} --steps {given.steps}",
            "seed": chosen,
            "seeds_tried": tried,
            "steps": given.steps,
            "batch": BATCH,
            "learning_rate": LEARNING_RATE,
            "sharpening": SHARPENING[given.name],
            "sharpening_from_step": given.steps // 2,
            "training_texts": POOL,
            "seconds": round(took),
            "held_out": phrases.HELD_OUT_RULE,
            "measured": MEASURED,
            "measured_on": f"{MEASURED} different held-out texts, and {MEASURED} different unseen ones",
            **tried[str(chosen)],
        }
        save(given.name, kept, record, given.folder)


if __name__ == "__main__":
    main()
