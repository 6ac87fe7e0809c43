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


# The point of each example --------------------------------------------------------------------------------


def vector(name, word):
    return EXAMPLES[name].embeddings[EXAMPLES[name].words.index(word)]


def moved(name, word):
    """Where attention without matrices takes a word."""
    return attended(EXAMPLES[name]).context[EXAMPLES[name].words.index(word)]


def weights_of(name):
    example = EXAMPLES[name]
    keys = example.memory_words or example.words
    rows = [dict(zip(keys, row, strict=True)) for row in attended(example).weights]
    return dict(zip(example.words, rows, strict=True))


def test_one_word_moves_to_different_places_in_different_contexts():
    plane = core.load_example("fruit_and_tech").embeddings
    assert len(set(map(tuple, plane))) == len(plane), "every word has a vector of its own"
    apple = vector("fruit_and_tech", "apple")
    fruit, tech = moved("buy_an_apple", "apple"), moved("apple_unveiled", "apple")
    assert fruit[1] - apple[1] > 1.5
    assert apple[0] - fruit[0] > 1
    assert tech[0] - apple[0] > 1.5
    assert apple[1] - tech[1] > 1
    moles = ["american_true_mole", "one_mole_of_carbon_dioxide", "biopsy_of_the_mole"]
    static, places = ([of(name, "mole") for name in moles] for of in (vector, moved))
    assert (static[0] == static).all()
    assert min(np.linalg.norm(places[i] - places[j]) for i, j in ((0, 1), (0, 2), (1, 2))) > 3
    assert min(np.linalg.norm(place - static[0]) for place in places) > 1.5
    np.testing.assert_array_equal(vector("harry_wizard", "Harry"), vector("harry_queen_sussex_william", "Harry"))
    magic, royal = moved("harry_wizard", "Harry"), moved("harry_queen_sussex_william", "Harry")
    assert magic[0] > 2 * magic[1]
    assert royal[1] > 2 * royal[0]


def test_both_banks_have_the_same_matrices():
    money, river = EXAMPLES["money_bank"], EXAMPLES["river_bank"]
    for W in ("W_query", "W_key", "W_value"):
        np.testing.assert_array_equal(getattr(money, W), getattr(river, W))
    np.testing.assert_array_equal(vector("money_bank", "bank"), vector("river_bank", "bank"))


def test_nouns_attend_to_their_adjectives_and_shining_to_the_knight():
    weights, example = weights_of("fluffy_blue_creature"), EXAMPLES["fluffy_blue_creature"]
    assert weights["creature"]["fluffy"] + weights["creature"]["blue"] > 0.9
    assert min(weights["creature"]["fluffy"], weights["creature"]["blue"]) > 0.25
    assert weights["creature"]["verdant"] < 0.05
    assert max(weights["forest"], key=weights["forest"].get) == "verdant"
    assert example.W_query.shape[1] == 2 < example.embeddings.shape[1]
    update = attended(example).delta[example.words.index("creature")]
    assert {example.axes[i] for i in np.argsort(update)[-2:]} == {"soft", "blue"}
    knight = weights_of("knight_in_shining")
    assert knight["shining"]["knight"] > 0.9
    assert knight["knight"]["shining"] == 0
    assert EXAMPLES["knight_in_shining"].W_query.shape[1] == 2


def test_man_bites_dog_is_dog_bites_man_reversed():
    there, back = EXAMPLES["dog_bites_man"], EXAMPLES["man_bites_dog"]
    assert there.words == back.words[::-1]
    np.testing.assert_array_equal(there.embeddings, back.embeddings[::-1])


def test_each_french_word_attends_to_its_english_one():
    for name, pairs in {
        "la_creature_bleue_duveteuse": {
            "la": "the", "créature": "creature", "bleue": "blue", "duveteuse": "fluffy"
        },
        "zone_economique_europeenne": {"zone": "Area", "économique": "Economic", "européenne": "European"},
    }.items():  # fmt: skip
        weights = weights_of(name)
        assert {word: max(row, key=row.get) for word, row in weights.items()} == pairs
        assert min(row[pairs[word]] for word, row in weights.items()) > 0.9
