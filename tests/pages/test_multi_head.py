"""The multi-head page: worked weights, the head-sum identity, switches, places, folds and bad addresses."""

import json
from itertools import product

import numpy as np
import pytest

from attention_core import (
    MultiHeadAttention,
    block_steps,
    dial_positions,
    load_example,
    load_language_model,
    low_rank,
)
from attention_lab.state import permalink
from attention_lab.text.number_format import format_share
from tests.visit import LESSONS, NAMES, Visit, as_shown

PATH = LESSONS[NAMES.index("multi_head")]
MADE = {
    "creature_until_it_slept": "creature_heads",
    "animal_tired": "animal_heads",
    "harry_queen_sussex_william": "harry_heads",
    "harry_wizard": "harry_heads",
}
SWITCHES = [list(map(float, row)) for row in product((0, 1), repeat=4)]


def visit(example="creature_until_it_slept", **address):
    return Visit(PATH, example=permalink.escape(example), **address)


def attention(made, on=(1.0,) * 4):
    slices = made.W_output * np.array(on)[:, None, None]
    return MultiHeadAttention(made.W_query, made.W_key, made.W_value, slices)


def opened(page, fold):
    page.at.session_state[f"multi_head.{fold}"] = True
    return page.run()


def told(page, name):
    """What a further stage of the page was given."""
    return page.stages.get(f"multi_head.{name}")


@pytest.mark.parametrize("example", list(MADE)[:3])
def test_the_worked_numbers_are_on_the_page(example):
    page, made = visit(example), load_example(MADE[example])
    words, scope = page.values["words"], page.scope
    assert len(made.expected) >= 5
    for name, number in made.expected.items():
        what, head = name.split(" of ")
        kind, *asked = what.split(" ")
        k, places = made.heads.index(head), [words.index(word) for word in asked]
        found = scope["traces"][k].weights[*places] if kind == "weight" else scope["deltas"][k][places[0]]
        np.testing.assert_allclose(found, number, rtol=1e-12, atol=1e-15)


def test_the_head_of_two_pages_is_one():
    """What *it* gives to *animal* and *street* here is what the page on one head shows."""
    expected, trace = load_example("animal_tired").expected, visit("animal_tired").scope["traces"][0]
    assert trace.weights[7, 1] == pytest.approx(expected["weight it animal"], abs=1e-12)
    assert trace.weights[7, 5] == pytest.approx(expected["weight it street"], abs=1e-12)


@pytest.mark.parametrize("example", MADE)
def test_both_ways_to_join_are_one_whichever_heads_are_on(example):
    page, made = visit(example), load_example(MADE[example])
    vectors = np.array(page.stage["pose"]["vectors"])
    vectors[0] += [0.3, -0.7, *[0.1] * (vectors.shape[1] - 2)]
    page.drag(vectors=vectors.tolist())
    alone = page.scope["deltas"]
    for on in SWITCHES:
        page.drag(heads=[on])
        scope = page.scope
        trace = attention(made, on).attend(scope["x"])
        assert scope["apart"] <= 1e-12
        np.testing.assert_allclose(scope["joined"], trace.output, atol=1e-12)
        np.testing.assert_allclose(scope["added"], trace.output, atol=1e-12)
        np.testing.assert_allclose(scope["new"], scope["x"] + trace.output, atol=1e-12)
        lost = sum((alone[k] for k in range(4) if not on[k]), np.zeros_like(scope["x"]))
        np.testing.assert_allclose(scope["missing"], lost, atol=1e-12)
        for k in range(4):
            np.testing.assert_array_equal(scope["deltas"][k], alone[k], "the other heads do not notice")


@pytest.mark.parametrize("example", MADE)
def test_every_head_off_leaves_every_vector_exactly_as_it_was(example):
    page = visit(example, heads="0_0_0_0")
    assert not page.at.warning
    np.testing.assert_array_equal(page.scope["new"], page.scope["x"])
    assert not page.scope["joined"].any()
    assert page.scope["apart"] == 0
    assert "Every head is off, so each word keeps its old vector." in json.dumps(page.stage)
    page.open_drawer("table")
    assert "nan" not in "".join(table.value.to_string() for table in page.at.table).lower()


def test_four_heads_by_hand_do_what_they_are_named_after():
    page = visit()
    heads = dict(zip(load_example("creature_heads").heads, page.scope["traces"], strict=True))
    words = page.values["words"]
    weights = {name: trace.weights for name, trace in heads.items()}
    creature, forest, it = map(words.index, ("creature", "forest", "it"))
    assert weights["adjectives"][creature, [1, 2]].sum() > 0.95
    assert weights["adjectives"][creature, words.index("verdant")] < 0.05
    assert weights["adjectives"][forest, words.index("verdant")] > 0.95
    assert weights["noun"][it, creature] > 0.8
    assert weights["previous"].argmax(axis=1).tolist() == [0, *range(len(words) - 1)]
    assert weights["same"].argmax(axis=1).tolist() == [*range(len(words))]


def test_harry_goes_where_his_company_is():
    with_wizard, royal = visit("harry_wizard"), visit("harry_queen_sussex_william")
    magic, royalty = 0, 1
    added = [page.scope["added"][0] for page in (with_wizard, royal)]
    assert added[0][magic] > added[0][royalty]
    assert added[1][royalty] > added[1][magic]


def test_goals():
    assert visit().reached == []
    assert visit(heads="1_0_0_0").reached == ["only_adjectives"]
    assert visit(heads="0_1_1_1").reached == ["greatest_loss"]
    for heads in ("0_1_0_0", "0_0_1_0", "0_0_0_1", "1_1_1_0", "0_0_0_0"):
        assert visit(heads=heads).reached == []
    for example in list(MADE)[1:]:
        page = visit(example)
        part = next(part for part in page.parts if part["kind"] == "goals")
        assert [goal["name"] for goal in part["goals"]] == ["greatest_loss"]
        sizes = np.array(page.scope["delta_lengths"][0])
        off = np.ones(4)
        off[sizes.argmax()] = 0
        assert visit(example, heads=permalink.write_matrix(off[None])).reached == ["greatest_loss"]


def test_a_word_dragged_on_the_dial_takes_the_heads_for_places_along():
    page = visit(plane="dial")
    dial = np.array(page.stage["pose"]["dial"])
    np.testing.assert_array_equal(dial, dial_positions(11))
    dial[3] = dial[8]  # creature to where "until" stands
    page.drag(dial=dial.tolist())
    assert set(page.badges) == {"yours"}
    previous, same = page.scope["traces"][2].weights, page.scope["traces"][3].weights
    assert previous[3].argmax() == 7
    assert same[3, 3] == pytest.approx(same[3, 8])
    again = Visit(PATH, **page.link)
    assert again.stage["pose"] == page.stage["pose"]
    page.at.selectbox(key="multi_head.example").select("animal_tired")
    page.run()
    assert set(page.badges) == {"by hand"}, "eleven words, too, and none of them moved"


def test_a_switch_is_no_change_of_numbers():
    page = visit(heads="0_1_0_1")
    assert set(page.badges) == {"by hand"}
    assert page.link["heads"] == "0_1_0_1"
    page.at.button(key="multi_head.reset").click()
    page.run()
    assert page.stage["pose"]["heads"] == [[1, 1, 1, 1]]


@pytest.mark.parametrize(
    "address",
    [
        *(
            {"heads": text}
            for text in ("1_0_0", "1_1_1_1_1", "0.5_1_1_1", "2_1_1_1", "1__1", "nan_1_1_1", "x" * 80)
        ),
        *({"dial": text} for text in ("0_1", "1e300_0", "inf", "_".join("0" * 22))),
        {"plane": "soft-wide"},
        {"map": "said"},
        {"inner": "11"},
        {"inner": "0"},
        {"norm": "during"},
    ],
    ids=lambda address: "=".join(*address.items())[:24],
)
def test_a_bad_address_is_said_in_one_line(address):
    page, plain = visit(**address), visit()
    assert len(page.at.warning) == 1
    assert page.stage["pose"] == plain.stage["pose"]


def typed(page, sentence):
    page.open_editor().at.text_input(key="multi_head.sentence").set_value(sentence)
    return page.run()


def test_sentences_of_ones_own():
    one = typed(visit(), "creature")
    np.testing.assert_array_equal(one.scope["traces"][0].weights, [[1.0]])
    many = typed(visit(), " ".join(["a", "fluffy", "dog", "saw"] * 4))
    assert len(many.values["words"]) == 16
    assert many.scope["traces"][2].weights.argmax(axis=1).tolist() == [0, *range(15)]
    again = Visit(PATH, **many.link)
    assert again.stage["pose"] == many.stage["pose"]
    page = typed(visit(), "a quixotic creature slept")
    assert "quixotic" in page.at.error[0].value
    assert len(page.values["words"]) == 11
    whole = typed(visit(), "a fluffy blue creature roamed the verdant forest")
    names = [goal["name"] for part in whole.parts if part["kind"] == "goals" for goal in part["goals"]]
    assert names == ["only_adjectives", "greatest_loss"]


def test_the_learned_heads_are_the_models_own():
    page, words = visit("learned_creature"), load_example("learned_creature").words
    layer = load_language_model("readable").run(words).layers[0]
    traces, deltas = page.scope["traces"], np.array(page.scope["deltas"])
    for k, trace in enumerate(traces):
        np.testing.assert_allclose(trace.weights, layer.heads.weights[k], atol=0.03)  # vectors are rounded
    np.testing.assert_allclose(np.linalg.norm(deltas, axis=-1), np.linalg.norm(layer.deltas, axis=-1), atol=0.1)
    colour = traces[load_example("learned_creature").heads.index("colour")].weights
    assert colour[words.index("creature"), words.index("blue")] > 0.9
    assert colour[words.index("tower"), words.index("red")] > 0.9
    assert "learned" in page.badges
    shares = load_example("learned_creature").learned.shares
    x, new = np.array(page.scope["x"]), np.array(page.scope["new"])
    spread = np.vstack([x, new]).var(axis=0)
    assert shares[:8].sum() == pytest.approx(spread[:8].sum() / spread.sum(), abs=0.01)
    assert f"{100 * shares[:8].sum():.1f}% of the variance" in json.dumps(page.stage)


def test_a_sentence_from_the_models_words_is_read_by_its_heads():
    page = typed(visit("learned_creature"), "the furry green cat left the smooth black castle .")
    colour = page.scope["traces"][1].weights
    assert page.values["words"][3] == "cat"
    assert colour[3].argmax() == 2
    assert set(page.badges) == {"learned"}
    again = Visit(PATH, **page.link)
    assert again.stage["pose"] == page.stage["pose"]
    page.drag(vectors=np.round(np.array(page.stage["pose"]["vectors"]) + 0.1, 2).tolist())
    assert Visit(PATH, **page.link).stage["pose"] == page.stage["pose"]
    refused = typed(visit("learned_creature"), "the quixotic creature")
    assert "quixotic" in refused.at.error[0].value


def test_the_learned_heads_have_a_goal_of_their_own():
    page = visit("learned_creature")
    labels = page.at.selectbox(key="multi_head.example").options
    assert [label.startswith("learned: ") for label in labels].count(True) == 1
    part = next(part for part in page.parts if part["kind"] == "goals")
    assert [goal["name"] for goal in part["goals"]] == ["only_texture", "greatest_loss"]
    ticks = [
        visit("learned_creature", heads="_".join(str(int(k == on)) for k in range(5))).reached for on in range(5)
    ]
    words = load_example("learned_creature").words
    asks, answers = words.index("creature"), words.index("fluffy")
    shown = [format_share(trace.weights[asks, answers]) for trace in page.scope["traces"]]
    assert shown.count(shown[2]) == 1, "what the screen shows decides the goal"
    assert ticks == [["only_texture"] if k == 2 else [] for k in range(5)]
    opened(page, "block")
    assert told(page, "steps") is None, "the model has neither norm nor feed-forward network"


def test_both_guesses():
    page = visit(predict="1")
    page.at.button(key="multi_head.guess.0").click()
    page.run()
    assert "The answer is “**the word’s old vector**”" in as_shown(page.text)
    assert next(part for part in page.parts if part["kind"] == "join")["veiled"]
    page.at.button(key="multi_head.guess.0").click()
    page.run()
    assert "You predicted “**equal, up to rounding**”. That is correct" in as_shown(page.text)
    assert not next(part for part in page.parts if part["kind"] == "join")["veiled"]


def test_folds_are_computed_only_once_they_are_open():
    page = visit()
    assert told(page, "two_steps") is None
    assert told(page, "steps") is None
    opened(opened(page, "low_rank"), "block")
    assert told(page, "two_steps")
    assert told(page, "steps")


def test_what_gets_through_two_steps():
    made = load_example("creature_heads")
    for name, rank in (("adjectives", 4), ("same", 4)):
        for inner in (1, 4, 10):
            page = opened(visit(map=name, inner=str(inner)), "low_rank")
            k = made.heads.index(name)
            two = low_rank(made.W_value[k] @ made.W_output[k], inner)
            constants = told(page, "two_steps")["constants"]
            np.testing.assert_allclose(constants["through"], two.through, atol=1e-12)
            np.testing.assert_allclose(constants["sizes"], two.singular_values, atol=1e-12)
            assert f"The rank of this matrix is {rank}" in page.text
            assert f"**{min(inner, 4) * 25}.0%** of the sum of squared singular values" in page.text
            assert told(page, "two_steps")["provenance"] == "by hand"
    page = opened(visit(), "low_rank")
    assert told(page, "two_steps")["provenance"] == "random"
    assert (
        "one step would need 150,994,944 parameters. Two steps need 2 × 1,572,864, which is 48 times fewer"
        in page.text
    )


@pytest.mark.parametrize("norm", ["after", "before"])
def test_the_block_is_computed_on_the_heads_that_are_on(norm):
    page = opened(visit(norm=norm, heads="1_0_1_1"), "block")
    constants, made = told(page, "steps")["constants"], load_example("creature_heads")
    parts = told(page, "steps")["columns"][0]["parts"][0]["columns"]
    assert [part["of"] for part in parts] == list(constants)[: len(parts)]
    assert len(parts) == 7

    def without(x):
        return np.zeros_like(x)

    steps = block_steps(page.scope["x"], attention(made, (1, 0, 1, 1)), without, norm == "before")
    for name in list(steps)[: list(steps).index("feed_forward")]:
        np.testing.assert_allclose(constants[name], steps[name], atol=1e-12)
    assert "random" in page.text


def test_the_switch_turns_every_pattern():
    for orientation in ("rows", "columns"):
        cards = next(part for part in visit(orientation=orientation).parts if part["kind"] == "heads")["cards"]
        assert [card["map"].get("turned", False) for card in cards] == [orientation == "columns"] * 4
