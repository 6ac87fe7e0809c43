"""What a page shows of a real model: the fold's numbers, recomputed from the shipped gallery."""

from itertools import combinations

import numpy as np
import pytest

from attention_core import load_gallery
from attention_lab import own_model
from attention_lab.text.number_format import format_share
from tests.core.test_pretrained import gpt2_folder
from tests.visit import LESSONS, NAMES, Visit

RUNS = load_gallery().runs


def opened(name, **address):
    """The page with its fold open: what it says there, and what the fold's stage is given."""
    page = Visit(LESSONS[NAMES.index(name)], **address)
    assert "all-MiniLM-L6-v2" not in page.text
    page.at.session_state[f"{name}.real"] = True
    page.run()
    return page.text, page.stages[f"{name}.real_heads"]["constants"]


def test_the_heads_of_a_layer():
    text, constants = opened("multi_head", real_layer="3")
    heads = RUNS["it_tired"].weights[2].astype(float)
    shared = []
    for a, b in combinations(range(12), 2):
        np.testing.assert_allclose(constants[f"head_{a + 1}"], heads[a], atol=1e-6)
        for row in range(heads.shape[1]):
            shared.append(sum(min(heads[a, row, k], heads[b, row, k]) for k in range(heads.shape[2])))
    assert f"**{format_share(sum(shared) / len(shared))}** of their weight" in text
    assert "12 heads; each uses 32 dimensions, and a word’s vector has 384" in text


@pytest.mark.parametrize("head", ["5.1", "1.1"])
def test_where_it_looks_under_both_endings(head):
    text, constants = opened("self_attention", real_head=head)
    layer, number = (int(part) - 1 for part in head.split("."))
    right = {}
    for a, b in np.ndindex(6, 12):
        rows = [RUNS[name].weights[a, b, RUNS[name].tokens.index("it")] for name in ("it_tired", "it_wide")]
        if (a, b) == (layer, number):
            np.testing.assert_allclose(constants["of_it"], rows, atol=1e-6)
        (animal_tired, street_tired), (animal_wide, street_wide) = ((row[2], row[8]) for row in rows)
        right[a, b] = animal_tired > animal_wide and street_wide > street_tired
    assert f"in {sum(right.values())} of the 72 heads" in text
    assert ("does not move" in text) == (not right[layer, number])
    assert constants["words"][2] == "animal"
    assert constants["words"][8] == "street"


def test_an_encoder_looks_ahead():
    text, constants = opened("masking", real_layer="6")
    weights = RUNS["bank_money"].weights[5].astype(float)
    n = len(RUNS["bank_money"].tokens)
    later = sum(weights[h, i, j] for h in range(12) for i in range(n) for j in range(i + 1, n))
    assert f"**{format_share(later / weights.sum())}** of all attention weight" in text
    np.testing.assert_allclose(constants["encoder"], weights.mean(axis=0), atol=1e-6)
    assert "--model FOLDER" in text
    assert "decoder" not in constants


def test_a_gpt2_of_ones_own_stands_beside_it(monkeypatch, tmp_path):
    monkeypatch.setenv(own_model.VARIABLE, str(gpt2_folder(tmp_path / "model")))
    text, constants = opened("masking")
    assert f"gives {format_share(0.0)}" in text
    assert "--model FOLDER" not in text
    pattern = np.array(constants["decoder"])
    assert not np.triu(pattern, 1).any()
    assert pattern.sum(axis=1) == pytest.approx(1)
    assert len(constants["decoder_words"]) == len(pattern)
