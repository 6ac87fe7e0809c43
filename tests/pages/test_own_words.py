"""Words of one's own: placed so that nothing looks meant, and taken along from page to page."""

import re

import numpy as np
import pytest

from attention_lab import text as prose
from tests.visit import LESSONS, NAMES, Visit, as_shown

PATHS = dict(zip(NAMES, LESSONS, strict=True))
SENTENCE = "a zorp saw a blick"
ON_PLANES = ["similarity", "softmax", "queries_keys", "values", "position"]
BY_FEATURES = ["self_attention", "masking", "multi_head", "cross_attention"]


def typed(name, sentence=SENTENCE):
    visit = Visit(PATHS[name], inside=True)
    visit.open_editor().at.text_input(key=f"{name}.sentence").set_value(sentence)
    return visit.run()


def words_told(visit):
    return as_shown(visit.text)


def test_placed_words_weigh_alike_and_say_where_they_come_from():
    visit = typed("embeddings", "zorp blick")
    weights = visit.scope["trace"].weights
    assert weights.max() / weights.min() < 2.5, "nobody has said that they have to do with one another"
    assert set(visit.badges) == {"placed for you"}
    assert "zorp, blick" in words_told(visit)
    assert "start near zero" in words_told(visit)
    table = visit.stage["constants"]["table"]
    vectors = visit.stage["pose"]["vectors"]
    vectors[table.index("zorp")] = [4.0, 1.0]
    visit.drag(vectors=vectors)
    assert set(visit.badges) == {"yours"}
    assert "start near zero" not in words_told(visit)


def test_a_badge_says_by_hand_too_where_an_examples_word_or_matrix_is_among_placed_words():
    """In "cat dog phone" the vector of phone is the example's, and so are the matrices beside placed words."""
    assert set(Visit(PATHS["embeddings"], example="own", words="cat.dog.cat.phone").badges) == {
        "by hand and placed"
    }
    alone = Visit(PATHS["queries_keys"], example="own", words="foo.bar.baz").stage["provenance"]
    assert alone["vectors"] == "placed for you"
    assert {badge for of, badge in alone.items() if "W_query" in of.split()} == {"by hand and placed"}
    moved = Visit(PATHS["queries_keys"], example="own", words="foo.bar.baz", W_query="1_1__0_1").stage[
        "provenance"
    ]
    assert {badge for of, badge in moved.items() if "W_query" in of.split()} == {"yours"}


def test_what_is_said_of_placed_words_is_true_of_words_that_point_apart():
    visit = Visit(PATHS["similarity"], example="own", words="foo.bar.baz")
    assert visit.scope["cosine"].min() < -0.5
    notes = words_told(visit) + "".join(prose.say(f"badges/{badge}") for badge in visit.badges)
    assert "near zero" in notes
    assert not re.search("zero,? (and )?alike", notes)


def test_another_word_leaves_those_that_nobody_moved_placed():
    visit = typed("embeddings", "zorp blick")
    visit.open_editor().at.text_input(key="embeddings.sentence").set_value("new word zorp blick")
    visit.run()
    assert set(visit.badges) <= {"placed for you", "by hand and placed"}
    assert "vectors" not in visit.link


@pytest.mark.parametrize("name", ON_PLANES)
def test_words_of_ones_own_go_along_to_a_page_with_a_plane(name):
    visit = typed("embeddings").go(PATHS[name])
    assert visit.values["example"] == "own"
    once = tuple(dict.fromkeys(SENTENCE.split()))
    assert visit.values["words"] == (once if name == "similarity" else tuple(SENTENCE.split()))
    assert not visit.at.warning
    assert {"placed for you", "by hand and placed"} & {*visit.badges}
    assert Visit(PATHS[name], **visit.link).values["words"] == visit.values["words"]


@pytest.mark.parametrize("sentence", ["my dog chased the cat", "moon", "moon moon", "cold old tea"])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "queries_keys"])
def test_no_page_fails_with_words_that_come_along(name, sentence):
    assert typed("queries_keys", sentence).go(PATHS[name]).stage


def test_a_sentence_is_whole_again_behind_a_page_that_has_each_word_once():
    visit = typed("embeddings").go(PATHS["similarity"]).go(PATHS["values"])
    assert visit.values["words"] == tuple(SENTENCE.split())


def test_what_was_moved_goes_along_on_the_same_axes():
    visit = typed("embeddings", "zorp apple")
    table, vectors = visit.stage["constants"]["table"], visit.stage["pose"]["vectors"]
    vectors[table.index("zorp")] = [4.0, 1.0]
    visit.drag(vectors=vectors).go(PATHS["queries_keys"])
    place = list(visit.stage["constants"]["table"]).index("zorp")
    np.testing.assert_array_equal(visit.stage["pose"]["vectors"][place], [4.0, 1.0])
    assert "yours" in visit.badges


def test_what_was_moved_back_stays_there():
    visit = typed("embeddings", "zorp apple")
    table, vectors = visit.stage["constants"]["table"], visit.stage["pose"]["vectors"]
    begun = [list(row) for row in vectors]
    vectors[table.index("zorp")] = [4.0, 1.0]
    visit.drag(vectors=vectors).go(PATHS["queries_keys"]).go(PATHS["embeddings"])
    assert visit.stage["pose"]["vectors"] == vectors
    visit.drag(vectors=begun).go(PATHS["values"]).go(PATHS["embeddings"])
    assert visit.stage["pose"]["vectors"] == begun


def test_the_newest_words_are_followed():
    visit = typed("embeddings").go(PATHS["values"])
    visit.open_editor().at.text_input(key="values.sentence").set_value("mum buys milk")
    visit.run().go(PATHS["embeddings"])
    assert visit.values["words"] == ("mum", "buys", "milk")


@pytest.mark.parametrize("name", BY_FEATURES)
def test_a_page_of_features_keeps_its_example_and_says_so_and_the_words_go_on(name):
    visit = typed("embeddings").go(PATHS[name])
    assert visit.values["example"] != "own"
    assert f"Your words *{SENTENCE}* can’t be used here" in words_told(visit)
    visit.go(PATHS["values"])
    assert visit.values["words"] == tuple(SENTENCE.split())


@pytest.mark.parametrize("name", [*BY_FEATURES, "queries_keys"])
def test_a_page_of_features_says_what_it_accepts_before_one_types(name):
    example = {"example": "fluffy_blue_creature"} if name == "queries_keys" else {}
    visit = Visit(PATHS[name], **example).open_editor()
    known = visit.stage["constants"]["table"][:3]
    line = next(
        line for line in words_told(visit).splitlines() if "Every word on this page needs features" in line
    )
    for word in known:
        assert word in line


def test_unknown_words_among_features_are_refused_until_they_have_some():
    visit = Visit(PATHS["queries_keys"], example="fluffy_blue_creature")
    visit.open_editor().at.text_input(key="queries_keys.sentence").set_value("a zorp creature")
    visit.run()
    assert "zorp" in as_shown(visit.at.error[0].value)
    assert visit.values["example"] == "fluffy_blue_creature"


@pytest.mark.parametrize("field", ["editor", "sentence"])
def test_text_that_arrives_together_with_another_example_changes_no_other_words(field):
    visit = typed("softmax", "😀 apple")
    at = visit.at
    (at.text_area if field == "editor" else at.text_input)(key=f"softmax.{field}").set_value("apple 1 2 3")
    at.selectbox(key="softmax.example").select("an_apple_phone")
    visit.run()
    assert visit.values["example"] in ("an_apple_phone", "own")
    assert len(visit.values["vectors"]) == len(set(visit.values["words"]))


def test_what_was_refused_is_still_there_when_its_field_is_shown_again():
    visit = typed("self_attention", "zorp")
    wrong = visit.at.error[0].value
    for opened in (False, False, True):
        visit.at.session_state["self_attention.words_open"] = opened
        visit.run()
    assert visit.at.text_input(key="self_attention.sentence").value == "zorp"
    assert visit.at.error[0].value == wrong
