"""The shipped translators reach what their records say, and their forward pass is the training's."""

import itertools

import numpy as np
import pytest
import torch

from attention_core import load_translator
from attention_core.models import phrases
from attention_core.models.translator import NAMES, measure
from training import translator as training

PHRASE = ["the", "fluffy", "blue", "creature"]
every_model = pytest.mark.parametrize("name", NAMES)


@every_model
def test_a_phrase_is_translated_with_its_weights(name):
    model = load_translator(name)
    said = model.translate(PHRASE)
    assert said.words == ("la", "créature", "bleue", "duveteuse")
    assert said.gold == (0, 3, 2, 1)
    assert said.weights.shape == (len(model.parameters["across_W_query"]), 4, 4)
    np.testing.assert_allclose(said.weights.sum(-1), 1, rtol=1e-5)


@every_model
def test_the_forward_pass_is_the_one_that_was_trained(name):
    model = load_translator(name)
    network = training.Network(name, torch.Generator())
    network.weights.update(
        {key: torch.nn.Parameter(torch.tensor(each)) for key, each in model.parameters.items()}
    )
    for text in itertools.islice(phrases.pairs(5, held_out=True), 20):
        said = model.translate(text.english)
        numbers = [phrases.TARGET_WORDS.index(word) for word in (phrases.BEGIN, *said.words)]
        source, _ = training.tables([text])
        with torch.no_grad():
            logits, across = network(source, torch.tensor([numbers]))
        np.testing.assert_allclose(said.next_word, logits[0].softmax(-1).numpy(), atol=1e-5)
        seen = across[0, :, : len(said.words), : len(text.english)].numpy()
        np.testing.assert_allclose(said.weights, seen, atol=1e-5)


@every_model
def test_the_record_is_what_the_weights_reach(name):
    model = load_translator(name)
    held_out = list(itertools.islice(phrases.pairs(10_000, held_out=True), training.MEASURED))
    found = measure(model, held_out)
    assert found == pytest.approx({key: model.record[key] for key in found}, abs=0.002)


def test_the_aligned_one_looks_where_it_translates():
    record = load_translator("aligned").record
    assert record["exact"] >= 0.99
    assert record["exact_unseen"] >= 0.99
    assert record["alignment"] >= 0.98


def test_the_one_through_the_encoder_translates_as_well_and_looks_elsewhere():
    record = load_translator("through_encoder").record
    assert record["exact"] >= 0.99
    assert record["alignment"] < 0.9


def test_what_it_cannot_read_is_named():
    model = load_translator()
    with pytest.raises(ValueError, match="'elephant'"):
        model.translate(["the", "elephant"])
    with pytest.raises(ValueError, match="at most 12 words, got 13"):
        model.translate(["the"] * 13)
    with pytest.raises(ValueError, match="no head 1: heads are 0 to 0"):
        model.translate(PHRASE, heads_off=[1])
    with pytest.raises(KeyError, match="aligned, through_encoder, two_heads"):
        load_translator("large")
    assert model.translate([]).words == ()
    assert model.translate([]).weights.shape == (1, 0, 0)


def test_a_head_that_is_off_breaks_it():
    model = load_translator("aligned")
    assert model.translate(PHRASE, heads_off=[0]).words != model.translate(PHRASE).words


def test_gold_is_by_place_and_each_place_is_taken_once():
    for text in itertools.islice(phrases.pairs(3, held_out=True), 200):
        assert phrases.align(text.english, text.french) == text.gold
    assert phrases.align(("the", "cat"), ("le", "chien")) == (0, -1)


def test_what_it_was_trained_on_has_no_couple_that_is_unseen():
    couples = set().union(*(text.couples for text in itertools.islice(phrases.pairs(0, held_out=False), 500)))
    unseen = itertools.islice(phrases.pairs(0, held_out=True, unseen=True), 100)
    assert all(text.couples - couples for text in unseen)
