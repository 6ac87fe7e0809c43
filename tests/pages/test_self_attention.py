"""Self-attention, step by step: worked numbers, what two layers can that one cannot, own sentences."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core import load_example, load_task
from attention_core.models import weights
from attention_core.training import forward
from attention_lab.state import permalink
from tests.pages.test_every_page import execute, printed_numbers
from tests.visit import PATHS, LessonView, Visit, at

PATH = PATHS["self_attention"]
TIRED, WIDE = load_example("animal_tired"), load_example("animal_wide")
BEFORE = load_example("animal_first_layer")
CREATURE, KNIGHT = load_example("fluffy_blue_creature"), load_example("knight_in_shining")
EXAMPLES = (TIRED, WIDE, load_example("money_bank"), CREATURE, KNIGHT)
LAYERS = {  # the ends of a worked number's name, and where it is found
    " in the second layer under a causal mask": {"layers": "2", "mask": "causal"},
    " in the second layer": {"layers": "2"},
    " in the first layer": {"layers": "2"},
    " of the first layer": {"layers": "2"},
    "": {},
}


def view_of(example=TIRED, **address):
    return LessonView(PATH, example=permalink.escape(example.name), **address)


def pattern(view):
    """The part that shows all words at once, with what holds for its step, and the numbers that it shows."""
    part = view.first("heatmap")
    part |= part["cases"][view.stage["pose"][part["by"]]]
    return part, at(view.scope, part["of"])


def ratios(example=TIRED, **address):
    scope = view_of(example, **address).scope
    return scope["ratio_tired"], scope["ratio_wide"]


def test_worked_numbers_are_on_the_page():
    of_first = {f"{what} of the first layer": number for what, number in BEFORE.expected.items()}
    for example in EXAMPLES:
        for what, number in (example.expected | (of_first if example is TIRED else {})).items():
            if "temperature" in what:
                continue
            layer = next(suffix for suffix in LAYERS if what.endswith(suffix))
            scope = view_of(example, **LAYERS[layer]).scope
            trace = scope["first_trace" if layer.endswith("first layer") else "last_trace"]
            kind, *words = what.removesuffix(layer).replace("scaled score", "scaled").split()
            places = tuple(map(example.words.index, words))
            if kind == "ratio":
                found = trace.weights[places[:2]] / trace.weights[places[0], places[2]]
                assert scope[f"ratio_{'tired' if example is TIRED else 'wide'}"] == pytest.approx(number)
            elif kind == "delta":
                found = scope["first_delta"][places]
            else:
                of = {"score": "scores", "scaled": "scaled_scores", "weight": "weights"}.get(kind, kind)
                found = getattr(trace, of)[places]
            np.testing.assert_allclose(found, number, rtol=1e-9, atol=1e-12, err_msg=f"{example.name} {what}")


# Tired and wide ----------------------------------------------------------------------------------------


def test_ratio_depends_on_the_last_word_in_two_layers_that_see_it_only():
    for address in ({}, {"mask": "causal"}, {"mask": "earlier"}):
        for layers in ("1", "2"):
            tired, wide = ratios(layers=layers, **address)
            if layers == "2" and not address:
                assert tired > 50
                assert wide < 0.2
            else:
                assert tired == pytest.approx(wide, rel=1e-12), (layers, address)
    for example, noun in ((TIRED, "animal"), (WIDE, "street")):
        row = view_of(example, layers="2").scope["last_trace"].weights[example.words.index("it")]
        assert example.words[row.argmax()] == noun
        assert row.max() > 0.8


ENTRIES = st.lists(st.integers(-40, 40), min_size=18, max_size=18).map(lambda entries: np.array(entries) / 10)


def test_one_layer_cannot_tell_the_endings_apart_whatever_its_head():
    @settings(max_examples=30, suppress_health_check=list(HealthCheck))
    @given(ENTRIES, ENTRIES)
    def any_head(query, key):
        matrices = {"W_query": query.reshape(6, 3), "W_key": key.reshape(6, 3)}
        scope = view_of(**{name: permalink.write_matrix(rows) for name, rows in matrices.items()}).scope
        np.testing.assert_array_equal(scope["W_query"], matrices["W_query"])
        assert scope["ratio_tired"] == pytest.approx(scope["ratio_wide"], rel=1e-12)

    any_head()


def test_verdict_is_shown_for_sentences_with_both_nouns():
    def shown(view):
        return "rivals" in {part["kind"] for part in view.parts}

    assert shown(view_of())
    for example in EXAMPLES[2:]:
        assert not shown(view_of(example))
        assert view_of(example).values["layers"] == "1"
        assert view_of(example, layers="2").notices, "it has no second layer"
    own = LessonView(PATH, example="own", words="The.dog.was.tired.and.it.was.hungry", layers="2")
    assert own.values["layers"] == "2"
    assert not shown(own)


# Steps -------------------------------------------------------------------------------------------------


def test_pattern_of_all_words_follows_the_step_and_the_layer():
    cell = TIRED.words.index("it"), TIRED.words.index("animal")
    for step, title, number, limit in (
        ("scores", "scores", 10, 16),
        ("scale", "scaled scores", 10 / 3**0.5, 16),
        ("mask", "masked scores", 10 / 3**0.5, 16),
        ("softmax", "weights", 0.7408, 1),
    ):
        part, numbers = pattern(view_of(step=step))
        assert numbers[cell] == pytest.approx(number, abs=5e-5)
        assert part["title"].split(": ")[1] == title
        assert part["limit"] == limit
    _, numbers = pattern(view_of(step="mask", mask="causal"))
    np.testing.assert_array_equal(numbers == -np.inf, ~np.tri(11, dtype=bool))
    shown = [pattern(view_of(step="softmax", layers="2", layer=layer))[1] for layer in "12"]
    scope = view_of(layers="2").scope
    np.testing.assert_array_equal(shown[0], scope["first_trace"].weights)
    np.testing.assert_array_equal(shown[1], scope["second_trace"].weights)
    assert not np.array_equal(*shown)


def test_example_brings_its_own_mask():
    assert view_of().values["mask"] == "none"
    assert view_of(KNIGHT).values["mask"] == "causal"
    assert not np.triu(view_of(KNIGHT).scope["trace"].weights, 1).any()


def test_row_that_may_attend_to_nothing_has_no_weights_and_says_so():
    view = view_of(mask="earlier", word="The")
    assert not view.scope["trace"].weights[0].any()
    assert not view.scope["trace"].context[0].any()
    assert view.first("ledger")["words"]["nothing"] == "no word to attend to"


def test_moving_a_word_changes_what_follows():
    view = view_of()
    vectors = view.stage["pose"]["vectors"]
    vectors[view.stage["constants"]["table"].index("it")][4] = 1.0  # “it” is alive
    view.drag(vectors=vectors)
    np.testing.assert_allclose(view.scope["last_trace"].query[7], [8, 6, 0])
    assert set(view.stage["provenance"].values()) == {"yours"}


# Goals and predictions ---------------------------------------------------------------------------------


def test_goals_count_what_they_ask_for_only():
    two, blind = {"layers": "2"}, {"layers": "2", "mask": "causal"}
    for goal, met, missed in (("ratio_moves", two, blind), ("blindfold", blind, {"mask": "causal"})):
        assert goal in view_of(**met).reached
        assert goal not in view_of(**missed).reached
    visit = Visit(PATH).send({"goals": ["whole_way", "<b>", 3]})
    assert visit.run().stage["completed_goals"] == ["whole_way"], "which only the browser has seen"


def test_second_prediction_is_about_the_ratio_where_it_is_a_riddle():
    for answer, verdict in ((1, "That is correct"), (0, "The answer is “**It stays the same")):
        visit = Visit(PATH, predict="1")
        assert "ratio of the weights" in visit.press("reveal").text
        assert visit.first("rivals")["veiled"]
        assert verdict in visit.press(f"guess.{answer}").text
        assert not visit.first("rivals")["veiled"]
    for address in ({"layers": "2"}, {"mask": "causal"}, {"example": "money_5f_bank"}):
        visit = Visit(PATH, predict="1", **address)
        assert "Predict first." not in visit.press("reveal").text


# Own sentences -----------------------------------------------------------------------------------------


def test_own_sentence_over_known_words_is_read_by_both_layers():
    visit = Visit(PATH).type_words("The dog didn't cross the river because it was too deep")
    assert not visit.at.error
    assert visit.values["example"] == "own"
    assert set(visit.badges) == {"by hand"}, "the words are known, and nobody has moved them"
    two = visit.drag(layers=1).scope["last_trace"].weights[visit.values["words"].index("it")]
    assert visit.values["words"][two.argmax()] == "river"
    assert LessonView(PATH, **visit.link).stage["pose"] == visit.stage["pose"]


def test_unknown_word_is_refused_until_it_has_features():
    visit = Visit(PATH).type_words("The dragon was tired because it was hungry")
    [error] = visit.at.error
    for word in ("dragon", "animal", "bridge", "hungry"):
        assert word in error.value
    assert visit.values["words"] == TIRED.words
    table = visit.at.text_area(key="self_attention.editor").value
    visit.type_lines(f"{table}\ndragon 1 0 0 0 1 0")
    assert not visit.at.error
    assert visit.values["words"] == ("The", "dragon", "was", "tired", "because", "it", "was", "hungry")
    assert visit.scope["last_trace"].weights[5].argmax() == 1
    again = LessonView(PATH, **visit.link)
    assert not again.notices
    assert again.stage["pose"] == visit.stage["pose"]
    visit = Visit(PATH, example=permalink.escape(CREATURE.name)).type_words("the blue dragon")
    assert "dragon" in visit.at.error[0].value
    table = visit.at.text_area(key="self_attention.editor").value
    visit.type_lines(f"{table}\ndragon 1 0 0 0 3 0 0 0")
    assert visit.values["words"] == ("the", "blue", "dragon")


def test_unknown_word_in_a_link_has_no_features_and_the_page_says_so():
    visit = Visit(PATH, example="own", words="dragon.it")
    assert any("dragon" in info.value and "no features" in info.value for info in visit.at.info)
    assert not visit.scope["x"][0].any()
    assert not Visit(PATH).at.info


# Extreme matrices --------------------------------------------------------------------------------------


def test_undefined_ratio_reaches_no_goal():
    far = "__".join(["100_0_0", "100_0_0", *["0_0_0"] * 2, "100_0_0", "-100_0_0"])
    view = view_of(W_query=far, W_key=far)
    assert np.isnan(view.scope["change"])
    assert view.reached == []


# Programs, tables, the other ending --------------------------------------------------------------------


def test_programs_and_tables_go_through_both_layers():
    view = view_of(layers="2", mask="causal")
    for program in view.programs:
        last = printed_numbers(execute(program).splitlines()[-1])
        np.testing.assert_allclose(last, view.scope["second_new"][-1], rtol=1e-9, atol=1e-12)
    steps = ("words", "queries", "keys", "values", "scores", "scaled scores", "masked scores", "weights")
    for layer in ("layer 1", "layer 2"):
        for what in (*steps, "new vectors"):
            assert f"{what} of {layer}" in view.tables


def test_other_ending_keeps_moved_words_and_can_be_undone():
    visit = Visit(PATH, layers="2").nudge()
    moved = visit.values["vectors"]
    for way, example in (("animal_wide", "animal_wide"), (-1, "animal_tired")):
        visit.turn(way)
        assert visit.values["example"] == example
        np.testing.assert_array_equal(visit.values["vectors"], moved)


# Learned -----------------------------------------------------------------------------------------------

BIG, SMALL = load_example("learned_trophy_big"), load_example("learned_trophy_small")


def test_learned_layers_attend_to_the_last_word_and_then_to_the_noun():
    for example, noun in ((BIG, "trophy"), (SMALL, "box")):
        view = view_of(example, layers="2")
        it = example.words.index("it")
        first, second = (view.scope[name].weights[it] for name in ("first_trace", "second_trace"))
        assert first.argmax() == len(example.words) - 1
        assert example.words[second.argmax()] == noun
        assert min(first.max(), second.max()) > 0.9
        assert set(view.stage["provenance"].values()) == {"learned"}


def test_learned_layers_are_the_trained_networks_own():
    arrays, record = weights.load("trophy_or_box", ("trophy_or_box",))
    task = load_task(record["task"])
    ids = [task.words.index(word) for word in BIG.words]
    through = forward(dict(arrays), np.array([ids]))
    scope = view_of(BIG, layers="2").scope
    for trace, layer in zip(("first_trace", "second_trace"), through.layers, strict=True):
        np.testing.assert_allclose(scope[trace].weights, np.reshape(layer.weights, (12, 12)), atol=0.05)
    answer = scope["second_trace"].context[8] @ arrays["W_vocabulary"][0] + arrays["bias"][0]
    assert task.outputs[0][answer.argmax()] == "trophy"


def test_two_learned_layers_tell_the_endings_apart_and_one_cannot():
    for address in ({}, {"layers": "2", "mask": "causal"}):
        big, small = ratios(BIG, **address)
        assert big == pytest.approx(small, rel=1e-12)
    big, small = ratios(BIG, layers="2")
    assert big > 10 > 0.1 > small
    assert "“big” to “small”" in json.dumps(view_of(BIG).stage, ensure_ascii=False)
