"""What a model that writes costs beside transformers: `python -m tools.bench.writing [model.gguf]`.

Both read random weights of SmolLM2-135M's sizes from a temporary folder: float32, one thread each, by turns.
A figure is the median processor time. In a pass over a text neither computes logits.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM

from attention_core import read_model
from tools.bench.core import timed

TOKENS, WRITTEN, ROUNDS = 64, 16, 7
BUFFER = bytearray(2**20)
once = partial(timed, arguments=(), calls=1)
TEXT = "Every token attends to those before it, and to itself. " * 8
# Not `getrusage`, which would count what the process that starts this one has.
MEMORY = f"""
import re, sys
from attention_core import read_model
resident = lambda field: 1024 * int(re.search(field + r":\\s+([0-9]+)", open("/proc/self/status").read())[1])
before = resident("VmRSS")
model = read_model(sys.argv[1])
model.run_tokens(model.tokeniser.encode(sys.argv[2])[0][:{TOKENS}])
print(resident("VmHWM") - before)
"""


def write_folder(folder: Path) -> None:
    """Write a model with random weights and a tokeniser without merges, for which a byte is a token."""
    torch.manual_seed(0)
    config = LlamaConfig(
        **{"num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3, "hidden_size": 576},
        **{"intermediate_size": 1536, "vocab_size": 49_152, "tie_word_embeddings": True, "eos_token_id": None},
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    signs = [*pre_tokenizers.ByteLevel.alphabet(), *(f"<{n}>" for n in range(256, config.vocab_size))]
    tokeniser = Tokenizer(models.BPE({sign: number for number, sign in enumerate(signs)}, []))
    tokeniser.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokeniser.save(str(folder / "tokenizer.json"))


def a_token(write: Callable[[], Iterator[int]]) -> float:
    """Return what each token after the first takes, in seconds."""
    tokens = write()
    next(tokens)
    return once(partial(list, tokens)) / WRITTEN


def by_turns(measure: Callable, *functions: Callable) -> list[float]:
    """Return the median of each."""
    rounds = [[measure(function) for function in functions] for _ in range(ROUNDS)]
    return [median(column) for column in zip(*rounds, strict=True)]


def show(figure: str, sides: Sequence[float], budget: float, remark: str, unit: str = "ms") -> None:
    """Print a row of the table, of seconds in ms or of GB in MB."""
    ratio = sides[0] / sides[1]
    cells = [f"{1000 * side:.0f} {unit}" for side in sides] + [f"**{ratio:.2f}**{' over' * (ratio > budget)}"]
    print(f"| {figure} | {' | '.join(cells)} | ≤ {budget} | {remark} |", flush=True)


def compare_passes(folder: Path) -> None:
    """Compare a pass over a text, and a written token, with transformers."""
    ours, peer = read_model(folder), LlamaForCausalLM.from_pretrained(folder, attn_implementation="eager")
    numbers = torch.tensor([ours.tokeniser.encode(TEXT[:TOKENS])[0]])

    def write_with_peer(new=numbers, cache=None, **options) -> Iterator[int]:
        for _ in range(WRITTEN + 1):
            result = peer(new, cache=cache, use_cache=True, logits_to_keep=1, **options)
            cache, new = result.cache, result.logits[:, -1].argmax(-1, keepdim=True)
            yield int(new)

    def write() -> Iterator[int]:
        return (each.number for each in ours.generate(TEXT[:TOKENS], WRITTEN + 1, temperature=0))

    shown = partial(write_with_peer, output_attentions=True)
    states = partial(peer.model, numbers, output_attentions=True, output_hidden_states=True)
    with torch.inference_mode():
        assert list(write()) == list(write_with_peer()), "both write the same text"
        sides = by_turns(once, partial(ours.run_tokens, numbers[0].tolist()), states)
        show(f"pass of {TOKENS} tokens", sides, 1.1, "with all patterns and states")
        token, *peers = by_turns(a_token, write, shown, write_with_peer)
    show("written token", (token, peers[0]), 0.7, f"{token / peers[1]:.2f} where transformers keeps no patterns")


def compare_loading(path: Path, file: Path) -> None:
    """Compare reading a model with reading its file's bytes once, and its memory with its weights as float32."""

    def read_bytes() -> None:
        with file.open("rb", buffering=0) as opened:
            while opened.readinto(BUFFER):
                pass

    sides = by_turns(once, partial(read_model, path), read_bytes)
    model = read_model(path)
    numbers = model.tokeniser.encode(TEXT)[0][:TOKENS]
    first, later = (1000 * once(partial(model.run_tokens, numbers)) for _ in range(2))
    show(f"loading, {file.suffix}", sides, 3, f"the first pass {first:.0f} ms, the next {later:.0f} ms")
    size = sum(4 * math.prod(shape) for shape in (tensor.shape for tensor in model.weights.stored.values()))
    sides = int(subprocess.check_output([sys.executable, "-c", MEMORY, path, TEXT])) / 1e9, size / 1e9
    show(f"memory, {file.suffix}", sides, 1.2, "at most, beside the weights in float32", "MB")


def main() -> None:
    torch.set_num_threads(1)
    print("| figure | attention_core | beside | ratio | budget | |\n|---|--:|--:|--:|--:|---|")
    with TemporaryDirectory() as name:
        write_folder(folder := Path(name))
        compare_passes(folder)
        compare_loading(folder, folder / "model.safetensors")
    for path in map(Path, sys.argv[1:]):
        compare_loading(path, path)


if __name__ == "__main__":
    main()
