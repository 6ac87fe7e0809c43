"""What a sentence costs in a real model: `python -m tools.bench.model`.

The development requirement's encoder, all its layers: NumPy, which keeps every step, beside torch's own layers
with the same weights, which keep only what comes out. By turns, on one thread each, in processor time; a ratio
is median over median. Then what deleting each token in turn takes, what is kept of a sentence, and what the
process has in memory once the model is read.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

from pathlib import Path
from statistics import median
from time import process_time

import torch

from attention_core import read_model
from attention_core.models import read_sentence
from tests.core.test_pretrained import torch_layer
from tools.training.gallery import shipped_folder

WORDS = ("tired", "the", "animal", "street", "was", "wide", "because", "it")
LENGTHS = (8, 16, 32, 64)  # tokens, the marks at the ends among them
ROUNDS = 15


def resident() -> tuple[int, int]:
    """Bytes of this process in memory: its own, and those of files that it has mapped."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(1024 * int(lines[name].split()[0]) for name in ("RssAnon", "RssFile"))


def timed(function) -> float:
    start = process_time()
    function()
    return process_time() - start


def main() -> None:
    torch.set_num_threads(1)
    before = resident()
    model = read_model(shipped_folder())
    model.run(" ".join(WORDS))
    after = resident()
    own, mapped = (now - then for now, then in zip(after, before, strict=True))
    print(f"{model.name}: {own / 1e6:.1f} MB of its own, {mapped / 1e6:.1f} MB mapped, shared by all processes")
    layers = [torch_layer(model, number) for number in range(int(model.settings["layers"]))]

    def with_torch(x):
        for layer in layers:
            x = layer(x)
        return x

    print("| tokens | a sentence | NumPy : torch | with every token deleted in turn | kept |")
    print("|--:|--:|--:|--:|--:|")
    with torch.inference_mode():
        for n in LENGTHS:
            text = " ".join(WORDS[k % len(WORDS)] for k in range(n - 2))
            begin = torch.tensor(model.run(text).states[0])[None]
            ours, theirs = [], []
            for _ in range(ROUNDS):
                ours.append(timed(lambda text=text: model.run(text)))
                theirs.append(timed(lambda begin=begin: with_torch(begin)))
            whole = timed(lambda text=text: read_sentence(model, text))
            run = read_sentence(model, text)
            kept = 2 * run.weights.nbytes + run.states.nbytes
            print(
                f"| {n} | {1000 * median(ours):.0f} ms | {median(ours) / median(theirs):.2f} "
                f"| {whole:.2f} s | {kept / 1e6:.2f} MB |",
                flush=True,
            )


if __name__ == "__main__":
    main()
