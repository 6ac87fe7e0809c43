"""The masking page: its exact zeros, row sums, goals, and masks that leave nothing to attend to."""

import json
from urllib.parse import parse_qsl

import numpy as np
import pytest

from attention_core import (
    causal_mask,
    load_example,
    load_language_model,
    padding_mask,
    pattern_bytes,
    pattern_entries,
    window_mask,
)
from attention_core.models import UNMASKED
from attention_core.models.language_model import held_out_texts
from attention_lab import figure
from attention_lab import text as prose
from attention_lab.calculation.operations import scaled_dot_product_attention
from attention_lab.calculation.read_cache import ReadCache
from attention_lab.faults import AuthoringError
from attention_lab.figure.parts import constant
from attention_lab.lesson import Views
from attention_lab.lessons import masking
from attention_lab.lessons.masking.leak import MASKED, PEEKING, PREFIXES, shares_of_next
from attention_lab.state import permalink
from attention_lab.state.goals import Goal
from attention_lab.text.number_format import format_bytes, format_count
from tests.visit import PATHS, LessonView, Visit
from tools.training.loss import measure_loss

PATH = PATHS["masking"]
EXAMPLES = ("buy_an_apple", "knight_in_shining", "fluffy_blue_creature", "animal_tired")
MASKS = ("none", "causal", "window", "padding", "own")


def view_of(example=EXAMPLES[0], **address):
    return LessonView(PATH, example=permalink.escape(example), **address)


def written(mask):
    return permalink.write_matrix(np.asarray(mask, dtype=float))


def test_worked_weights_are_on_the_page():
    """Without a mask, or under the causal one where the example has it."""
    for name in EXAMPLES:
        example = load_example(name)
        page = view_of(name, mask="none" if example.mask is None else "causal")
        weights, words, found = page.scope["trace"].weights, page.values["words"], 0
        for what, number in example.expected.items():
            if what.startswith("weight ") and len(what.split()) == 3:
                place = tuple(map(words.index, what.split()[1:]))
                assert weights[place] == pytest.approx(number, abs=1e-12), (name, what)
                found += 1
        assert found


def test_later_word_changes_no_earlier_output_under_the_causal_mask():
    for example in EXAMPLES:
        moved = view_of(example, mask="causal").scope["moved"]
        assert not moved[:-1].any(), "exactly zero"
        assert moved[-1] > 0
        assert view_of(example, mask="none").scope["moved"][:-1].max() > 0.01


def test_change_of_an_output_is_the_distance_that_the_plane_shows():
    page = view_of(mask="none")
    before, after = (page.scope[name].context for name in ("trace", "later_trace"))
    moved = [np.hypot(*way) for way in after - before]
    np.testing.assert_allclose(page.scope["moved"], moved, rtol=1e-12)
    assert moved[3] == pytest.approx(4.362, abs=5e-4)
    table = next(table for table in page.tables.values() if "moves_by" in table)
    np.testing.assert_allclose(table["moves_by"], moved, rtol=1e-12)
    assert page.scope["replaced"] > 0
    assert view_of(instead="orange").scope["replaced"] == 0


def test_rows_sum_to_one_if_masked_before_softmax_only():
    scope = view_of(mask="causal").scope
    np.testing.assert_allclose(scope["sums"], 1, rtol=1e-12)
    np.testing.assert_array_equal(np.isclose(scope["cut_sums"], 1, rtol=1e-12), [False] * 6 + [True])
    assert scope["cut_sums"][3] == pytest.approx(1 - 0.7343405860997656, abs=1e-3)


def test_masked_cells_have_weight_zero_under_every_mask():
    for example in EXAMPLES:
        for mask in MASKS:
            scope = view_of(example, mask=mask).scope
            closed = ~np.asarray(scope["may_look"])
            assert (scope["trace"].masked_scores[closed] == -np.inf).all()
            assert not scope["trace"].weights[closed].any()
            assert not scope["cut"][closed].any()


def test_goals_are_reached_by_an_own_mask_only_and_that_begins_open():
    assert view_of(mask="causal").reached == []
    page = view_of(mask="causal").drag(mask=MASKS.index("own"))
    assert np.asarray(page.scope["may_look"]).all()
    assert page.reached == []


def test_mask_that_hides_every_word_gives_zeros_and_says_why():
    for address in ({"mask": "own", "own": written(np.zeros((7, 7)))}, {"mask": "padding", "padding": "7"}):
        page = Visit(PATH, **address).open_drawer("table")
        assert not page.at.warning
        assert not page.scope["trace"].weights.any()
        assert not page.scope["trace"].context.any()
        assert "no open cell" in json.dumps(page.stage)
        assert not any("nan" in table.value.to_string().lower() for table in page.at.table)


def test_window_may_be_empty_or_wider_than_the_sentence():
    np.testing.assert_array_equal(view_of(mask="window", width="0").scope["may_look"], np.eye(7, dtype=bool))
    assert view_of(mask="window", width="16").scope["may_look"].all()


def test_causal_mask_stands_together_with_a_window_or_padding():
    causal, padding = causal_mask(7), padding_mask(np.arange(7) >= 5)
    combined = {
        "window=2&causal=1": window_mask(7, 2) & causal,
        "mask=window&width=2&causal=1": window_mask(7, 2) & causal,
        "mask=padding&causal=1": padding & causal,
    }
    alone = {
        "": causal,
        "width=2&padding=3": causal,  # their numbers, without the choice of either
        "mask=none": np.ones((7, 7), dtype=bool),
        "mask=window": window_mask(7, 1),
        "mask=window&width=2": window_mask(7, 2),
        "window=2": window_mask(7, 2),
        "mask=padding": padding,
    }
    for link, expected in (combined | alone).items():
        page = view_of(**dict(parse_qsl(link)))
        np.testing.assert_array_equal(page.scope["may_look"], expected, err_msg=link)
        asks, closes = map(int, page.stage["first"].split())
        assert expected[asks, closes] * expected[asks].sum() > 1, link
    own = view_of(mask="own", own=written(np.ones((7, 7))), causal="1")
    assert np.asarray(own.scope["may_look"]).all()
    assert view_of(window="2").drag(causal=1).reached == ["generator_window"]


def test_another_sentence_has_an_open_own_mask():
    page = Visit(PATH, mask="own", own=written(causal_mask(7)))
    page.choose(example="knight_in_shining")
    assert page.values["own"].size == 0
    assert page.values["mask"] == "own"
    assert not page.at.warning
    assert page.values["instead"] in page.stage["constants"]["table"]
    assert set(page.badges) == {"by hand"}


def test_moved_last_word_is_yours_and_a_replaced_one_is_not():
    badges = view_of().drag(later=[[1.0, 1.0]]).stage["provenance"]
    of_it = {of for of in badges if "later" in of.split()}
    assert of_it == {of for of, badge in badges.items() if badge == "yours"}
    assert of_it
    stage = view_of(instead="banana").stage
    assert set(stage["provenance"].values()) == {"by hand"}
    assert stage["pose"]["later"] == [[0.2, 5.4]]


def test_table_shows_that_the_pattern_grows_with_the_square():
    text = Visit(PATH).text
    for tokens in (7, 1_000, 10_000, 100_000, 1_000_000):
        cells, one = format_count(pattern_entries(tokens)), format_bytes(pattern_bytes(tokens))
        assert f"{format_count(tokens)} | {cells} | {one} |" in text
    assert "1 million | 1 trillion | 4 TB | 36.9 PB" in text


# Misspelt names ----------------------------------------------------------------------------------------


def test_misspelt_mask_is_a_fault_where_it_is_calculated_and_offered():
    def misspelt(s):
        s.again = scaled_dot_product_attention(s.x, s.x, s.x, s.may_lok)

    with pytest.raises(AuthoringError, match=r"'may_lok' is not among .*; did you mean 'may_look'"):
        masking.MASK.then(misspelt)
    with pytest.raises(AuthoringError, match="'casual' is not an option of 'mask'; did you mean 'causal'"):
        permalink.choice("mask", "who may look at whom", MASKS, "casual")


@pytest.fixture
def nothing_drawn(monkeypatch):
    """No view of the lesson as it was is found again."""
    monkeypatch.setattr("attention_lab.lesson.VIEWS", Views())
    monkeypatch.setattr("attention_lab.lesson.FRAMES", ReadCache(1, 1, lambda frame: 1))


@pytest.mark.usefixtures("nothing_drawn")
def test_misspelt_mask_is_a_fault_where_it_is_drawn(monkeypatch):
    drawn = figure.heatmap(masking.s.cut, title="", what="", limit=1.0, mask=constant("may_lok"))
    monkeypatch.setattr(masking, "matrix", lambda page, veiled: drawn)
    fault = r"^attention_lab/lessons/masking: 'may_lok' is not known to the stage .* mean 'may_look'\?"
    with pytest.raises(AssertionError, match=fault):
        Visit(PATH)


@pytest.mark.usefixtures("nothing_drawn")
def test_misspelt_goal_is_a_fault_where_it_is_made(monkeypatch):
    goals = (*masking.GOALS, Goal("dark_rwo", masking.s.fewest <= 0))
    monkeypatch.setattr(masking, "GOALS", goals)
    line = test_misspelt_goal_is_a_fault_where_it_is_made.__code__.co_firstlineno + 2  # behind its fixture
    fault = rf"test_masking.py, line {line}: 'dark_rwo' is not a goal .*; did you mean 'dark_row'\?"
    with pytest.raises(AssertionError, match=fault):
        Visit(PATH)


# A model trained without the mask ----------------------------------------------------------------------


def test_model_trained_without_the_mask_copies_what_it_sees_and_predicts_worse_than_chance():
    unmasked = load_language_model(UNMASKED)
    loss, few = unmasked.record["loss"], held_out_texts(50)
    assert measure_loss(unmasked, few) == pytest.approx(loss["peeking"], abs=0.005)
    assert measure_loss(unmasked, few[:10], prefixes=True) == pytest.approx(loss["prefixes"], rel=0.25)
    assert loss["peeking"] < 0.05 < loss["chance"] < loss["prefixes"]
    assert loss["chance"] == pytest.approx(np.log(len(unmasked.words)), abs=0.001)
    text = prose.read("masking").plain("leak/text").split()
    shares = shares_of_next(tuple(text))
    assert shares[PEEKING].min() > 0.9
    assert shares[MASKED].mean() > 3 * shares[PREFIXES].mean()
    for at in (3, 11):
        share = unmasked.run(text[: at + 1]).next_word[at, unmasked.words.index(text[at + 1])]
        assert shares[PREFIXES].iloc[at] == pytest.approx(float(share))
    page = Visit(PATH)
    assert "without the mask (seed" not in page.text
    page.unfold("leak")
    assert f"{loss['prefixes']:.3g}" in page.text
    assert "creature → saw" in page.text
