"""The programs of docs/own_attention.md run as they stand, with the names that a section leaves to the reader."""

import re
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

import attention_lab
from attention_core.softmax import softmax
from lab import ROOT

TEXT = (ROOT / "docs" / "own_attention.md").read_text(encoding="utf-8")
PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = {
    title: programs
    for title, *_, body in re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", TEXT, re.MULTILINE)
    if (programs := PROGRAM.findall(body))
}
TOKENS = list("abcde")
RANDOM = np.random.default_rng(0)
WEIGHTS = RANDOM.dirichlet(np.ones(5), size=(3, 4, 5)).astype(np.float32)
QUERY, KEY = RANDOM.normal(size=(2, 4, 5, 8)).astype(np.float32)


def saved_model(folder):
    """A small Llama with random weights, and a tokeniser for which a byte is a token, in a folder."""
    signs = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({sign: number for number, sign in enumerate(signs)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    config = transformers.LlamaConfig(
        vocab_size=len(signs), hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, pad_token_id=0, bos_token_id=1, eos_token_id=None,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return {"NAME": str(folder)}


def two_models(_):
    config = transformers.LlamaConfig(
        vocab_size=9, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4,
        attn_implementation="eager",
    )  # fmt: skip
    model, tuned = (transformers.LlamaForCausalLM(config).eval() for _ in range(2))
    return {"model": model, "tuned": tuned, "inputs": {"input_ids": torch.arange(5)[None]}, "tokens": TOKENS}


def fused_kernel(_):
    query, key, value = RANDOM.normal(size=(4, 5, 8)), *RANDOM.normal(size=(2, 2, 5, 8))
    return {"query": query, "key": key, "value": value, "W_output": RANDOM.normal(size=(32, 32))}


def transformer_lens(_):
    """A cache has these names."""
    cache = {f"blocks.{layer}.attn.hook_pattern": torch.tensor(each)[None] for layer, each in enumerate(WEIGHTS)}
    model = SimpleNamespace(run_with_cache=lambda text: (None, cache), to_str_tokens=lambda text: list(text))
    return {"model": model, "text": "abcde"}


def jax(_):
    """NumPy in the place of JAX, and a layer of Flax as it returns what it was asked for."""
    state = {"intermediates": {"attention_weights": (WEIGHTS[:1],)}}
    layer = SimpleNamespace(apply=lambda params, x, sow_weights, mutable: (x, state))
    return {"query": QUERY, "key": KEY, "tokens": TOKENS, "layer": layer, "params": None, "x": None}


def arrays(_):
    return {"weights": WEIGHTS[0], "batches": [WEIGHTS], "tokens": TOKENS}


def two_dimensions(_):
    query, key = RANDOM.normal(size=(2, 5, 2))
    return {"query": query, "key": key, "value": RANDOM.normal(size=(5, 3)), "tokens": TOKENS}


def files(_):
    return {
        "output": WEIGHTS,
        "weights": WEIGHTS,
        "attentions": {3: WEIGHTS[0]},
        "tokens": TOKENS,
        "keys": TOKENS,
    }


def some_view(_):
    return {"view": attention_lab.show(WEIGHTS, TOKENS)}


OPEN = {
    "Transformers": saved_model,
    "PyTorch": fused_kernel,
    "TransformerLens": transformer_lens,
    "JAX": jax,
    "NumPy and anything else": arrays,
    "Queries and keys that you can move": two_dimensions,
    "A file": files,
    "Two runs": two_models,
    "The numbers": some_view,
}


def test_every_section_with_programs_is_run():
    assert [*SECTIONS] == [*OPEN]
    assert sum(map(len, SECTIONS.values())) == TEXT.count("```python")


@pytest.mark.parametrize("section", OPEN)
def test_programs_run_as_they_stand_and_make_views(section, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stub = ModuleType("jax")
    stub.numpy, stub.nn = np, SimpleNamespace(softmax=softmax)
    monkeypatch.setitem(sys.modules, "jax", stub)
    monkeypatch.setitem(sys.modules, "jax.numpy", np)
    names = {"attention_lab": attention_lab} | OPEN[section](tmp_path)
    for program in SECTIONS[section]:
        exec(compile(program, section, "exec"), names)
        assert "<!doctype html>" in names["view"].html
    for saved in tmp_path.glob("*.npz"):
        assert "<!doctype html>" in attention_lab.load(saved).html
    assert (tmp_path / "view.html").exists() == (section == "The numbers")


@pytest.mark.parametrize("section", [name for name in OPEN if name not in ("Two runs", "The numbers")])
def test_the_first_view_takes_at_most_ten_lines_besides_imports(section):
    lines = [line for line in SECTIONS[section][0].splitlines() if line and not re.match("import |from ", line)]
    assert len(lines) <= 10
