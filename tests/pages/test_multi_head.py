"""The multi-head page: concatenating or adding, switches, positions and folds."""

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
from attention_lab.lessons.multi_head.calculation import ABOUT
from attention_lab.state import permalink
from attention_lab.text.labels import labels
from attention_lab.text.number_format import format_share
from tests.visit import PATHS, LessonView, Visit

PATH = PATHS["multi_head"]
MADE = {
    "creature_until_it_slept": "creature_heads",
    "animal_tired": "animal_heads",
    "harry_queen_sussex_william": "harry_heads",
    "harry_wizard": "harry_heads",
}
SWITCHES = [list(map(float, row)) for row in product((0, 1), repeat=4)]
EACH_OFF = [[float(k != off) for k in range(4)] for off in range(4)]


def view_of(example="creature_until_it_slept", **address):
    return LessonView(PATH, example=permalink.escape(example), **address)


def visit_of(example="creature_until_it_slept", **address):
    return Visit(PATH, example=permalink.escape(example), **address)


def attention(heads, on=(1.0,) * 4):
    slices = heads.W_output * np.array(on)[:, None, None]
    return MultiHeadAttention(heads.W_query, heads.W_key, heads.W_value, slices)


def further(page, name):
    """A further figure of the page; None where it is not computed."""
    return page.stages.get(f"multi_head.{name}")


def test_concatenating_and_adding_agree_whichever_heads_are_on():
    for example, heads in MADE.items():
        page, heads = view_of(example), load_example(heads)
        vectors = np.array(page.stage["pose"]["vectors"])
        vectors[0] += [0.3, -0.7, *[0.1] * (vectors.shape[1] - 2)]
        page.drag(vectors=vectors.tolist())
        alone = page.scope["deltas"]
        for on in SWITCHES if example == "harry_wizard" else EACH_OFF:
            scope = page.drag(heads=[on]).scope
            trace = attention(heads, on).attend(scope["x"])
            assert scope["apart"] <= 1e-12
            np.testing.assert_allclose(scope["joined"], trace.output, atol=1e-12)
            np.testing.assert_allclose(scope["added"], trace.output, atol=1e-12)
            np.testing.assert_allclose(scope["new"], scope["x"] + trace.output, atol=1e-12)
            lost = sum((alone[k] for k in range(4) if not on[k]), np.zeros_like(scope["x"]))
            np.testing.assert_allclose(scope["missing"], lost, atol=1e-12)
            np.testing.assert_array_equal(scope["deltas"], alone, "the other heads do not notice")
        np.testing.assert_array_equal(page.tables["updates"], page.scope["added"])


def test_heads_of_positions_attend_to_the_word_before_or_to_the_same():
    page = view_of()
    names, words = load_example("creature_heads").heads, page.values["words"]
    weights = {name: trace.weights for name, trace in zip(names, page.scope["traces"], strict=True)}
    assert weights["previous"].argmax(axis=1).tolist() == [0, *range(len(words) - 1)]
    assert weights["same"].argmax(axis=1).tolist() == [*range(len(words))]


def test_goals_ask_for_one_head_or_for_the_greatest_loss():
    reached = {"1_0_0_0": ["only_adjectives"], "0_1_1_1": ["greatest_loss"]}
    for heads in (*reached, "0_1_0_0", "0_0_1_0", "0_0_0_1", "1_1_1_0", "0_0_0_0"):
        assert view_of(heads=heads).reached == reached.get(heads, []), heads
    for example in list(MADE)[1:]:
        page = view_of(example)
        assert [*page.goals] == ["greatest_loss"]
        off = [EACH_OFF[np.argmax(page.scope["delta_lengths"][0])]]
        assert page.drag(heads=off).reached == ["greatest_loss"]


def test_word_dragged_on_the_dial_moves_what_the_position_heads_attend_to():
    page = visit_of(plane="dial")
    dial = np.array(page.stage["pose"]["dial"])
    np.testing.assert_array_equal(dial, dial_positions(11))
    dial[3] = dial[8]  # creature to where "until" stands
    page.drag(dial=dial.tolist())
    assert set(page.badges) == {"yours"}
    previous, same = (page.scope["traces"][k].weights for k in (2, 3))
    assert previous[3].argmax() == 7
    assert same[3, 3] == pytest.approx(same[3, 8])
    assert set(page.choose(example="animal_tired").badges) == {"by hand"}, (
        "eleven words, too, and none of them moved"
    )


# Learned heads -----------------------------------------------------------------------------------------


def test_learned_heads_are_the_models_own():
    page, example = view_of("learned_creature"), load_example("learned_creature")
    layer = load_language_model("readable").run(example.words).layers[0]
    traces, deltas = page.scope["traces"], np.array(page.scope["deltas"])
    for k, trace in enumerate(traces):
        np.testing.assert_allclose(trace.weights, layer.heads.weights[k], atol=0.03)  # vectors are rounded
    np.testing.assert_allclose(np.linalg.norm(deltas, axis=-1), np.linalg.norm(layer.deltas, axis=-1), atol=0.1)
    colour = traces[example.heads.index("colour")].weights
    for noun, adjective in (("creature", "blue"), ("tower", "red")):
        assert colour[example.words.index(noun), example.words.index(adjective)] > 0.9
    assert "learned" in page.badges
    spread = np.vstack([page.scope["x"], page.scope["new"]]).var(axis=0)
    assert example.learned.shares[:8].sum() == pytest.approx(spread[:8].sum() / spread.sum(), abs=0.01)
    assert f"{100 * example.learned.shares[:8].sum():.1f}% of the variance" in json.dumps(page.stage)


def test_the_plane_of_learned_heads_fits_the_vectors_drawn_on_it():
    words = labels(load_example("learned_creature").words)
    for place, word in enumerate(words):
        for pair in ("u₁-u₂", "u₃-u₄"):
            page = view_of("learned_creature", word=word, plane=permalink.escape(pair))
            plane, scope = page.first("plane"), page.scope
            drawn = np.array([of[place] for of in (scope["alone"], scope["x"], *scope["after"])])
            drawn = drawn[:, plane["columns"]]
            low, high = np.transpose(plane["ranges"])
            assert ((low <= drawn) & (drawn <= high)).all(), (word, pair)
            across = np.ptp(np.vstack([drawn, [0, 0]]), axis=0).max()
            assert (high - low).tolist() == [high[0] - low[0]] * 2
            assert high[0] - low[0] <= max(6, across + 4), (word, pair)


def test_learned_heads_read_an_own_sentence_of_the_models_words():
    page = visit_of("learned_creature").type_words("the furry green cat left the smooth black castle .")
    assert page.values["words"][3] == "cat"
    assert page.scope["traces"][1].weights[3].argmax() == 2, "the colour"
    assert set(page.badges) == {"learned"}
    assert LessonView(PATH, **page.link).stage["pose"] == page.stage["pose"]
    assert "quixotic" in page.type_words("the quixotic creature").at.error[0].value


def test_learned_heads_have_a_goal_of_their_own():
    page, words = visit_of("learned_creature"), load_example("learned_creature").words
    labels = page.at.selectbox(key="multi_head.example").options
    assert [label.startswith("learned: ") for label in labels].count(True) == 1
    assert [*page.goals] == ["only_texture", "greatest_loss"]
    for on in range(5):
        heads = "_".join(str(int(k == on)) for k in range(5))
        reached = view_of("learned_creature", heads=heads).reached
        assert reached == (["only_texture"] if on == 2 else []), on
    place = words.index("creature"), words.index("fluffy")
    shown = [format_share(trace.weights[place]) for trace in page.scope["traces"]]
    assert shown.count(shown[2]) == 1, "what the screen shows decides the goal"
    page.unfold("block")
    assert further(page, "steps") is None, "the model has neither norm nor feed-forward network"


# Folds -------------------------------------------------------------------------------------------------


def test_low_rank_fold_shows_what_gets_through_two_steps():
    page, heads = visit_of(), load_example("creature_heads")
    assert further(page, "two_steps") is further(page, "steps") is None, "computed once they are open"
    page.unfold("low_rank")
    assert further(page, "two_steps")["provenance"] == "random"
    assert (
        "one step would need 150,994,944 parameters. Two steps need 2 × 1,572,864, which is 48 times fewer"
        in page.text
    )
    for name in ("adjectives", "same"):
        for inner in (1, 4, 10):
            page = visit_of(map=name, inner=str(inner)).unfold("low_rank")
            k = heads.heads.index(name)
            two = low_rank(heads.W_value[k] @ heads.W_output[k], inner)
            figure = further(page, "two_steps")
            np.testing.assert_allclose(figure["constants"]["through"], two.through, atol=1e-12)
            np.testing.assert_allclose(figure["constants"]["sizes"], two.singular_values, atol=1e-12)
            assert figure["provenance"] == "by hand"
            assert "The rank of this matrix is 4" in page.text
            assert f"**{min(inner, 4) * 25}.0%** of the sum of squared singular values" in page.text


def test_block_is_computed_on_the_heads_that_are_on():
    for norm in ("after", "before"):
        page = visit_of(norm=norm, heads="1_0_1_1").unfold("block")
        figure, made = further(page, "steps"), attention(load_example("creature_heads"), (1, 0, 1, 1))
        shown = [part["of"] for part in figure["columns"][0]["parts"][0]["columns"]]
        assert shown == list(figure["constants"])[:7]
        steps = block_steps(page.scope["x"], made, np.zeros_like, norm == "before")
        for name in list(steps)[: list(steps).index("feed_forward")]:
            np.testing.assert_allclose(figure["constants"][name], steps[name], atol=1e-12)
        assert "random" in page.text


def test_the_first_move_is_with_another_head_than_the_first_goal_is_about():
    for example in ("creature_until_it_slept", "learned_creature", *MADE):
        view = LessonView(PATH, example=permalink.escape(example))
        (about, *_) = view.state.options("goal")
        head = int(view.stage["first"].removeprefix("head ")) - 1
        assert head != view.scope[ABOUT[about]]
        assert view.scope["delta_lengths"][0][head] > 0.1, "what goes away is seen"
