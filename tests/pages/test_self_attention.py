"""Self-attention, step by step: worked numbers, what one layer cannot and two can, own sentences, bad input."""

import contextlib
import io
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core import AttentionHead, causal_mask, load_example, load_task
from attention_core.models import weights
from attention_core.training import forward
from attention_lab.state import permalink
from tests.pages.test_every_page import printed_numbers
from tests.visit import LESSONS, NAMES, Visit, at

PATH = LESSONS[NAMES.index("self_attention")]
NAME = "self_attention"
TIRED, WIDE = load_example("animal_tired"), load_example("animal_wide")
BEFORE = load_example("animal_first_layer")
EXAMPLES = [TIRED, WIDE, *map(load_example, ("money_bank", "fluffy_blue_creature", "knight_in_shining"))]
LAYERS = {"": {}, " in the first layer": {"layers": "2"}, " of the first layer": {"layers": "2"}}
LAYERS |= {" in the second layer": {"layers": "2"}}
LAYERS |= {" in the second layer under a causal mask": {"layers": "2", "mask": "causal"}}


def visit_of(example, **address):
    return Visit(PATH, example=permalink.escape(example.name), **address)


def pattern(visit):
    """The part that shows all words at once, with what holds for its step, and the numbers that it shows."""
    part = next(part for part in visit.parts if part["kind"] == "heatmap")
    part |= part["cases"][visit.stage["pose"][part["by"]]]
    return part, at(visit.scope, part["of"])


def which_layer(what):
    """What a worked number is called, and in which layer it is found: the last suffix that fits."""
    suffix = next(suffix for suffix in reversed(LAYERS) if what.endswith(suffix))
    return what.removesuffix(suffix), suffix


WORKED = [(e, what, number) for e in EXAMPLES for what, number in e.expected.items() if "temperature" not in what]


@pytest.mark.parametrize(("example", "what", "number"), WORKED, ids=[f"{e.name} {w}" for e, w, _ in WORKED])
def test_the_worked_numbers_are_on_the_page(example, what, number):
    named, layer = which_layer(what)
    scope = visit_of(example, **LAYERS[layer]).scope
    first = layer.endswith("first layer")
    trace = scope["first_trace"] if first else scope["last_trace"]
    kind, *words = named.replace("scaled score", "scaled").split()
    places = [example.words.index(word) for word in words]
    if kind == "ratio":
        asks, a, b = places
        found = trace.weights[asks, a] / trace.weights[asks, b]
        np.testing.assert_allclose(scope["ratio_tired" if example is TIRED else "ratio_wide"], number, rtol=1e-12)
    elif kind == "delta":
        found = scope["first_delta"][places[0]]
    else:
        of = {"score": "scores", "scaled": "scaled_scores", "weight": "weights"}.get(kind, kind)
        found = getattr(trace, of)[tuple(places)]
    np.testing.assert_allclose(found, number, rtol=1e-9, atol=1e-12)


def test_the_first_layers_own_numbers():
    scope = Visit(PATH, layers="2").scope
    it, tired, animal = (BEFORE.words.index(word) for word in ("it", "tired", "animal"))
    trace, expected = scope["first_trace"], BEFORE.expected
    assert trace.scores[it, tired] == expected["score it tired"]
    np.testing.assert_allclose(trace.weights[it, tired], expected["weight it tired"])
    np.testing.assert_allclose(trace.weights[tired, animal], expected["weight tired animal"])
    np.testing.assert_allclose(trace.context[it], expected["context it"])
    np.testing.assert_allclose(scope["first_delta"][it], expected["delta it"])


def test_ten_and_thirty_two_exactly():
    assert visit_of(load_example("money_bank")).scope["trace"].scores[1].tolist() == [10.0, 32.0]


def test_creature_gives_verdant_less_than_five_per_cent():
    example = load_example("fluffy_blue_creature")
    row = visit_of(example).scope["trace"].weights[example.words.index("creature")]
    assert row[example.words.index("verdant")] < 0.05
    assert row[[example.words.index("fluffy"), example.words.index("blue")]].sum() > 0.95


# Tired and wide ----------------------------------------------------------------------------------------


def ratios(**address):
    scope = Visit(PATH, **address).scope
    return scope["ratio_tired"], scope["ratio_wide"]


@pytest.mark.parametrize("mask", ["none", "causal", "earlier"])
def test_in_one_layer_the_ratios_are_equal_to_rounding(mask):
    tired, wide = ratios(mask=mask)
    assert tired == pytest.approx(wide, rel=1e-12)


def test_in_two_layers_they_are_clearly_different_and_each_finds_its_noun():
    tired, wide = ratios(layers="2")
    assert tired > 50
    assert wide < 0.2
    for example, noun in ((TIRED, "animal"), (WIDE, "street")):
        weights = visit_of(example, layers="2").scope["last_trace"].weights[example.words.index("it")]
        assert example.words[weights.argmax()] == noun
        assert weights.max() > 0.8


@pytest.mark.parametrize("mask", ["causal", "earlier"])
def test_where_it_never_sees_the_last_word_two_layers_fail_again(mask):
    tired, wide = ratios(layers="2", mask=mask)
    assert tired == pytest.approx(wide, rel=1e-12)


HEADS = st.lists(st.integers(-40, 40), min_size=18, max_size=18).map(lambda entries: np.array(entries) / 10)


def test_one_layer_cannot_whatever_the_head():
    visit = Visit(PATH)

    @settings(max_examples=30, suppress_health_check=list(HealthCheck))
    @given(HEADS, HEADS)
    def any_head(query, key):
        matrices = {"W_query": query.reshape(6, 3), "W_key": key.reshape(6, 3)}
        visit.arrive(**{name: permalink.write_matrix(rows) for name, rows in matrices.items()})
        scope = visit.scope
        np.testing.assert_array_equal(scope["W_query"], matrices["W_query"])
        assert scope["ratio_tired"] == pytest.approx(scope["ratio_wide"], rel=1e-12)

    any_head()


def test_the_two_layers_are_two_heads_of_the_core():
    first, second = (AttentionHead(e.W_query, e.W_key, e.W_value, e.W_output) for e in (BEFORE, TIRED))
    for mask in (None, causal_mask(11)):
        x = TIRED.embeddings
        x = x + first.attend(x, mask=mask).delta
        trace = second.attend(x, mask=mask)
        scope = Visit(PATH, layers="2", mask="none" if mask is None else "causal").scope
        np.testing.assert_allclose(scope["last_trace"].weights, trace.weights, rtol=1e-12)
        np.testing.assert_allclose(scope["second_new"], x + trace.delta, rtol=1e-12)


def test_the_verdict_is_for_sentences_with_both_rivals():
    kinds = [part["kind"] for part in Visit(PATH).parts]
    assert "rivals" in kinds
    for example in EXAMPLES[2:]:
        visit = visit_of(example)
        assert "rivals" not in [part["kind"] for part in visit.parts]
        assert visit.values["layers"] == "1"
        assert visit_of(example, layers="2").at.warning
    own = Visit(PATH, example="own", words="The.dog.was.tired.and.it.was.hungry", layers="2")
    assert own.values["layers"] == "2"
    assert "rivals" not in [part["kind"] for part in own.parts]


# Steps -------------------------------------------------------------------------------------------------


def test_the_pattern_of_all_words_follows_the_step():
    shown = [pattern(Visit(PATH, step=step)) for step in ("scores", "scale", "mask", "softmax")]
    cell = TIRED.words.index("it"), TIRED.words.index("animal")
    assert [numbers[cell] for _, numbers in shown] == pytest.approx(
        [10, 10 / 3**0.5, 10 / 3**0.5, 0.7408], abs=5e-5
    )
    assert [part["title"].split(": ")[1] for part, _ in shown] == [
        "scores", "scaled scores", "masked scores", "weights",
    ]  # fmt: skip
    assert [part["limit"] for part, _ in shown] == [16, 16, 16, 1]


def test_what_is_closed_is_minus_infinity_in_the_pattern():
    _, numbers = pattern(Visit(PATH, step="mask", mask="causal"))
    np.testing.assert_array_equal(numbers == -np.inf, ~np.tri(11, dtype=bool))


def test_the_pattern_is_that_of_the_layer_shown():
    shown = [pattern(Visit(PATH, step="softmax", layers="2", layer=layer))[1] for layer in "12"]
    scope = Visit(PATH, layers="2").scope
    np.testing.assert_array_equal(shown[0], scope["first_trace"].weights)
    np.testing.assert_array_equal(shown[1], scope["second_trace"].weights)
    assert not np.array_equal(*shown)


def test_the_examples_own_mask_comes_with_it():
    visit = Visit(PATH)
    assert visit.values["mask"] == "none"
    knight = visit_of(EXAMPLES[4])
    assert knight.values["mask"] == "causal"
    assert not np.triu(knight.scope["trace"].weights, 1).any()


def test_a_row_that_may_look_at_nothing_has_no_weights_and_a_word_for_it():
    visit = Visit(PATH, mask="earlier", word="The")
    assert not visit.scope["trace"].weights[0].any()
    assert not visit.scope["trace"].context[0].any()
    ledger = next(part for part in visit.parts if part["kind"] == "ledger")
    assert ledger["words"]["nothing"] == "no word to attend to"
    assert "NaN" not in json.dumps(visit.stage)


# Goals and guesses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "met", "missed"),
    [
        ("ratio_moves", {"layers": "2"}, {"layers": "2", "mask": "causal"}),
        ("blindfold", {"layers": "2", "mask": "causal"}, {"mask": "causal"}),
    ],
)
def test_goals_are_met_where_they_say(goal, met, missed):
    assert goal in Visit(PATH, **met).reached
    assert goal not in Visit(PATH, **missed).reached


def test_the_whole_way_is_what_the_browser_has_seen():
    visit = Visit(PATH)
    visit.send({"goals": ["whole_way", "<b>", 3]})
    assert visit.run().stage["completed_goals"] == ["whole_way"]


@pytest.mark.parametrize(("said", "verdict"), [(1, "That is correct"), (0, "The answer is “**It stays the same")])
def test_what_the_other_ending_does_to_the_ratio_is_asked_second(said, verdict):
    visit = Visit(PATH, predict="1")
    visit.at.button(key=f"{NAME}.reveal").click()
    visit.run()
    assert "what does the ratio" in visit.text.lower() or "ratio of the weights" in visit.text
    assert next(part for part in visit.parts if part["kind"] == "rivals")["veiled"]
    visit.at.button(key=f"{NAME}.guess.{said}").click()
    visit.run()
    assert verdict in visit.text
    assert not next(part for part in visit.parts if part["kind"] == "rivals")["veiled"]


def test_the_ratio_is_no_riddle_for_two_layers_or_another_sentence():
    for address in ({"layers": "2"}, {"mask": "causal"}, {"example": "money_5f_bank"}):
        visit = Visit(PATH, predict="1", **address)
        visit.at.button(key=f"{NAME}.reveal").click()
        assert "Predict first." not in visit.run().text


# Own sentences -----------------------------------------------------------------------------------------


def type_in(visit, sentence=None, table=None):
    visit.open_editor()
    if sentence is not None:
        visit.at.text_input(key=f"{NAME}.sentence").set_value(sentence)
        visit.run()
    if table is not None:
        visit.at.text_area(key=f"{NAME}.editor").set_value(table)
        visit.run()
    return visit


def test_a_sentence_over_the_words_the_page_knows():
    visit = type_in(Visit(PATH), "The dog didn't cross the river because it was too deep")
    assert not visit.at.error
    assert visit.values["example"] == "own"
    assert set(visit.badges) == {"by hand"}, "the words are known, and nobody has moved them"
    two = visit.drag(layers=1).scope["last_trace"].weights[visit.values["words"].index("it")]
    assert visit.values["words"][two.argmax()] == "river"
    assert Visit(PATH, **visit.link).stage["pose"] == visit.stage["pose"]


def test_an_unknown_word_is_refused_with_the_known_ones_until_it_has_features():
    visit = type_in(Visit(PATH), "The dragon was tired because it was hungry")
    assert len(visit.at.error) == 1
    said = visit.at.error[0].value
    for word in ("dragon", "animal", "bridge", "hungry"):
        assert word in said
    assert visit.values["words"] == TIRED.words
    table = visit.at.text_area(key=f"{NAME}.editor").value
    type_in(visit, table=f"{table}\ndragon 1 0 0 0 1 0")
    assert not visit.at.error
    assert visit.values["words"] == ("The", "dragon", "was", "tired", "because", "it", "was", "hungry")
    weights = visit.scope["last_trace"].weights[5]
    assert visit.values["words"][weights.argmax()] == "dragon"
    again = Visit(PATH, **visit.link)
    assert not again.at.warning
    assert again.stage["pose"] == visit.stage["pose"]


def test_an_unknown_word_in_the_address_has_no_features_and_the_page_says_so():
    visit = Visit(PATH, example="own", words="dragon.it")
    assert not visit.at.exception
    assert any("dragon" in info.value and "no features" in info.value for info in visit.at.info)
    assert not visit.scope["x"][0].any()
    assert not Visit(PATH).at.info


def test_the_words_of_other_examples_may_be_used_with_their_own_features():
    visit = type_in(visit_of(EXAMPLES[3]), "the blue forest roamed")
    assert not visit.at.error
    assert visit.scope["x"].shape == (4, 8)
    assert visit.values["layers"] == "1"
    visit = type_in(visit, "the blue dragon")
    assert "dragon" in visit.at.error[0].value
    table = visit.at.text_area(key=f"{NAME}.editor").value
    type_in(visit, table=f"{table}\ndragon 1 0 0 0 3 0 0 0")
    assert not visit.at.error
    assert visit.values["words"] == ("the", "blue", "dragon")


def test_sentences_of_one_word_of_sixteen_and_of_seventeen():
    visit = type_in(Visit(PATH), "it")
    assert visit.scope["last_trace"].weights.tolist() == [[1.0]]
    sixteen = " ".join(["it", "and"] * 8)
    assert type_in(visit, sixteen).values["words"] == tuple(sixteen.split())
    assert visit.values["word"] == "it"
    type_in(visit, f"{sixteen} it")
    assert "17 words are too many" in visit.at.error[0].value
    assert len(visit.values["words"]) == 16


@pytest.mark.parametrize("table", ["animal 1 0 0", "", "nonsense", "The 1 0 0 0 0 x"])
def test_a_table_that_cannot_be_read_is_refused_and_nothing_lost(table):
    visit = type_in(Visit(PATH), table=table)
    assert len(visit.at.error) == 1
    assert visit.at.text_area(key=f"{NAME}.editor").value == table
    np.testing.assert_array_equal(visit.scope["x"], TIRED.embeddings)


@pytest.mark.parametrize("name", ["W_query", "W_key", "W_value", "W_output"])
@pytest.mark.parametrize("text", ["apple", "nan_0__0_1", "1e300_0__0_1", "1_0", "__", "1__1", "101_0_0__0_1_0"])
def test_a_matrix_in_the_address_that_cannot_be_one_is_left_out(name, text):
    visit, plain = Visit(PATH, **{name: text}), Visit(PATH)
    assert len(visit.at.warning) == 1
    assert visit.stage["pose"] == plain.stage["pose"]


def test_an_example_without_an_output_matrix_takes_none():
    visit = Visit(PATH, example="money_5f_bank", W_output="1_0__0_1")
    assert len(visit.at.warning) == 1
    np.testing.assert_array_equal(visit.scope["trace"].delta is None, True)


def test_a_singular_matrix_and_very_large_ones_break_nothing():
    nothing = "__".join(["0_0_0"] * 6)
    visit = Visit(PATH, W_query=nothing, W_key=nothing)
    np.testing.assert_allclose(visit.scope["last_trace"].weights, 1 / 11)
    assert visit.scope["ratio_tired"] == 1
    large = "__".join(["100_-100_100"] * 6)
    visit = Visit(PATH, W_query=large, W_key=large, layers="2")
    assert not visit.at.exception
    assert not visit.at.warning
    assert set(visit.badges) == {"yours"}


def test_a_ratio_that_has_no_number_is_undefined_and_meets_no_goal():
    far = "__".join(["100_0_0", "100_0_0", *["0_0_0"] * 2, "100_0_0", "-100_0_0"])
    visit = Visit(PATH, W_query=far, W_key=far)
    assert np.isnan(visit.scope["change"])
    assert visit.reached == []


def test_the_word_under_the_hand_changes_what_follows():
    visit = Visit(PATH)
    table = visit.stage["constants"]["table"]
    vectors = visit.stage["pose"]["vectors"]
    vectors[table.index("it")][4] = 1.0  # “it” is alive
    visit.drag(vectors=vectors)
    np.testing.assert_allclose(visit.scope["last_trace"].query[7], [8, 6, 0])
    assert set(visit.badges) == {"yours"}


# Taken home --------------------------------------------------------------------------------------------


def test_the_programs_go_through_both_layers():
    visit = Visit(PATH, layers="2", mask="causal")
    for program in visit.programs:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(program, "taken home", "exec"), {"__name__": "__main__"})
        last = printed_numbers(out.getvalue().splitlines()[-1])
        np.testing.assert_allclose(last, visit.scope["second_new"][-1], rtol=1e-9, atol=1e-12)


def test_the_tables_hold_every_step_of_both_layers():
    visit = Visit(PATH, layers="2").open_drawer("table")
    captions = [caption.value for caption in visit.at.caption]
    for layer in ("layer 1", "layer 2"):
        for what in ("words", "queries", "keys", "values", "scores", "scaled scores", "masked scores", "weights"):
            assert f"{what} of {layer}" in captions
        assert f"new vectors of {layer}" in captions


# The other ending --------------------------------------------------------------------------------------


def test_the_other_ending_keeps_what_a_hand_has_moved_and_can_be_undone():
    visit = visit_of(TIRED, layers="2").nudge()
    moved = visit.values["vectors"]
    visit.turn("animal_wide")
    assert visit.values["example"] == "animal_wide"
    assert "wide" in visit.values["words"]
    np.testing.assert_array_equal(visit.values["vectors"], moved)
    visit.turn(-1)
    assert visit.values["example"] == "animal_tired"
    np.testing.assert_array_equal(visit.values["vectors"], moved)


@pytest.mark.parametrize("wish", ["own", "nonsense", "", "similarity"])
def test_a_wish_for_no_example_changes_nothing(wish):
    visit = Visit(PATH).turn(wish)
    assert visit.values["example"] == "animal_tired"
    assert visit.stage["turns"] == [0, 0]


# Learned -----------------------------------------------------------------------------------------------

BIG, SMALL = load_example("learned_trophy_big"), load_example("learned_trophy_small")


@pytest.mark.parametrize(("example", "noun"), [(BIG, "trophy"), (SMALL, "box")])
def test_two_learned_layers_look_at_the_last_word_and_then_at_what_it_means(example, noun):
    visit = visit_of(example, layers="2")
    scope, it = visit.scope, example.words.index("it")
    first, second = scope["first_trace"].weights[it], scope["second_trace"].weights[it]
    assert first.argmax() == len(example.words) - 1
    assert example.words[second.argmax()] == noun
    assert min(first.max(), second.max()) > 0.9
    assert set(visit.badges) == {"learned"}


def test_the_learned_layers_are_the_trained_networks_own():
    arrays, record = weights.load("trophy_or_box", ("trophy_or_box",))
    task = load_task(record["task"])
    ids = [task.words.index(word) for word in BIG.words]
    through = forward(dict(arrays), np.array([ids]))
    scope = visit_of(BIG, layers="2").scope
    for trace, layer in zip(("first_trace", "second_trace"), through.layers, strict=True):
        np.testing.assert_allclose(scope[trace].weights, np.reshape(layer.weights, (12, 12)), atol=0.05)
    answer = scope["second_trace"].context[8] @ arrays["W_vocabulary"][0] + arrays["bias"][0]
    assert task.outputs[0][answer.argmax()] == "trophy"


def test_one_learned_layer_cannot_tell_the_endings_apart_and_two_can():
    def ratios_of(**address):
        scope = visit_of(BIG, **address).scope
        return scope["ratio_tired"], scope["ratio_wide"]

    big, small = ratios_of()
    assert big == pytest.approx(small, rel=1e-12)
    big, small = ratios_of(layers="2")
    assert big > 10 > 0.1 > small
    big, small = ratios_of(layers="2", mask="causal")
    assert big == pytest.approx(small, rel=1e-12)
    assert "“big” to “small”" in json.dumps(visit_of(BIG).stage, ensure_ascii=False)
