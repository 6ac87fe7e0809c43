"""The cross-attention page: the worked alignments, two sentences of one's own, a mask that hides partners."""

import numpy as np
import pytest

from attention_core import AttentionHead, causal_mask, load_example
from attention_lab.state import permalink
from attention_lab.state.state import OWN
from tests.visit import LESSONS, NAMES, Visit, as_shown

PATH = LESSONS[NAMES.index("cross_attention")]
NAME = "cross_attention"
EXAMPLES = ("la_creature_bleue_duveteuse", "zone_economique_europeenne")
SIXTEEN = "la créature bleue et rouge duveteuse et douce et une bête bleue et la bête rouge"


def visit(example=EXAMPLES[0], **address):
    return Visit(PATH, example=permalink.escape(example), **address)


def own(words, memory_words, **address):
    """One's own words by the address."""
    words, memory_words = (".".join(map(permalink.escape, text.split())) for text in (words, memory_words))
    return Visit(PATH, example=OWN, words=words, memory_words=memory_words, **address)


def head_of(example):
    return AttentionHead(example.W_query, example.W_key, example.W_value)


def type_in(visit, french=None, english=None, table=None):
    """Type into the editor, and leave the field."""
    typed = {"sentence": french, "sentence.memory_words": english}
    visit.open_editor()
    for name, text in typed.items():
        if text is not None:
            visit.at.text_input(key=f"{NAME}.{name}").set_value(text)
            visit.run()
    if table is not None:
        visit.at.text_area(key=f"{NAME}.editor").set_value(table)
        visit.run()
    return visit


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_worked_weights_are_on_the_page(example):
    worked = load_example(example)
    page = visit(example)
    scope = page.scope
    assert scope["trace"].weights.shape == (len(worked.words), len(worked.memory_words))
    for name, number in worked.expected.items():
        asks, answers = name.removeprefix("weight ").split()
        found = scope["trace"].weights[worked.words.index(asks), worked.memory_words.index(answers)]
        assert found == pytest.approx(number, abs=1e-12)
    alone = head_of(worked).attend(worked.embeddings, worked.memory)
    np.testing.assert_allclose(scope["trace"].weights, alone.weights, atol=1e-12)
    np.testing.assert_allclose(scope["trace"].context, alone.context, atol=1e-12)
    assert scope["crossings"] == 3, "adjectives change places"


@pytest.mark.parametrize("example", EXAMPLES)
def test_what_is_out_of_reach_crosses_nothing(example):
    scope = visit(example, mask="causal").scope
    open_ = [(i, j) for i, j in enumerate(scope["strongest"]) if scope["may_look"][i][j]]
    assert len(open_) < len(scope["strongest"]), "a link is lost"
    crossing = [1 for k, (_, a) in enumerate(open_) for _, b in open_[k + 1 :] if a > b]
    assert scope["crossings"] == len(crossing) == 1


@pytest.mark.parametrize("example", EXAMPLES)
def test_what_comes_out_is_english(example):
    page = visit(example)
    axes = page.stage["constants"]["axes"]
    context = page.scope["trace"].context
    np.testing.assert_allclose(context[:, axes.index("English")], 1, atol=1e-12)
    assert not context[:, axes.index("French")].any()


@pytest.mark.parametrize("example", EXAMPLES)
def test_asking_itself_is_the_same_head_with_one_input_on_both_sides(example):
    worked, scope = load_example(example), visit(example, looks="itself").scope
    alone = head_of(worked).attend(worked.embeddings)
    np.testing.assert_allclose(scope["trace"].weights, alone.weights, atol=1e-12)
    np.testing.assert_allclose(scope["trace"].context, alone.context, atol=1e-12)
    assert scope["trace"].weights.shape == (len(worked.words),) * 2


def test_an_order_of_the_hand_changes_places_and_no_weight():
    plain, page = visit(), visit().drag(seats=[[3, 1, 4, 2]])
    said = [2, 0, 3, 1]
    assert list(page.scope["answering"]) == ["blue", "the", "creature", "fluffy"]
    np.testing.assert_array_equal(page.scope["trace"].weights, plain.scope["trace"].weights[:, said])
    np.testing.assert_allclose(page.scope["trace"].context, plain.scope["trace"].context, atol=1e-15)
    assert set(page.badges) == {"by hand"}, "the numbers are still the example's"
    again = Visit(PATH, **page.link)
    assert again.stage["pose"] == page.stage["pose"]


@pytest.mark.parametrize(
    "order", ["1_2_3", "1_1_2_3", "0_1_2_3", "4_3_2_1.5", "1_2_3_4__1_2_3_4", "x" * 50, "-0"]
)
def test_an_order_that_is_none_is_left_out(order):
    page = visit(seats=order)
    assert len(page.at.warning) == 1
    assert page.stage["pose"]["seats"] == [[1, 2, 3, 4]]


def test_another_example_comes_in_its_own_order():
    page = type_in(visit(), english="a soft red beast").drag(seats=[[4, 3, 2, 1]])
    page.at.selectbox(key=f"{NAME}.example").select(EXAMPLES[0])
    page.run()
    assert page.stage["pose"]["seats"] == [[1, 2, 3, 4]]
    assert set(page.badges) == {"by hand"}
    assert page.values["memory_words"] == load_example(EXAMPLES[0]).memory_words


def test_a_pushed_query_is_yours_and_finds_another():
    page = visit()
    place, answers = page.values["words"].index("bleue"), list(page.values["memory_words"])
    pushed = page.stage["pose"]["pushed"]
    pushed[place] = [-3.0, 3.0]
    page.drag(pushed=pushed)
    assert answers[page.scope["trace"].weights[place].argmax()] == "fluffy"
    assert set(page.badges) == {"yours"}
    assert Visit(PATH, **page.link).stage["pose"] == page.stage["pose"]
    page.at.selectbox(key=f"{NAME}.example").select(EXAMPLES[1])
    page.run()
    assert not np.any(page.stage["pose"]["pushed"])
    assert set(page.badges) == {"by hand"}


def test_the_goals_can_be_reached():
    page = visit()
    assert page.reached == []
    page.drag(seats=[[1, 4, 3, 2]])
    assert page.scope["crossings"] == 0
    assert page.reached == ["straighten"]
    page = visit(mask="causal")
    assert page.reached == [], "duveteuse stands behind fluffy"
    page.drag(word=page.values["words"].index("créature"))
    assert page.reached == ["lost"]
    page = visit()
    pushed = page.stage["pose"]["pushed"]
    pushed[page.values["words"].index("duveteuse")] = [2.0, -1.0]  # halfway between fluffy and blue
    page.drag(pushed=pushed)
    assert page.reached == ["shared"]


def test_two_french_words_share_an_english_word():
    """The second goal: the nearest word that asks, and what it attends to, are named; both keep their weight."""
    page = visit()
    goal = next(part for part in page.parts if part["kind"] == "goals")["goals"][1]
    assert (
        goal["text"]
        == "Drag the query of duveteuse. Make duveteuse attend to blue with at least 80%, as bleue does."
    )
    words, answers = list(page.values["words"]), list(page.values["memory_words"])
    duveteuse, bleue, blue = words.index("duveteuse"), words.index("bleue"), answers.index("blue")
    pushed = page.stage["pose"]["pushed"]
    pushed[duveteuse] = [3.0, -3.0]
    page.drag(pushed=pushed)
    weights = page.scope["trace"].weights
    assert min(weights[duveteuse, blue], weights[bleue, blue]) >= 0.8
    assert page.reached == ["many_to_one"]
    pushed[bleue] = [-3.0, 3.0]  # bleue attends elsewhere now
    assert visit().drag(pushed=pushed).reached == []
    page = visit().drag(seats=[[4, 3, 2, 1]])
    page.drag(pushed=[[0.0, 0.0]] * 3 + [[3.0, -3.0]])
    assert page.reached == ["many_to_one"], "wherever the English words stand"


def test_a_key_that_cannot_be_shared_is_no_goal():
    """Two equal keys always share their weight: none of them can get 80%."""
    page = own("la bleue", "the the blue blue")
    assert "many_to_one" not in [
        g["name"] for part in page.parts if part["kind"] == "goals" for g in part["goals"]
    ]


def test_reordering_is_no_goal_where_there_is_one_sentence():
    page = visit(looks="itself")
    goals = next(part for part in page.parts if part["kind"] == "goals")["goals"]
    assert [goal["name"] for goal in goals] == ["shared", "many_to_one", "lost"]
    assert not next(part for part in page.parts if part["kind"] == "links").get("order")


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("looks", ["across", "itself"])
def test_a_causal_mask_goes_by_place(example, looks):
    scope = visit(example, looks=looks, mask="causal").scope
    n, m = scope["trace"].weights.shape
    np.testing.assert_array_equal(scope["may_look"], causal_mask(max(n, m))[:n, :m])
    assert not scope["trace"].weights[~np.asarray(scope["may_look"])].any()
    np.testing.assert_allclose(scope["trace"].weights.sum(axis=1), 1)
    # across, the first adjective-noun pair that changes places loses; among themselves, nobody does
    assert bool(np.any(scope["lost"])) == (looks == "across")


def test_one_word_asks_sixteen_and_sixteen_ask_one():
    for french, english, shape in ((SIXTEEN, "the", (16, 1)), ("la", SIXTEEN, (1, 16))):
        for looks in ("across", "itself"):
            for mask in ("none", "causal"):
                page = own(french, english, looks=looks, mask=mask)
                assert not page.at.warning
                weights = page.scope["trace"].weights
                assert weights.shape == (shape if looks == "across" else (shape[0],) * 2)
                np.testing.assert_allclose(weights.sum(axis=1), 1)


def test_two_sentences_over_the_words_that_the_page_knows():
    page = type_in(visit(), "une bête rouge", "the soft red beast and a creature")
    assert not page.at.error
    assert page.values["words"] == ("une", "bête", "rouge")
    assert len(page.values["memory_words"]) == 7
    assert page.values["example"] == OWN
    weights = page.scope["trace"].weights
    said = list(page.scope["answering"])
    assert said[weights[2].argmax()] == "red"
    assert weights[1][said.index("beast")] == weights[1][said.index("creature")], (
        "the kind of word is all it asks"
    )
    again = Visit(PATH, **page.link)
    assert again.stage["pose"] == page.stage["pose"]
    np.testing.assert_array_equal(again.scope["trace"].weights, weights)


def test_english_may_ask_and_french_answer():
    page = type_in(visit(), "the blue creature", "la créature bleue")
    assert not page.at.error
    assert list(page.scope["strongest"]) == [0, 2, 1]


@pytest.mark.parametrize(
    ("french", "english", "said"),
    [
        (None, "", "English sentence (keys and values): There are no words. Enter 1 to 16 words."),
        ("   ", None, "French sentence (queries): There are no words. Enter 1 to 16 words."),
        (None, "the " * 17, "17 words are too many"),
        ("la " + "x" * 25, None, "25 characters"),
        (None, "the dragon", "Unknown words: dragon"),
        ("la vache", None, "Unknown words: vache"),
        ("dog bites man", "", "English sentence (keys and values): There are no words"),
    ],
)
def test_a_sentence_that_cannot_be_is_refused_and_nothing_is_lost(french, english, said):
    page = visit().drag(seats=[[2, 1, 4, 3]])
    before = page.stage["pose"]
    type_in(page, french, english)
    assert len(page.at.error) == 1
    assert said in as_shown(page.at.error[0].value)
    assert "The previous values are unchanged." in page.at.error[0].value
    assert page.stage["pose"] == before
    assert page.at.text_input(key=f"{NAME}.sentence.memory_words").value == (
        "the fluffy blue creature" if english is None else english
    ), "what was typed stays to be mended"
    type_in(page, "la bête", "the beast")
    assert not page.at.error
    assert page.values["memory_words"] == ("the", "beast")


def test_an_unknown_word_may_be_given_features_on_either_side():
    page = type_in(visit(), english="the dragon")
    table = page.at.text_area(key=f"{NAME}.editor").value
    type_in(page, table=f"{table}\ndragon 0 1 0 0 0 1")
    assert not page.at.error
    assert page.values["memory_words"] == ("the", "dragon")
    assert page.scope["strongest"][1] == 1
    again = Visit(PATH, **page.link)
    assert again.stage["pose"] == page.stage["pose"]


def test_unknown_words_in_the_address_ask_nothing_and_the_page_says_so():
    page = own("vache bleue", "the cow")
    assert not page.at.warning
    assert any("vache" in info.value and "cow" in info.value for info in page.at.info)
    np.testing.assert_allclose(page.scope["trace"].weights[0], 0.5)
    assert not visit().at.info


def test_a_repeated_word_has_one_vector_and_a_name_of_its_own():
    page = own("la bête et la créature", "the beast and the creature")
    assert list(page.stage["constants"]["words"]) == ["la", "bête", "et", "la₂", "créature"]
    weights = page.scope["trace"].weights
    np.testing.assert_array_equal(weights[0], weights[3])


def test_new_words_begin_in_their_own_order_with_queries_where_they_belong():
    page = visit().drag(seats=[[4, 3, 2, 1]], pushed=[[1.0, 1.0]] * 4)
    type_in(page, english="the blue fluffy creature")
    assert page.stage["pose"]["seats"] == [[1, 2, 3, 4]]
    assert page.stage["pose"]["pushed"] == [[1.0, 1.0]] * 4, "the French words are the same"
    type_in(page, french="la créature duveteuse bleue")
    assert not np.any(page.stage["pose"]["pushed"])


def test_the_guess_is_among_the_words_that_answer_and_then_how_many():
    page = visit(predict="1", seats="4_3_2_1")
    buttons = {button.label for button in page.at.button if ".guess." in (button.key or "")}
    assert buttons == {"the", "fluffy", "blue", "creature"}
    kinds = [part["kind"] for part in page.parts]
    assert "formula" not in kinds, "it would name the answer"
    next(button for button in page.at.button if button.label == "fluffy").click()
    page.run()
    assert "You predicted “**fluffy**”. That is correct" in page.text
    assert "4 words supply queries, and 4 words supply keys" in page.text
    assert [part["what"] for part in page.parts if part["kind"] == "heatmap"] == ["context"]
    next(button for button in page.at.button if button.label == "16").click()
    page.run()
    assert "You predicted “**16**”. That is correct" in page.text
    assert [part["what"] for part in page.parts if part["kind"] == "heatmap"] == ["weight", "context"]


def test_the_same_numbers_are_no_choice():
    """Two words ask two: 2 + 2 and 2 × 2 are the same, so how many there are is not asked."""
    page = own("la bête", "the beast", predict="1")
    page.at.button(key=f"{NAME}.reveal").click()
    page.run()
    assert "How many weights" not in page.text
