"""Words of one's own: placed so that nothing looks meant, and taken along from page to page."""

import re

import numpy as np
import pytest

from attention_lab import text as prose
from tests.visit import PATHS, LessonView, Visit, as_shown

SENTENCE = "a zorp saw a blick"
WORDS = tuple(SENTENCE.split())
BY_FEATURES = ["self_attention", "masking", "multi_head", "cross_attention"]


def typed(name, sentence=SENTENCE, **address):
    return Visit(PATHS[name], inside=True, **address).type_words(sentence)


def move_zorp(visit):
    """Drag the word and return all vectors as they are then."""
    vectors = visit.stage["pose"]["vectors"]
    vectors[visit.stage["constants"]["table"].index("zorp")] = [4.0, 1.0]
    visit.drag(vectors=vectors)
    return vectors


def test_placed_words_weigh_alike_and_say_where_they_come_from_until_they_are_moved():
    visit = typed("embeddings", "zorp blick")
    weights = visit.scope["trace"].weights
    assert weights.max() / weights.min() < 2.5, "nobody has said that they have to do with one another"
    assert set(visit.badges) == {"placed for you"}
    assert "zorp, blick" in as_shown(visit.text)
    assert "start near zero" in as_shown(visit.text)
    visit.type_words("new word zorp blick")
    assert set(visit.badges) <= {"placed for you", "by hand and placed"}
    assert "vectors" not in visit.link
    move_zorp(visit)
    assert set(visit.badges) == {"yours"}
    assert "start near zero" not in as_shown(visit.text)


def test_a_badge_says_by_hand_too_where_an_examples_word_or_matrix_is_among_placed_words():
    """In "cat dog phone" the vector of phone is the example's, and so are the matrices beside placed words."""
    among = LessonView(PATHS["embeddings"], example="own", words="cat.dog.cat.phone").stage["provenance"]
    assert {*among.values()} == {"by hand and placed"}
    for moved, badge in (({}, "by hand and placed"), ({"W_query": "1_1__0_1"}, "yours")):
        found = LessonView(PATHS["queries_keys"], example="own", words="foo.bar.baz", **moved).stage["provenance"]
        assert found["vectors"] == "placed for you"
        assert {found[of] for of in found if "W_query" in of.split()} == {badge}


def test_what_is_said_of_placed_words_is_true_of_words_that_point_apart():
    visit = Visit(PATHS["similarity"], example="own", words="foo.bar.baz")
    assert visit.scope["cosine"].min() < -0.5
    notes = as_shown(visit.text) + "".join(prose.ui_text(f"badges/{badge}") for badge in visit.badges)
    assert "near zero" in notes
    assert not re.search("zero,? (and )?alike", notes)


def test_words_go_along_to_pages_with_a_plane_and_whole_again_behind_one_that_has_each_once():
    visit = typed("embeddings")
    for name in ("similarity", "queries_keys", "position", "softmax", "values"):
        visit.go(PATHS[name])
        assert visit.values["example"] == "own", name
        assert visit.values["words"] == (tuple(dict.fromkeys(WORDS)) if name == "similarity" else WORDS), name
        assert not visit.at.warning, name
        assert {"placed for you", "by hand and placed"} & {*visit.badges}, name
        assert LessonView(PATHS[name], **visit.link).values["words"] == visit.values["words"], name
    visit.type_words("mum buys milk").go(PATHS["embeddings"])
    assert visit.values["words"] == ("mum", "buys", "milk"), "the newest words are followed"


def test_a_page_of_features_keeps_its_example_and_says_so_and_the_words_go_on():
    visit = typed("embeddings")
    for name in BY_FEATURES:
        visit.go(PATHS[name])
        assert visit.values["example"] != "own", name
        assert f"Your words *{SENTENCE}* can’t be used here" in as_shown(visit.text), name
        visit.go(PATHS["values"])
        assert visit.values["words"] == WORDS, name


@pytest.mark.parametrize("sentence", ["my dog chased the cat", "moon", "moon moon", "cold old tea"])
def test_no_page_fails_with_words_that_come_along(sentence):
    """Each page is the first that the words come to."""
    for name, path in PATHS.items():
        if name != "queries_keys":
            assert typed("queries_keys", sentence).go(path).stage


def test_what_was_moved_or_moved_back_goes_along_on_the_same_axes():
    visit = typed("embeddings", "zorp apple")
    begun = visit.stage["pose"]["vectors"]
    vectors = move_zorp(visit)
    visit.go(PATHS["queries_keys"])
    place = list(visit.stage["constants"]["table"]).index("zorp")
    np.testing.assert_array_equal(visit.stage["pose"]["vectors"][place], [4.0, 1.0])
    assert "yours" in visit.badges
    assert visit.go(PATHS["embeddings"]).stage["pose"]["vectors"] == vectors
    visit.drag(vectors=begun).go(PATHS["values"]).go(PATHS["embeddings"])
    assert visit.stage["pose"]["vectors"] == begun


@pytest.mark.parametrize(("name", "field"), [("queries_keys", "sentence"), ("similarity", "editor")])
def test_a_word_that_comes_back_gets_its_place_back(name, field):
    visit = Visit(PATHS[name], inside=True, example="es_banco_prestamo")

    def places():
        words = visit.stage["constants"].get("table", visit.values["words"])
        found = dict(zip(words, map(tuple, visit.values["vectors"]), strict=True))
        return {word: found[word] for word in visit.values["words"]}

    def typed_places(*words):
        at = visit.open_editor().at
        widget = at.text_area if field == "editor" else at.text_input
        widget(key=f"{name}.{field}").set_value(("\n" if field == "editor" else " ").join(words))
        visit.run()
        return places()

    begun = places()
    typed_places("zorp", "banco,", "parque")
    again = typed_places("banco", "parque", "blick", "pre\u0301stamo")
    assert again["préstamo"] == begun["préstamo"]
    assert len({*again.values()}) == 4


def test_a_page_of_features_refuses_a_line_without_features():
    visit = Visit(PATHS["self_attention"], inside=True).open_editor()
    lines = visit.at.text_area(key="self_attention.editor")
    lines.set_value(f"{lines.value}\nzorp")
    assert "doesn’t belong here" in as_shown(visit.run().at.error[0].value)


def test_a_page_of_features_says_what_it_accepts_before_one_types():
    for name in [*BY_FEATURES, "queries_keys"]:
        example = {"example": "fluffy_blue_creature"} if name == "queries_keys" else {}
        visit = Visit(PATHS[name], **example).open_editor()
        lines = as_shown(visit.text).splitlines()
        (line,) = (line for line in lines if "Every word on this page needs features" in line)
        assert all(word in line for word in visit.stage["constants"]["table"][:3]), name


def test_unknown_words_among_features_are_refused_and_still_there_when_their_field_is_shown_again():
    visit = typed("queries_keys", "a zorp creature", example="fluffy_blue_creature")
    wrong = visit.at.error[0].value
    assert "zorp" in as_shown(wrong)
    assert visit.values["example"] == "fluffy_blue_creature"
    for opened in (False, False, True):
        visit.at.session_state["queries_keys.change_open"] = opened
        visit.run()
    assert visit.at.text_input(key="queries_keys.sentence").value == "a zorp creature"
    assert visit.at.error[0].value == wrong


@pytest.mark.parametrize("field", ["editor", "sentence"])
def test_text_that_arrives_together_with_another_example_changes_no_other_words(field):
    visit = typed("softmax", "😀 apple")
    at = visit.at
    (at.text_area if field == "editor" else at.text_input)(key=f"softmax.{field}").set_value("apple 1 2 3")
    at.selectbox(key="softmax.example").select("an_apple_phone")
    visit.run()
    assert visit.values["example"] in ("an_apple_phone", "own")
    assert len(visit.values["vectors"]) == len(set(visit.values["words"]))
