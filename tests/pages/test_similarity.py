"""The similarity page: its goals, the reader's own words, what is undefined."""

import json

import numpy as np

from attention_core import load_example, load_language_model
from attention_lab.state import permalink
from tests.visit import LESSONS, NAMES, LessonView, Visit

PATH = LESSONS[NAMES.index("similarity")]
EXAMPLES = ("orange_apple_phone", "orange_apple_phone_and_an")
MOVED = [[1, 3], [2, 2], [4, 0]]


def test_goals_ask_for_what_lies_on_the_plane_in_words_that_do_not_change():
    """Their sentences state numbers of the first arrows, also after one of them was turned."""
    for example in EXAMPLES:
        visit = LessonView(PATH, example=permalink.escape(example))
        text, pose = visit.first("goals")["goals"][1]["text"], visit.stage["pose"]
        vectors, pair = np.array(pose["vectors"]), [pose["word"], pose["other"]]
        low, high = np.array(visit.first("plane")["ranges"]).T
        for place in pair:
            arrow = vectors[place, : len(high)]
            vectors[place] *= min(max(low[k] / x, high[k] / x) for k, x in enumerate(arrow) if x)
        assert "twice" in visit.drag(vectors=vectors.tolist()).reached
        turned = np.array(pose["vectors"])
        turned[pair[1], :2] = [-turned[pair[0], 1], turned[pair[0], 0]]
        assert visit.drag(vectors=turned.tolist()).first("goals")["goals"][1]["text"] == text


def test_goals_need_two_different_words():
    for address in (
        {"example": "own", "words": "foo.bar.baz", "word": "foo", "other": "foo"},
        {"other": "apple"},
    ):
        goals = LessonView(PATH, **address).first("goals")
        assert not goals["goals"]
        assert "Choose two different words" in goals["none"]
    visit = Visit(PATH)
    for word, other in (("phone", "apple"), ("orange", "apple")):
        visit.choose(word=word)
        assert (visit.values["word"], visit.values["other"]) == (word, other), "equal words change places"
        assert visit.first("goals")["goals"]


def test_vector_of_length_zero_has_an_undefined_cosine():
    visit = Visit(PATH, vectors="0_0__2_2__4_0", measure="cosine", word="orange").open_drawer("table")
    assert np.isnan(visit.scope["cosine"][0]).all()
    assert "opposites" not in visit.reached
    table = visit.at.table[2].value.to_string()
    assert "undefined" in table
    assert "nan" not in table


def test_words_can_be_added_renamed_and_removed():
    visit = Visit(PATH).type_lines("pear 1 2\nphone 4 0")
    assert visit.values["words"] == ("pear", "phone")
    assert visit.values["example"] == "own"
    assert set(visit.badges) == {"yours"}
    np.testing.assert_array_equal(visit.scope["dot"], [[5, 4], [4, 16]])
    assert LessonView(PATH, **visit.link).stage["pose"] == visit.stage["pose"]
    assert visit.choose(example=EXAMPLES[1]).values["words"] == load_example(EXAMPLES[1]).words
    assert set(visit.badges) == {"by hand"}
    visit.type_lines("pear 1 2 3\nphone 4 0 0")
    again = LessonView(PATH, **visit.link)
    assert again.stage["pose"] == visit.stage["pose"]
    assert again.values["vectors"].shape == (2, 3)
    assert visit.choose(example=EXAMPLES[0]).link == {}


def test_a_refused_word_is_shown_as_the_text_it_is():
    visit = Visit(PATH).type_lines("<b>$x$*y*`z` 1")
    assert "\\<b\\>\\$x\\$\\*y\\*\\`z\\`" in visit.at.error[0].value


def test_refusal_says_the_limit_and_keeps_what_was_there():
    visit = Visit(PATH).nudge()
    before, link = visit.stage, visit.link
    for text, limit in (("", "1 to 16 words"), ("apple nan 1", "from −1000 to 1000")):
        visit.type_lines(text)
        [error] = visit.at.error
        assert limit in error.value.replace("\\", "")
        assert "\n" not in error.value
        assert "The previous values are unchanged." in error.value
        assert visit.at.text_area[0].value == text, "the typed text stays for correction"
        assert (visit.stage["pose"], visit.stage["constants"]) == (before["pose"], before["constants"])
        assert visit.link == link
    visit.type_lines("apple 1 1\nfig 2 2")
    assert not visit.at.error


def test_three_axes_are_shown_two_at_a_time():
    plane = LessonView(PATH, example=permalink.escape(EXAMPLES[1]), axes="2-3").first("plane")
    assert (plane["axes"], plane["columns"]) == (["fruit", "grammar"], [1, 2])
    assert LessonView(PATH, axes="2-3").notices


# Events that meet in one run ---------------------------------------------------------------------------


def test_a_reset_in_the_same_run_as_a_drag_came_after_it():
    visit = Visit(PATH)
    visit.at.button(key="similarity.reset").click()
    visit.send({"move": {"vectors": MOVED}}).run()
    assert set(visit.badges) == {"by hand"}
    assert visit.stage["version"] == 1, "the browser need not send it again"
    assert visit.link == {}


def test_the_url_of_an_open_page_is_neither_read_nor_written():
    visit = Visit(PATH, vectors="0_1__2_2__2_2")
    visit.press("reset")
    for address in ({"vectors": "0_1__2_2__2_2"}, {"word": "phone"}, {}):
        visit.at.query_params = address
        assert set(visit.run().badges) == {"by hand"}
        assert visit.link == {}
        assert visit.at.query_params == address


def test_a_link_followed_on_an_open_page_is_read_as_a_whole():
    visit = Visit(PATH, measure="cosine").nudge()
    visit.send({"link": f"?example={permalink.escape(EXAMPLES[1])}"}).run()
    assert visit.values["words"] == load_example(EXAMPLES[1]).words
    assert visit.values["measure"] == "dot"


def test_learned_words_of_one_kind_point_alike():
    page, learned = LessonView(PATH, example="learned_5f_colours"), load_example("learned_colours")
    cosine = page.scope["cosine"]
    alike = [cosine[a, b] for half in (range(3), range(3, 6)) for a in half for b in half if a < b]
    assert cosine[:3, 3:].max() < 0.01 < 0.4 < np.mean(alike), "colours on one side, textures on the other"
    model = load_language_model()
    vectors = model.embeddings[model.places(learned.words)]
    spread = np.linalg.svd(vectors - vectors.mean(0), compute_uv=False) ** 2
    assert f"account for {100 * spread[:2].sum() / spread.sum():.1f}% of the variance" in json.dumps(page.stage)
    own = LessonView(PATH, example="own", words="black.white.furry.shiny")
    for each in (page, own):
        assert set(each.stage["provenance"].values()) == {"learned"}
    assert own.scope["cosine"][0, 1] > own.scope["cosine"][0, 2]
