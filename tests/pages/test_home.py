"""Home: three words and a row of weights, the whole path on one small sentence, the ways to the other pages."""

import re
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest

from attention_core import AttentionHead, load_example
from attention_lab import course
from attention_lab import text as prose
from attention_lab.export.cards import PICTURES
from attention_lab.html_file.html_text import inline
from lab import ROOT
from tests.visit import EVERY, PAGES, PATHS, LessonView, Visit, at, payloads

HOME = PAGES[0]
TEXT = prose.read("home")
EXAMPLE = load_example("one_head")
APPLE, PHONE = EXAMPLE.words.index("apple"), EXAMPLE.words.index("phone")
PAGE_LINKS = course.page_links(ROOT / "pages")
LINKS = [(link, settings) for link in PAGE_LINKS for _, settings in link.settings]
TURNED_AWAY, EVEN = [[0, -1], [2, 2], [-4, 0]], [[0, -1], [0, 0], [4, 0]]


def attended(vectors):
    return AttentionHead(EXAMPLE.W_query, EXAMPLE.W_key, EXAMPLE.W_value).attend(np.array(vectors))


def stations(view):
    """The stops of the path by name."""
    _, (path,) = view.first("by_choice")["choices"]  # shown once the switch is on
    return {station["name"]: station for group in path["groups"] for station in group}


@pytest.mark.parametrize("vectors", [EXAMPLE.embeddings.tolist(), [[0, -1], [2, 2], [-2.47, 2.59]]])
def test_stage_and_tables_show_the_numbers_of_the_head(vectors):
    view, made = LessonView(HOME).drag(vectors=vectors), attended(vectors)
    for name in ("query", "key", "value"):
        np.testing.assert_array_equal(view.scope[name], getattr(made, name))
    for name in ("scores", "weights", "context"):
        np.testing.assert_allclose(getattr(view.scope["trace"], name), getattr(made, name), rtol=1e-14)
    np.testing.assert_allclose(view.tables["weights"].to_numpy(), made.weights, rtol=1e-14)
    np.testing.assert_allclose(view.tables["context vector"].to_numpy(), made.context, rtol=1e-14)
    np.testing.assert_array_equal(view.tables["W_query"], EXAMPLE.W_query)


def test_a_link_opens_every_step_and_reset_closes_it():
    visit = Visit(HOME, every_step="1")
    assert visit.link == {"every_step": "1"}
    assert visit.stage["title"] == TEXT["figure_steps"]
    assert visit.drag(every_step=0).link == {}
    assert visit.stage["title"] == TEXT["figure"]
    visit.drag(every_step=1, vectors=TURNED_AWAY)
    assert visit.badges == ["yours"]
    assert visit.link == {"every_step": "1", "vectors": "0_-1__2_2__-4_0"}
    assert visit.press("reset").stage["pose"]["every_step"] == 0
    assert visit.badges == ["by hand"]
    assert visit.link == {}


def test_the_first_move_lowers_the_weight_that_it_says():
    said = "Drag *phone*, the ringed dot, to the left. *apple* attends to it less and less."
    assert said in TEXT["first"]
    assert LessonView(HOME).stage["first"] == "phone"
    row = [attended([[0, -1], [2, 2], [x, 0]]).weights[APPLE, PHONE] for x in np.linspace(4, -5, 19)]
    assert all(np.diff(row) < 0)
    for word, section in (("apple", "first"), ("an", "first_other"), ("phone", "first_other")):
        first = LessonView(HOME, word=word).first("goals")["first"]
        said = "".join(piece if isinstance(piece, str) else piece["em"] for piece in first)
        assert said == TEXT.plain(section), "of apple only while its weights are shown"


def test_both_goals_can_be_met_and_say_their_numbers_now_and_why():
    for name, vectors, columns in (("turn_away", TURNED_AWAY, [PHONE]), ("even", EVEN, [0, 1, 2])):
        view = LessonView(HOME, goal=name)
        assert view.reached == []
        for _ in range(2):
            goal = view.goals[name]
            numbers = [piece for piece in goal["live"] if isinstance(piece, dict) and "of" in piece]
            row = attended(view.values["vectors"]).weights[APPLE]
            np.testing.assert_allclose([at(view.scope, piece["of"]) for piece in numbers], row[columns])
            assert {piece["form"] for piece in numbers} == {"share"}
            (why,) = goal["why"]
            told = [piece["of"] for piece in why["text"] if isinstance(piece, dict) and "of" in piece]
            assert all(np.isfinite(at(view.scope, path)) for path in told)
            view.drag(vectors=vectors)
        assert view.reached == [name]


# The ways to the other pages --------------------------------------------------------------------------------


def test_a_station_links_to_its_page_and_says_its_sentence():
    stops = stations(LessonView(HOME))
    for station in stops.values():
        if page := station.get("page_link"):
            assert station["promise"] == prose.read(page)["promise"]
    pages = {"embeddings": "embeddings", "scores": "similarity", "weights": "softmax", "queries": "queries_keys"}
    assert {name: stops[name].get("page_link") for name in pages} == pages
    assert "page_link" not in stops["sentence"]


def test_every_page_stands_on_home_with_links_to_copy_and_the_command_for_a_class():
    visit = Visit(HOME, inside=True)
    (shown,) = (told["html"] for told in payloads(visit.at) if "html" in told)
    for link in PAGE_LINKS:
        (card,) = re.findall(rf'<a href="{link.page}" data-page="{link.page}">.*?</a>', shown, re.DOTALL)
        for said in (link.title, inline(link.text["question"]), f"{link.minutes} minutes", "<svg"):
            assert said in card
        assert link.section in shown
    assert [*re.findall('data-page="(.*?)"', shown)] == [course.address(path) for path in EVERY if path != HOME]
    assert "`python3 lab.py serve --address 0.0.0.0`" in visit.text
    assert not visit.at.code
    copied = [urlsplit(code.value) for code in visit.unfold("links").at.code]
    assert [(link.path, dict(parse_qsl(link.query))) for link in copied] == [(d.page, s) for d, s in LINKS]
    assert "{" not in visit.text


def test_every_page_of_the_course_has_a_picture_of_one_size_in_the_colours_of_the_text():
    pictures = {path.stem: ElementTree.parse(path).getroot() for path in PICTURES.glob("*.svg")}
    assert pictures.keys() == {course.address(path) for path in EVERY if path != HOME}
    for name, picture in pictures.items():
        assert picture.get("viewBox") == "0 0 160 90", name
        assert picture.get("stroke") == "currentColor", name
        own = [element.attrib for element in picture.iter() if element is not picture]
        assert not any({"stroke", "fill", "stroke-width", "style", "id"} & each.keys() for each in own), name


def test_a_link_opens_its_page_with_that_goal_and_a_guess_first():
    for link, settings in LINKS:
        view = LessonView(PATHS[link.page], **settings)
        assert not view.notices
        assert view.values["goal"] == settings["goal"]
        assert view.view.results_hidden


def test_home_passes_on_the_example_that_was_chosen_and_none_that_nobody_chose():
    visit = Visit(PATHS["similarity"], inside=True)
    visit.at.session_state["similarity.example"] = "orange_apple_phone_and_an"
    visit.run().go(HOME)
    assert visit.at.session_state["selection"]["example"] == "orange_apple_phone_and_an"
    assert tuple(visit.stage["constants"]["words"]) == EXAMPLE.words
    visit = Visit(PATHS["queries_keys"], inside=True).go(PATHS["values"])
    assert visit.values["example"] == "one_head"
