"""The cross-attention page: the worked alignments, two sentences of one's own, a mask that hides partners."""

import numpy as np
import pytest

from attention_core import AttentionHead, causal_mask, load_example
from attention_lab.state import permalink
from attention_lab.state.state import OWN
from tests.visit import PATHS, LessonView, Visit, as_shown

PATH = PATHS["cross_attention"]
NAME = "cross_attention"
EXAMPLES = ("la_creature_bleue_duveteuse", "zone_economique_europeenne")


def view_of(example=EXAMPLES[0], **address):
    return LessonView(PATH, example=permalink.escape(example), **address)


def own_address(words, memory_words):
    words, memory_words = (".".join(map(permalink.escape, text.split())) for text in (words, memory_words))
    return {"example": OWN, "words": words, "memory_words": memory_words}


def own(words, memory_words, **address):
    return LessonView(PATH, **own_address(words, memory_words), **address)


def head_of(example):
    return AttentionHead(example.W_query, example.W_key, example.W_value)


def type_in(visit, french=None, english=None):
    for field, text in (("sentence", french), ("sentence.memory_words", english)):
        if text is not None:
            visit.type_words(text, field)
    return visit


def test_worked_weights_are_on_the_page_and_are_the_cores():
    for name in EXAMPLES:
        example, page = load_example(name), view_of(name)
        trace, axes = page.scope["trace"], page.stage["constants"]["axes"]
        for what, number in example.expected.items():
            query, key = what.removeprefix("weight ").split()
            found = trace.weights[example.words.index(query), example.memory_words.index(key)]
            assert found == pytest.approx(number, abs=1e-12), what
        for looks, memory in (("across", example.memory), ("itself", None)):
            alone = head_of(example).attend(example.embeddings, memory)
            shown = view_of(name, looks=looks).scope["trace"]
            np.testing.assert_allclose(shown.weights, alone.weights, atol=1e-12)
            np.testing.assert_allclose(shown.context, alone.context, atol=1e-12)
        assert page.scope["crossings"] == 3, "adjectives change places"
        np.testing.assert_allclose(trace.context[:, axes.index("English")], 1, atol=1e-12)
        assert not trace.context[:, axes.index("French")].any(), "what comes out is English"


def test_causal_mask_goes_by_position_and_hides_partners():
    for name in EXAMPLES:
        for looks in ("across", "itself"):
            scope = view_of(name, looks=looks, mask="causal").scope
            n, m = scope["trace"].weights.shape
            np.testing.assert_array_equal(scope["may_look"], causal_mask(max(n, m))[:n, :m])
            assert not scope["trace"].weights[~np.asarray(scope["may_look"])].any()
            np.testing.assert_allclose(scope["trace"].weights.sum(axis=1), 1)
            # across, the first adjective-noun pair that changes places loses; among themselves, nobody does
            assert bool(np.any(scope["lost"])) == (looks == "across")
        scope = view_of(name, mask="causal").scope
        links = [(i, j) for i, j in enumerate(scope["strongest"]) if scope["may_look"][i][j]]
        assert len(links) < len(scope["strongest"]), "a link is lost"
        crossing = [1 for k, (_, a) in enumerate(links) for _, b in links[k + 1 :] if a > b]
        assert scope["crossings"] == len(crossing) == 1


# Order and queries in the hand -------------------------------------------------------------------------


def test_reordered_keys_move_the_columns_and_change_no_weight():
    plain, page = view_of().scope, view_of().drag(seats=[[3, 1, 4, 2]])
    assert list(page.scope["answering"]) == ["blue", "the", "creature", "fluffy"]
    np.testing.assert_array_equal(page.scope["trace"].weights, plain["trace"].weights[:, [2, 0, 3, 1]])
    np.testing.assert_allclose(page.scope["trace"].context, plain["trace"].context, atol=1e-15)
    assert page.badges == {"by hand"}, "the numbers are still the example's"
    assert LessonView(PATH, **page.link).stage["pose"] == page.stage["pose"]


def test_moved_query_is_yours_and_attends_elsewhere():
    page = Visit(PATH)
    place, keys = page.values["words"].index("bleue"), list(page.values["memory_words"])
    pushed = page.stage["pose"]["pushed"]
    pushed[place] = [-3.0, 3.0]
    page.drag(pushed=pushed)
    assert keys[page.scope["trace"].weights[place].argmax()] == "fluffy"
    assert set(page.badges) == {"yours"}
    page.choose(example=EXAMPLES[1])
    assert not np.any(page.stage["pose"]["pushed"])
    assert set(page.badges) == {"by hand"}


def test_new_words_begin_in_their_own_order_with_queries_where_they_belong():
    page = Visit(PATH).drag(seats=[[4, 3, 2, 1]], pushed=[[1.0, 1.0]] * 4)
    type_in(page, english="the blue fluffy creature")
    assert page.stage["pose"]["seats"] == [[1, 2, 3, 4]]
    assert page.stage["pose"]["pushed"] == [[1.0, 1.0]] * 4, "the French words are the same"
    type_in(page, french="la créature duveteuse bleue")
    assert not np.any(page.stage["pose"]["pushed"])
    page.drag(seats=[[4, 3, 2, 1]])
    page.choose(example=EXAMPLES[0])
    assert page.stage["pose"]["seats"] == [[1, 2, 3, 4]]
    assert page.values["memory_words"] == load_example(EXAMPLES[0]).memory_words


# Goals and predictions ---------------------------------------------------------------------------------


def test_goals_can_be_reached():
    page = view_of().drag(seats=[[1, 4, 3, 2]])
    assert page.scope["crossings"] == 0
    assert page.reached == ["straighten"]
    page = view_of(mask="causal")
    assert page.reached == [], "duveteuse stands behind fluffy"
    assert page.drag(word=page.values["words"].index("créature")).reached == ["lost"]
    page = view_of()
    pushed = page.stage["pose"]["pushed"]
    pushed[page.values["words"].index("duveteuse")] = [2.0, -1.0]  # halfway between fluffy and blue
    assert page.drag(pushed=pushed).reached == ["shared"]


def test_two_french_words_share_an_english_word():
    """The goal names the nearest word and what it attends to; both have to keep their weight."""
    page = view_of()
    task = "Drag the query of duveteuse until it gives blue a weight of at least 80%, as bleue does."
    assert page.goals["many_to_one"]["text"] == task
    words, keys = list(page.values["words"]), list(page.values["memory_words"])
    duveteuse, bleue, blue = words.index("duveteuse"), words.index("bleue"), keys.index("blue")
    pushed = page.stage["pose"]["pushed"]
    pushed[duveteuse] = [3.0, -3.0]
    page.drag(pushed=pushed)
    weights = page.scope["trace"].weights
    assert min(weights[duveteuse, blue], weights[bleue, blue]) >= 0.8
    assert page.reached == ["many_to_one"]
    assert page.drag(seats=[[4, 3, 2, 1]]).reached == ["many_to_one"], "wherever the English words stand"
    pushed[bleue] = [-3.0, 3.0]
    assert view_of().drag(pushed=pushed).reached == []


def test_goals_that_make_no_sense_are_not_offered():
    assert "many_to_one" not in own("la bleue", "the the blue blue").goals, "equal keys share their weight"
    page = view_of(looks="itself")
    assert [*page.goals] == ["many_to_one", "shared", "lost"]
    assert not page.first("links").get("order"), "there is one sentence"


def test_predictions_are_about_the_largest_weight_and_then_about_how_many_there_are():
    def click(label):
        next(button for button in page.at.button if button.label == label).click()
        assert f"You predicted “**{label}**”. That is correct" in page.run().text
        return [part["what"] for part in page.parts if part["kind"] == "heatmap"]

    page = Visit(PATH, predict="1", seats="4_3_2_1")
    buttons = {button.label for button in page.at.button if ".guess." in (button.key or "")}
    assert buttons == {"the", "fluffy", "blue", "creature"}
    assert "formula" not in [part["kind"] for part in page.parts], "it would name the answer"
    assert click("fluffy") == ["context"]
    assert "4 words supply queries, and 4 words supply keys" in page.text
    assert click("16") == ["weight", "context"]
    page = Visit(PATH, predict="1", **own_address("la bête", "the beast"))
    assert "How many weights" not in page.press("reveal").text, "2 + 2 and 2 × 2 are the same"


# Own sentences -----------------------------------------------------------------------------------------


def test_two_own_sentences_of_known_words():
    page = type_in(Visit(PATH), "une bête rouge", "the soft red beast and a creature")
    assert not page.at.error
    assert page.values["words"] == ("une", "bête", "rouge")
    assert len(page.values["memory_words"]) == 7
    assert page.values["example"] == OWN
    weights, keys = page.scope["trace"].weights, list(page.scope["answering"])
    assert keys[weights[2].argmax()] == "red"
    kinds = weights[1][[keys.index("beast"), keys.index("creature")]]
    assert kinds[0] == kinds[1], "the query is about the kind of word only"
    again = LessonView(PATH, **page.link)
    assert again.stage["pose"] == page.stage["pose"]
    np.testing.assert_array_equal(again.scope["trace"].weights, weights)
    assert list(own("the blue creature", "la créature bleue").scope["strongest"]) == [0, 2, 1]


def test_refused_sentence_says_why_and_nothing_is_lost():
    for french, english, said in (
        (None, "", "English sentence (keys and values): There are no words. Enter 1 to 16 words."),
        ("   ", None, "French sentence (queries): There are no words. Enter 1 to 16 words."),
        (None, "the " * 17, "17 words are too many"),
        ("la " + "x" * 25, None, "25 characters"),
        (None, "the dragon", "Unknown words: dragon"),
        ("la vache", None, "Unknown words: vache"),
        ("dog bites man", "", "English sentence (keys and values): There are no words"),
    ):
        page = Visit(PATH).drag(seats=[[2, 1, 4, 3]])
        before = page.stage["pose"]
        [error] = type_in(page, french, english).at.error
        assert said in as_shown(error.value)
        assert "The previous values are unchanged." in error.value
        assert page.stage["pose"] == before
        stays = "the fluffy blue creature" if english is None else english
        assert page.at.text_input(key=f"{NAME}.sentence.memory_words").value == stays
    type_in(page, "la bête", "the beast")
    assert not page.at.error
    assert page.values["memory_words"] == ("the", "beast")


def test_unknown_words_in_a_link_have_uniform_weights_and_the_page_says_so():
    page = Visit(PATH, **own_address("vache bleue", "the cow"))
    assert not page.at.warning
    assert any("vache" in info.value and "cow" in info.value for info in page.at.info)
    np.testing.assert_allclose(page.scope["trace"].weights[0], 0.5)
    assert not Visit(PATH).at.info
