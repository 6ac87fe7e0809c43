"""The masking page: its exact zero, row sums, goals, and masks that leave nothing to look at."""

import json

import numpy as np
import pytest

from attention_core import causal_mask, load_example, load_language_model, pattern_bytes, pattern_entries
from attention_core.models import UNMASKED
from attention_core.models.language_model import held_out_texts, measure_loss
from attention_lab import figure
from attention_lab import text as prose
from attention_lab.calculation.operations import scaled_dot_product_attention
from attention_lab.calculation.read_cache import ReadCache
from attention_lab.faults import Fault
from attention_lab.figure.parts import constant
from attention_lab.lesson import Views
from attention_lab.lessons import masking
from attention_lab.lessons.masking.leak import MASKED, PEEKING, PREFIXES, shares_of_next
from attention_lab.state import permalink
from attention_lab.state.goals import Goal
from attention_lab.text.number_format import format_bytes, format_count
from tests.visit import LESSONS, NAMES, Visit

PATH = LESSONS[NAMES.index("masking")]
EXAMPLES = ("buy_an_apple", "knight_in_shining", "fluffy_blue_creature", "animal_tired")
MASKS = ("none", "causal", "window", "padding", "own")


def visit(example=EXAMPLES[0], **address):
    return Visit(PATH, example=permalink.escape(example), **address)


def written(mask):
    return permalink.write_matrix(np.asarray(mask, dtype=float))


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_worked_weights_are_on_the_page(example):
    """Without a mask, or under the causal one where the example has it."""
    worked = load_example(example)
    page = visit(example, mask="none" if worked.mask is None else "causal")
    words, found = page.values["words"], 0
    for name, number in worked.expected.items():
        if name.startswith("weight ") and len(name.split()) == 3:
            a, b = (words.index(word) for word in name.split()[1:])
            assert page.scope["trace"].weights[a, b] == pytest.approx(number, abs=1e-12)
            found += 1
    assert found


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_later_word_changes_no_earlier_output_by_anything_under_the_causal_mask(example):
    seen = visit(example, mask="causal").scope["moved"]
    assert not seen[:-1].any(), "exactly zero"
    assert seen[-1] > 0
    assert visit(example, mask="none").scope["moved"][:-1].max() > 0.01


def test_how_far_an_output_moves_is_the_distance_that_the_plane_shows():
    page = visit(mask="none")
    before, after = (page.scope[name].context for name in ("trace", "later_trace"))
    moved = [np.hypot(*way) for way in after - before]
    np.testing.assert_allclose(page.scope["moved"], moved, rtol=1e-12)
    assert moved[3] == pytest.approx(4.362, abs=5e-4)
    table = next(table for table in page.tables.values() if "moves_by" in table)
    np.testing.assert_allclose(table["moves_by"], moved, rtol=1e-12)
    assert page.scope["replaced"] > 0
    assert visit(instead="orange").scope["replaced"] == 0


def test_rows_add_up_to_one_before_the_softmax_and_not_after_it():
    scope = visit(mask="causal").scope
    np.testing.assert_allclose(scope["sums"], 1, rtol=1e-12)
    np.testing.assert_array_equal(np.isclose(scope["cut_sums"], 1, rtol=1e-12), [False] * 6 + [True])
    assert scope["cut_sums"][3] == pytest.approx(1 - 0.7343405860997656, abs=1e-3)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_a_closed_cell_weighs_exactly_nothing(example, mask):
    scope = visit(example, mask=mask).scope
    closed = ~np.asarray(scope["may_look"])
    assert (scope["trace"].masked_scores[closed] == -np.inf).all()
    assert not scope["trace"].weights[closed].any()
    assert not scope["cut"][closed].any()


def test_ones_own_mask_starts_open_whatever_was_shown():
    page = visit(mask="causal")
    page.drag(mask=MASKS.index("own"))
    assert np.asarray(page.scope["may_look"]).all()
    assert page.reached == []


def test_goals_are_met_by_a_mask_of_ones_own():
    n = 7
    ready = visit(mask="causal")
    assert ready.reached == []
    alone, dark = np.ones((n, n)), np.ones((n, n))
    alone[2] = np.eye(n)[2]
    dark[4] = 0
    for mask, goals in ((alone, {"alone"}), (causal_mask(n), {"causal_by_hand"}), (dark, {"dark_row"})):
        page = visit()
        page.drag(own=np.asarray(mask, dtype=float).tolist(), mask=MASKS.index("own"))
        assert set(page.reached) == goals
        again = Visit(PATH, **page.link)
        assert again.stage["pose"] == page.stage["pose"]
        assert not again.at.warning


def test_a_mask_that_forbids_everything_is_said_in_words_and_nothing_breaks():
    for address in ({"mask": "own", "own": written(np.zeros((7, 7)))}, {"mask": "padding", "padding": "7"}):
        page = visit(**address).open_drawer("table")
        assert not page.at.warning
        assert not page.scope["trace"].weights.any()
        assert not page.scope["trace"].context.any()
        told = json.dumps(page.stage)
        assert "no open cell" in told
        assert "NaN" not in told
        assert not any("nan" in table.value.to_string().lower() for table in page.at.table)


@pytest.mark.parametrize(
    "own",
    ["1_0", "1_1__1_1", written(np.full((7, 7), 0.5)), written(np.full((7, 7), 2)), "nan", "1e300", "x" * 50],
)
def test_a_broken_mask_in_the_address_is_left_out(own):
    page = visit(mask="own", own=own)
    assert len(page.at.warning) == 1
    assert np.asarray(page.scope["may_look"]).all()


def test_windows_of_nothing_and_wider_than_the_sentence():
    np.testing.assert_array_equal(visit(mask="window", width="0").scope["may_look"], np.eye(7, dtype=bool))
    assert visit(mask="window", width="16").scope["may_look"].all()
    for width in ("-1", "17", "1.5"):
        page = visit(mask="window", width=width)
        assert len(page.at.warning) == 1


def typed(page, sentence):
    page.open_editor().at.text_input(key="masking.sentence").set_value(sentence)
    return page.run()


def test_sentences_of_one_word_of_sixteen_and_of_seventeen():
    one = typed(visit(), "apple")
    assert one.values["words"] == ("apple",)
    np.testing.assert_array_equal(one.scope["trace"].weights, [[1.0]])
    sixteen = typed(visit(), " ".join(["buy", "an", "apple", "and"] * 4))
    assert len(sixteen.values["words"]) == 16
    assert not sixteen.scope["moved"][:-1].any()
    again = Visit(PATH, **sixteen.link)
    assert again.stage["pose"] == sixteen.stage["pose"]
    refused = typed(visit(), " ".join(["apple"] * 17))
    assert "at most 16" in refused.at.error[0].value
    assert len(refused.values["words"]) == 7


def test_another_sentence_makes_a_new_own_mask_and_keeps_the_choice():
    page = visit(mask="own", own=written(causal_mask(7)))
    page.at.selectbox(key="masking.example").select("knight_in_shining")
    page.run()
    assert page.values["own"].size == 0
    assert page.values["mask"] == "own"
    assert not page.at.warning
    assert page.values["instead"] in page.stage["constants"]["table"]
    assert set(page.badges) == {"by hand"}


def test_a_moved_last_word_is_yours_and_another_one_is_not():
    page = visit()
    page.drag(later=[[1.0, 1.0]])
    made_of_it = {of for of, badge in page.stage["provenance"].items() if badge == "yours"}
    assert made_of_it == {of for of in page.stage["provenance"] if "later" in of.split()}
    assert made_of_it, "its plane is the reader's, the weights before it are not"
    page = visit(instead="banana")
    assert set(page.badges) == {"by hand"}
    assert page.stage["pose"]["later"] == [[0.2, 5.4]]


def test_both_guesses():
    page = visit(predict="1")
    page.at.button(key="masking.guess.0").click()
    page.run()
    assert "You predicted “**none**”. That is correct" in page.text
    assert not page.stage["veil"]
    cut = next(part for part in page.parts if part.get("what") == "cut weight")
    assert cut["veiled"]
    page.at.button(key="masking.guess.1").click()
    assert "You predicted “**only the last**”. That is correct" in page.run().text
    cut = next(part for part in page.parts if part.get("what") == "cut weight")
    assert not cut.get("veiled")


def test_the_pattern_grows_with_the_square():
    text = visit().text
    for tokens in (7, 1_000, 10_000, 100_000, 1_000_000):
        cells, one = format_count(pattern_entries(tokens)), format_bytes(pattern_bytes(tokens))
        line = f"{format_count(tokens)} | {cells} | {one} |"
        assert line in text
    assert "1 million | 1 trillion | 4 TB | 36.9 PB" in text


def test_the_switch_turns_all_three_matrices():
    for orientation in ("rows", "columns"):
        maps = [part for part in visit(orientation=orientation).parts if part["kind"] == "heatmap"]
        assert [part.get("turned", False) for part in maps] == [orientation == "columns"] * 3


# Misspelt names ----------------------------------------------------------------------------------------


def test_a_misspelt_mask_is_a_fault_where_it_is_calculated():
    """It once switched the mask off."""

    def misspelt(s):
        s.again = scaled_dot_product_attention(s.x, s.x, s.x, s.may_lok)

    with pytest.raises(Fault, match=r"'may_lok' is not among .*; did you mean 'may_look'"):
        masking.MASK.then(misspelt)


def test_a_misspelt_mask_is_a_fault_where_it_is_offered():
    with pytest.raises(Fault, match="'casual' is not an option of 'mask'; did you mean 'causal'"):
        permalink.choice("mask", "who may look at whom", MASKS, "casual")


@pytest.fixture
def nothing_drawn(monkeypatch):
    """No view of the lesson as it was is found again."""
    monkeypatch.setattr("attention_lab.lesson.VIEWS", Views())
    monkeypatch.setattr("attention_lab.lesson.FRAMES", ReadCache(1, 1, lambda frame: 1))


@pytest.mark.usefixtures("nothing_drawn")
def test_a_misspelt_mask_is_a_fault_where_it_is_drawn(monkeypatch):
    drawn = figure.heatmap(masking.s.cut, title="", what="", limit=1.0, mask=constant("may_lok"))
    monkeypatch.setattr(masking, "grid", lambda page: figure.Column([drawn]))
    with pytest.raises(AssertionError, match=r"'may_lok' is not known to the stage .* mean 'may_look'\?"):
        visit()


@pytest.mark.usefixtures("nothing_drawn")
def test_a_misspelt_goal_is_a_fault_where_it_is_made(monkeypatch):
    goals = (*masking.GOALS, Goal("dark_rwo", masking.s.fewest <= 0))
    monkeypatch.setattr(masking, "GOALS", goals)
    line = test_a_misspelt_goal_is_a_fault_where_it_is_made.__code__.co_firstlineno + 2  # behind its fixture
    told = rf"test_masking.py, line {line}: 'dark_rwo' is not a goal .*; did you mean 'dark_row'\?"
    with pytest.raises(AssertionError, match=told):
        visit()


def test_the_leak_of_a_model_trained_without_the_mask():
    """It copies what it can see, and knows nothing of what it cannot: worse than chance."""
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
    page.at.session_state["masking.leak"] = True
    page.run()
    assert f"{loss['prefixes']:.4g}" in page.text
    assert "creature → saw" in page.text
