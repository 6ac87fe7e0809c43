"""The worked examples: their files fit together, the core computes what they expect, and each shows its point."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import attention_core as core

FOLDER = Path(core.__file__).parent / "examples"
EXAMPLES = {name: core.load_example(name) for name in core.example_names()}
MEASURES = {"dot": core.dot_product, "cosine": core.cosine_similarity, "scaled": core.scaled_dot_product}
BY_COSINE = {"an_apple_and_an_orange", "an_apple_phone"}  # their scores are cosines, unscaled, after the article
BY_ADDITION = "miniature_eiffel_tower"  # nothing attends: vectors are added
LAYERS = {"animal_tired": "animal_first_layer", "animal_wide": "animal_first_layer"}
FIRST_LAYER, SECOND_LAYER = {"in the first layer", "of the first layer"}, "in the second layer"
SETTINGS = ("at temperature", "without zeros", *FIRST_LAYER, SECOND_LAYER, "under a causal mask")


def head_of(example):
    matrices = example.W_query, example.W_key, example.W_value, example.W_output
    return core.MultiHeadAttention(*matrices) if example.heads else core.AttentionHead(*matrices)


def attended(example, settings=frozenset()):
    """The trace from which an expected number is read."""
    x, mask = example.embeddings, example.mask
    if "under a causal mask" in settings:
        mask = core.causal_mask(len(x))
    if example.name in BY_COSINE:
        cosines = core.cosine_similarity(x, x)
        mask = cosines != 0 if "without zeros" in settings else None
        return core.scaled_dot_product_attention(cosines, np.eye(len(x)), x, mask, scale=1)  # scores = cosines
    if example.W_query is None:
        return core.scaled_dot_product_attention(x, x, x, mask)
    if settings & {*FIRST_LAYER, SECOND_LAYER}:
        first = head_of(EXAMPLES[LAYERS[example.name]]).attend(x, mask=mask)
        return head_of(example).attend(x + first.delta, mask=mask) if SECOND_LAYER in settings else first
    if example.heads:
        name = next(setting for setting in settings if setting in example.heads)
        return head_of(example).attend(x).head(example.heads.index(name))
    trace = head_of(example).attend(x, example.memory, mask)
    if "at temperature" in settings:
        scale = trace.scale / example.expected["temperature"]
        return core.scaled_dot_product_attention(trace.query, trace.key, trace.value, mask, scale)
    return trace


def computed(example, name):
    """What the core makes of a number that an example expects under this name."""
    settings = {setting for setting in SETTINGS if setting in name}
    if example.heads:
        name, _, head = name.partition(" of ")
        settings.add(head)
    for setting in settings:
        name = name.replace(f" {setting}", "")
    what, query, *keys = name.replace("scaled score", "scaled_score").split(" ")
    i = example.words.index(query)
    keys = [(example.memory_words or example.words).index(key) for key in keys]
    if what in MEASURES:
        memory = example.embeddings if example.memory is None else example.memory
        return MEASURES[what](example.embeddings, memory)[i, keys[0]]
    trace = attended(example, settings)
    if what in ("key", "value"):
        return getattr(trace, what)[(example.memory_words or example.words).index(query)]
    if what in ("query", "context", "delta"):
        return getattr(trace, what)[i]
    if what == "ratio":
        return trace.weights[i, keys[0]] / trace.weights[i, keys[1]]
    return getattr(trace, f"{what}s")[i, keys[0]]


def test_the_core_computes_what_the_examples_expect():
    wrong, checked = [], 0
    for name, example in EXAMPLES.items():
        for what, number in example.expected.items():
            if name != BY_ADDITION and what != "temperature":
                found, checked = computed(example, what), checked + 1
                if np.shape(found) != np.shape(number) or not np.allclose(found, number, rtol=1e-9, atol=1e-12):
                    wrong.append(f"{name}: {what} is {found}, expected {number}")
    assert wrong == []
    assert checked >= 231


def test_the_parts_of_every_example_fit_each_other():
    for name, example in EXAMPLES.items():
        n, d = len(example.words), len(example.axes)
        fits = {
            "name": example.name == name,
            "vectors": (example.embeddings.shape, example.embeddings.dtype) == ((n, d), np.float64),
            "axes": len(set(example.axes)) == d,
            "matrices": example.W_query is None is example.W_key is example.W_value or head_of(example),
            "heads": not example.heads or len(set(example.heads)) == len(example.heads) == len(example.W_query),
            "mask": example.mask is None or (example.mask.shape, example.mask.dtype) == ((n, n), bool),
            "provenance": example.provenance in {"by hand", "random", "learned"},
            "source": bool(example.source),
            "length": n <= 16 or not example.expected,  # a sentence, or a vocabulary only
        }
        if example.memory_words is None:
            fits["memory"] = example.memory is None
        else:
            fits["memory"] = example.memory.shape == (len(example.memory_words), d)
        assert [part for part, fit in fits.items() if not fit] == [], name


def test_every_file_has_a_comment_and_nothing_that_is_not_read():
    for name in EXAMPLES:
        text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
        assert text.startswith("# "), name
        data = tomllib.loads(text)
        assert set(data) <= {
            "source", "provenance", "axes", "words", "vectors", "memory_words", "memory_vectors", "mask",
            "heads", "dial", "language", "model", "layer", "endings", "directions",
            "W_query", "W_key", "W_value", "W_output", "expected",
        }, name  # fmt: skip
        assert data.get("mask") in (None, "causal"), name
        assert name.startswith(f"{data['language']}_" if "language" in data else ""), name
        for words, table in (("words", "vectors"), ("memory_words", "memory_vectors")):
            if isinstance(data.get(table), dict):
                assert set(data[table]) == set(data[words]), f"{name}: each vector is used"


def test_the_expectations_of_an_example_are_a_copy():
    for name in EXAMPLES:
        example = core.load_example(name)
        for number in example.expected.values():
            if isinstance(number, list):
                number.clear()
        example.expected.clear()
        assert core.load_example(name).expected == EXAMPLES[name].expected, name


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(KeyError, match=r"no example is called 'pear'; there are .*money_bank, .*zone_economique"):
        core.load_example("pear")
    with pytest.raises(KeyError):
        core.load_example("../examples/money_bank")


@pytest.mark.parametrize(
    ("data", "missing"),
    [({"words": ["pear"], "vectors": {"fig": [1]}}, "pear"), ({"vectors": {}}, "words")],
)
def test_what_a_file_lacks_is_named_together_with_the_file(monkeypatch, data, missing):
    monkeypatch.setattr(core.examples, "_read", lambda name: data)
    with pytest.raises(KeyError, match=rf"money_bank\.toml needs '{missing}'"):
        core.examples._load.__wrapped__("money_bank")


# The point of each example --------------------------------------------------------------------------------


def vector(name, word):
    return EXAMPLES[name].embeddings[EXAMPLES[name].words.index(word)]


def test_both_banks_have_the_same_matrices():
    money, river = EXAMPLES["money_bank"], EXAMPLES["river_bank"]
    for W in ("W_query", "W_key", "W_value"):
        np.testing.assert_array_equal(getattr(money, W), getattr(river, W))
    np.testing.assert_array_equal(vector("money_bank", "bank"), vector("river_bank", "bank"))


def test_man_bites_dog_is_dog_bites_man_reversed():
    there, back = EXAMPLES["dog_bites_man"], EXAMPLES["man_bites_dog"]
    assert there.words == back.words[::-1]
    np.testing.assert_array_equal(there.embeddings, back.embeddings[::-1])
