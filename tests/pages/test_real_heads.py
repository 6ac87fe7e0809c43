"""What a page shows of a real model: the fold's numbers, recomputed from the shipped gallery."""

from itertools import combinations

import numpy as np
import pytest

from attention_core import load_gallery
from attention_lab import own_model
from attention_lab.text.number_format import format_share
from tests.core.test_pretrained import gpt2_folder
from tests.visit import PATHS, Visit

RUNS = load_gallery().runs


def opened(name, **address):
    """The page with its fold open: what it says there, and what the fold's stage is given."""
    page = Visit(PATHS[name], **address)
    assert "all-MiniLM-L6-v2" not in page.text
    page.unfold("real")
    return page.text, page.stages[f"{name}.real_heads"]["constants"]


def test_the_heads_of_a_layer():
    text, constants = opened("multi_head", real_layer="3")
    heads = RUNS["it_tired"].weights[2].astype(float)
    for number, pattern in enumerate(heads, start=1):
        np.testing.assert_allclose(constants[f"head_{number}"], pattern, atol=1e-6)
    shared = [np.minimum(heads[a], heads[b]).sum(axis=1).mean() for a, b in combinations(range(12), 2)]
    assert f"**{format_share(np.mean(shared))}** of their weight" in text
    assert "12 heads; each uses 32 dimensions, and a word’s vector has 384" in text


def test_where_it_looks_under_both_endings():
    of_it = [RUNS[name].weights[:, :, RUNS[name].tokens.index("it")] for name in ("it_tired", "it_wide")]
    animal, street = of_it[0][..., 2] - of_it[1][..., 2], of_it[0][..., 8] - of_it[1][..., 8]
    right = (animal > 0) & (street < 0)
    for name, head in (("5.1", (4, 0)), ("1.1", (0, 0))):
        text, constants = opened("self_attention", real_head=name)
        np.testing.assert_allclose(constants["of_it"], [rows[head] for rows in of_it], atol=1e-6)
        assert f"in {right.sum()} of the 72 heads" in text
        assert ("does not move" in text) == (not right[head])
        assert (constants["words"][2], constants["words"][8]) == ("animal", "street")


def test_an_encoder_looks_ahead():
    text, constants = opened("masking", real_layer="6")
    weights = RUNS["bank_money"].weights[5].astype(float)
    assert f"**{format_share(np.triu(weights, 1).sum() / weights.sum())}** of all attention weight" in text
    np.testing.assert_allclose(constants["encoder"], weights.mean(axis=0), atol=1e-6)
    assert "lab.py model smollm2" in text
    assert RUNS["bank_money"].text in text
    first = opened("masking")[0]
    assert "**28.7%** of all attention weight" in first
    assert "**17.6%** goes to later tokens other than [SEP], the special token at the end" in first
    assert "decoder" not in constants


def test_a_gpt2_of_ones_own_stands_beside_it(monkeypatch, tmp_path):
    monkeypatch.setenv(own_model.VARIABLE, str(gpt2_folder(tmp_path / "model")))
    text, constants = opened("masking")
    assert f"gives {format_share(0.0)}" in text
    assert "lab.py model smollm2" not in text
    pattern = np.array(constants["decoder"])
    assert not np.triu(pattern, 1).any()
    assert pattern.sum(axis=1) == pytest.approx(1)
    assert len(constants["decoder_words"]) == len(pattern)
