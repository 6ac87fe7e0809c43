import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import attention_core
from attention_core import (
    AttentionHead,
    MultiHeadAttention,
    causal_mask,
    cosine_similarity,
    dot_product,
    example_names,
    load_example,
    scaled_dot_product,
    scaled_dot_product_attention,
)

FOLDER = Path(attention_core.__file__).parent / "examples"
EXAMPLES = example_names()
MEASURES = {"dot": dot_product, "cosine": cosine_similarity, "scaled": scaled_dot_product}
BY_COSINE = {"an_apple_and_an_orange", "an_apple_phone"}  # their scores are cosines, unscaled, after the article
BY_ADDITION = {"miniature_eiffel_tower"}  # nothing attends: vectors are added


LAYERS = {"animal_tired": "animal_first_layer", "animal_wide": "animal_first_layer"}
SETTINGS = (
    "at temperature",
    "without zeros",
    "in the first layer",
    "of the first layer",
    "in the second layer",
    "under a causal mask",
)


def head_of(example):
    if example.heads:
        return MultiHeadAttention(example.W_query, example.W_key, example.W_value, example.W_output)
    return AttentionHead(example.W_query, example.W_key, example.W_value, example.W_output)


def attended(example, settings):
    """The trace from which an expected number is read."""
    x, mask = example.embeddings, example.mask
    if "under a causal mask" in settings:
        mask = causal_mask(len(x))
    if example.name in BY_COSINE:
        cosines = cosine_similarity(x, x)
        mask = cosines != 0 if "without zeros" in settings else None
        return scaled_dot_product_attention(cosines, np.eye(len(x)), x, mask, scale=1)  # scores = cosines
    if example.W_query is None:
        return scaled_dot_product_attention(x, x, x, mask)
    if settings & {"in the first layer", "of the first layer", "in the second layer"}:
        first = head_of(load_example(LAYERS[example.name])).attend(x, mask=mask)
        return head_of(example).attend(x + first.delta, mask=mask) if "in the second layer" in settings else first
    if example.heads:
        name = next(setting for setting in settings if setting in example.heads)
        return head_of(example).attend(x).head(example.heads.index(name))
    trace = head_of(example).attend(x, example.memory, mask)
    if "at temperature" in settings:
        scale = trace.scale / example.expected["temperature"]
        return scaled_dot_product_attention(trace.query, trace.key, trace.value, mask, scale)
    return trace


def computed(example, name):
    """What the core makes of a number that an example expects under this name."""
    settings = {setting for setting in SETTINGS if setting in name}
    if example.heads:
        name, _, head = name.partition(" of ")
        settings.add(head)
    for setting in settings:
        name = name.replace(f" {setting}", "")
    what, *asked = name.removeprefix("scaled ").split(" ") if name.startswith("scaled score") else name.split(" ")
    words, memory_words = list(example.words), list(example.memory_words or example.words)
    memory = example.embeddings if example.memory is None else example.memory
    i, *j = words.index(asked[0]), *map(memory_words.index, asked[1:])
    if what in MEASURES:
        return MEASURES[what](example.embeddings, memory)[i, j[0]]
    trace = attended(example, settings)
    if what in ("key", "value"):
        return getattr(trace, what)[memory_words.index(asked[0])]
    if what in ("query", "context", "delta"):
        return getattr(trace, what)[i]
    if what == "ratio":
        return trace.weights[i, j[0]] / trace.weights[i, j[1]]
    table = {"weight": trace.weights, "score": trace.scores}[what]
    return (trace.scaled_scores if name.startswith("scaled score") else table)[i, j[0]]


def expectations():
    for name in EXAMPLES:
        if name not in BY_ADDITION:
            for what, number in load_example(name).expected.items():
                if what != "temperature":
                    yield pytest.param(name, what, number, id=f"{name}: {what}")


@pytest.mark.parametrize(("name", "what", "number"), list(expectations()))
def test_the_core_computes_what_the_example_expects(name, what, number):
    np.testing.assert_allclose(computed(load_example(name), what), number, rtol=1e-9, atol=1e-12)


def test_all_examples_are_here():
    assert set(EXAMPLES) >= {
        "orange_apple_phone",
        "orange_apple_phone_and_an",
        "fruit_and_tech",
        "buy_an_apple",
        "apple_unveiled",
        "an_apple_and_an_orange",
        "an_apple_phone",
        "american_true_mole",
        "one_mole_of_carbon_dioxide",
        "biopsy_of_the_mole",
        "miniature_eiffel_tower",
        "harry_wizard",
        "harry_queen_sussex_william",
        "money_bank",
        "river_bank",
        "fluffy_blue_creature",
        "knight_in_shining",
        "dog_bites_man",
        "man_bites_dog",
        "la_creature_bleue_duveteuse",
        "zone_economique_europeenne",
    }
    assert list(EXAMPLES) == sorted(path.stem for path in FOLDER.glob("*.toml"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_part_fits_the_others(name):
    example = load_example(name)
    assert example.name == name
    assert example.embeddings.shape == (len(example.words), len(example.axes))
    assert example.embeddings.dtype == np.float64
    assert len(set(example.axes)) == len(example.axes)
    assert (example.memory is None) == (example.memory_words is None)
    if example.memory is not None:
        assert example.memory.shape == (len(example.memory_words), len(example.axes))
    matrices = (example.W_query, example.W_key, example.W_value)
    assert all(W is None for W in matrices) or head_of(example)
    assert example.heads is None or len(set(example.heads)) == len(example.heads) == len(example.W_query)
    if example.mask is not None:
        assert example.mask.dtype == bool
        assert example.mask.shape == (len(example.words),) * 2
    assert example.provenance in {"by hand", "random", "learned"}
    assert example.source
    assert len(example.words) <= 16 or not example.expected, "a sentence, unless it is a mere vocabulary"


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_file_says_what_it_shows_and_has_nothing_unread(name):
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    assert text.startswith("# ")
    data = tomllib.loads(text)
    assert set(data) <= {
        "source", "provenance", "axes", "words", "vectors", "memory_words", "memory_vectors", "mask",
        "heads", "dial", "language", "model", "layer", "endings", "directions",
        "W_query", "W_key", "W_value", "W_output", "expected",
    }  # fmt: skip
    assert data.get("mask") in (None, "causal")
    assert name.startswith(f"{data.get('language', '')}_"[data.get("language") is None :])
    for words, table in (("words", "vectors"), ("memory_words", "memory_vectors")):
        if isinstance(data.get(table), dict):
            assert set(data[table]) == set(data[words]), "each vector is used"


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_read_only_but_its_expectations_are_your_own(name):
    example = load_example(name)
    for array in (getattr(example, field) for field in ("embeddings", "W_query", "memory", "mask")):
        if array is not None:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
    for number in example.expected.values():
        if isinstance(number, list):
            number.clear()
    expected = len(example.expected)
    example.expected.clear()
    assert len(load_example(name).expected) == expected
    assert [] not in load_example(name).expected.values()


def test_an_unknown_name_is_told_the_known_ones():
    with pytest.raises(KeyError, match=r"no example is called 'pear'; there are .*money_bank, .*zone_economique"):
        load_example("pear")
    with pytest.raises(KeyError):
        load_example("../examples/money_bank")


# --- What each example is for


def vector(name, word):
    example = load_example(name)
    return example.embeddings[example.words.index(word)]


def moved(name, word):
    """Where the raw attention step takes a word."""
    x = load_example(name).embeddings
    return scaled_dot_product_attention(x, x, x).context[load_example(name).words.index(word)]


def test_the_words_of_the_plane():
    example = load_example("fruit_and_tech")
    assert len(set(map(tuple, example.embeddings))) == len(example.words), "each its own vector"
    assert ((example.embeddings >= -1) & (example.embeddings <= 6)).all()
    little = ["please", "buy", "an", "and", "unveiled", "their", "new"]
    assert max(np.linalg.norm(vector("fruit_and_tech", word)) for word in little) < 0.5


def test_apple_goes_where_its_company_pulls_it():
    apple = vector("fruit_and_tech", "apple")
    fruit, tech = moved("buy_an_apple", "apple"), moved("apple_unveiled", "apple")
    assert fruit[1] - apple[1] > 1.5
    assert apple[0] - fruit[0] > 1
    assert tech[0] - apple[0] > 1.5
    assert apple[1] - tech[1] > 1


def test_one_vector_for_mole_and_three_places_to_go():
    names = ["american_true_mole", "one_mole_of_carbon_dioxide", "biopsy_of_the_mole"]
    static = [vector(name, "mole") for name in names]
    assert (static[0] == static).all()
    places = [moved(name, "mole") for name in names]
    assert min(np.linalg.norm(places[i] - places[j]) for i, j in ((0, 1), (0, 2), (1, 2))) > 3
    assert min(np.linalg.norm(place - static[0]) for place in places) > 1.5


def test_displacements_add_up():
    example = load_example("miniature_eiffel_tower")
    miniature, eiffel, tower = example.embeddings
    np.testing.assert_allclose(example.expected["tower"], tower)
    np.testing.assert_allclose(example.expected["Eiffel tower"], eiffel + tower)
    np.testing.assert_allclose(example.expected["miniature Eiffel tower"], miniature + eiffel + tower)


def test_harry_among_wizards_and_among_royalty():
    np.testing.assert_array_equal(vector("harry_wizard", "Harry"), vector("harry_queen_sussex_william", "Harry"))
    magic, royal = moved("harry_wizard", "Harry"), moved("harry_queen_sussex_william", "Harry")
    assert magic[0] > 2 * magic[1]
    assert royal[1] > 2 * royal[0]


def test_the_banks_share_their_matrices_in_57ths():
    money, river = load_example("money_bank"), load_example("river_bank")
    for W in ("W_query", "W_key", "W_value"):
        np.testing.assert_array_equal(getattr(money, W), getattr(river, W))
    np.testing.assert_array_equal(vector("money_bank", "bank"), vector("river_bank", "bank"))
    np.testing.assert_array_equal(money.W_value, np.eye(2))
    whole = [
        Fraction(number).limit_denominator(1000) * 57 for W in (money.W_query, money.W_key) for number in W.flat
    ]
    assert whole == [8, 24, 14, -15, 22, 50, 10, 2]


def test_what_the_article_on_money_bank_printed_and_what_is_true():
    expected = load_example("money_bank").expected
    assert (expected["score bank money"], expected["score bank bank"]) == (10, 32)
    assert round(expected["scaled score bank money"], 4) == 7.0711
    assert round(expected["scaled score bank bank"], 4) == 22.6274
    assert round(expected["weight bank money"], 8) == 0.00000018
    assert round(expected["weight bank bank"], 8) == 0.99999982
    assert round(expected["temperature"], 4) == 11.2215
    assert expected["context bank at temperature"] == [7.6, 3.8]
    np.testing.assert_allclose(
        load_example("river_bank").expected["context bank at temperature"], [8.0, 0.8], atol=0.005
    )


def test_zero_is_not_nothing():
    expected = load_example("an_apple_and_an_orange").expected

    def per_cent(what):
        return round(100 * expected[f"weight apple {what}"], 1)

    assert [per_cent(word) for word in ("apple", "orange", "and")] == [35.1, 26.2, 12.9]
    assert [per_cent(f"{word} without zeros") for word in ("apple", "orange")] == [57.3, 42.7]
    np.testing.assert_allclose(expected["context apple without zeros"], [1.1454, 2.4273, 0], atol=5e-5)
    np.testing.assert_allclose(expected["context apple"], [0.7018, 1.4873, 1.0327], atol=5e-5)


def weights_of(name):
    example = load_example(name)
    trace = attended(example, set())
    keys = example.memory_words or example.words
    return {
        q: dict(zip(keys, row, strict=True)) for q, row in zip(example.words, trace.weights, strict=True)
    }, trace


def test_nouns_find_their_adjectives():
    weights, trace = weights_of("fluffy_blue_creature")
    assert weights["creature"]["fluffy"] + weights["creature"]["blue"] > 0.9
    assert min(weights["creature"]["fluffy"], weights["creature"]["blue"]) > 0.25
    assert weights["creature"]["verdant"] < 0.05
    assert max(weights["forest"], key=weights["forest"].get) == "verdant"
    assert trace.query.shape[-1] == 2 < load_example("fluffy_blue_creature").embeddings.shape[1]
    axes = load_example("fluffy_blue_creature").axes
    creature = trace.delta[load_example("fluffy_blue_creature").words.index("creature")]
    assert {axes[i] for i in np.argsort(creature)[-2:]} == {"soft", "blue"}


def test_shining_finds_the_knight():
    weights, trace = weights_of("knight_in_shining")
    assert weights["shining"]["knight"] > 0.9
    assert weights["knight"]["shining"] == 0
    assert trace.query.shape[-1] == 2


def test_who_bites_whom_is_lost():
    there, back = load_example("dog_bites_man"), load_example("man_bites_dog")
    assert there.words == back.words[::-1]
    np.testing.assert_array_equal(there.embeddings, back.embeddings[::-1])


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        (
            "la_creature_bleue_duveteuse",
            {"la": "the", "créature": "creature", "bleue": "blue", "duveteuse": "fluffy"},
        ),
        ("zone_economique_europeenne", {"zone": "Area", "économique": "Economic", "européenne": "European"}),
    ],
)
def test_each_french_word_finds_its_english_one(name, pairs):
    weights, _ = weights_of(name)
    assert {asked: max(row, key=row.get) for asked, row in weights.items()} == pairs
    assert min(row[pairs[asked]] for asked, row in weights.items()) > 0.9
