"""Home: three words and a row of weights, the whole path on one small sentence, the ways to the other pages."""

import json
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core import AttentionHead, load_example
from attention_lab import course
from attention_lab import text as prose
from attention_lab.state import permalink
from lab import ROOT
from tests.pages.test_every_page import addresses, execute, printed_numbers
from tests.visit import LESSONS, PAGES, Visit, at, fields_of, title_of

HOME = PAGES[0]
EXAMPLE = load_example("one_head")
PAGE_LINKS = course.page_links(ROOT / "pages")
LINKS = [(link, settings) for link in PAGE_LINKS for _, settings in link.settings]


def attended(vectors):
    return AttentionHead(EXAMPLE.W_query, EXAMPLE.W_key, EXAMPLE.W_value).attend(np.array(vectors))


def first(visit, kind):
    """The first part of a kind."""
    return next(part for part in visit.parts if part["kind"] == kind)


def stations(visit):
    """The stops of the path by name."""
    _, steps = first(visit, "by_choice")["choices"]  # shown once the switch is on
    (path,) = steps
    return {station["name"]: station for group in path["groups"] for station in group}


def found(expected, made):
    """The numbers that an example expects, as they come out."""
    rows = {word: i for i, word in enumerate(EXAMPLE.words)}
    for name in expected:
        what, *words = name.split(" ")
        matrix = {"score": "scores", "weight": "weights"}.get(what, what)
        yield name, getattr(made, matrix)[tuple(rows[word] for word in words)]


def test_the_worked_numbers_are_those_of_the_head():
    visit = Visit(HOME)
    scope, made = visit.scope, attended(EXAMPLE.embeddings)
    for name, number in found(EXAMPLE.expected, made):
        np.testing.assert_allclose(number, EXAMPLE.expected[name], rtol=1e-12, atol=1e-15, err_msg=name)
    for name in ("query", "key", "value"):
        np.testing.assert_array_equal(scope[name], getattr(made, name))
    for name in ("scores", "weights", "context"):
        np.testing.assert_allclose(getattr(scope["trace"], name), getattr(made, name), rtol=1e-14)


def test_the_first_screen_has_a_plane_and_one_row_of_weights_and_nothing_else():
    visit = Visit(HOME)
    assert visit.values["every_step"] == "0"
    shown, below = (part for part in visit.parts if part["kind"] == "by_choice")
    assert {each["of"] for each in (shown, below, first(visit, "turn_on"))} == {"every_step"}
    (beside,), steps = shown["choices"]
    plane, weights = (part for column in beside["columns"] for part in column["parts"])
    assert (plane["kind"], [mark["kind"] for mark in plane["marks"]]) == ("plane", ["vectors"])
    assert plane["marks"][0]["handles"]
    assert weights["kind"] == "row_of_weights"
    assert (weights["focus"], weights["what"]) == ("word", "weight")
    assert [part["kind"] for part in steps] == ["path"]
    assert below["choices"][0] == []
    assert [part["kind"] for part in below["choices"][1]] == ["formula", "explanation", "remark"]


def test_a_link_opens_every_step_and_reset_closes_it():
    visit = Visit(HOME, every_step="1")
    assert visit.stage["pose"]["every_step"] == 1
    assert visit.link == {"every_step": "1"}
    assert visit.stage["title"] == prose.read("home")["figure_steps"]
    visit.drag(every_step=0)
    assert visit.link == {}
    assert visit.stage["title"] == prose.read("home")["figure"]
    visit.drag(every_step=1)
    visit.at.button(key="home.reset").click()
    visit.run()
    assert visit.stage["pose"]["every_step"] == 0


def test_the_first_move_lowers_the_weight_that_it_says():
    assert (
        "Drag *phone*, the ringed dot, to the left. *apple* attends to it less and less."
        in prose.read("home")["first"]
    )
    assert Visit(HOME).stage["first"] == "phone"
    row = []
    for x in np.linspace(4, -5, 19):
        weights = attended([[0, -1], [2, 2], [x, 0]]).weights
        row.append(weights[EXAMPLE.words.index("apple"), EXAMPLE.words.index("phone")])
    assert all(np.diff(row) < 0)


def test_the_first_move_speaks_of_apple_only_while_its_weights_are_shown():
    text = prose.read("home")
    for word, section in (("apple", "first"), ("an", "first_other"), ("phone", "first_other")):
        assert "".join(first(Visit(HOME, word=word), "goals")["first"]) == text.plain(section)


@pytest.mark.parametrize(
    ("goal", "vectors"),
    [("turn_away", [[0, -1], [2, 2], [-4, 0]]), ("even", [[0, -1], [0, 0], [4, 0]]), ("turn_away", None)],
)
def test_a_goal_says_its_numbers_now_and_why_it_is_met(goal, vectors):
    visit = Visit(HOME, goal=goal)
    if vectors:
        visit.drag(vectors=vectors)
    told = next(each for each in first(visit, "goals")["goals"] if each["name"] == goal)
    numbers = [piece for piece in told["live"] if not isinstance(piece, str)]
    found = [at(visit.scope, piece["of"]) for piece in numbers]
    row = attended(visit.values["vectors"]).weights[EXAMPLE.words.index("apple")]
    np.testing.assert_allclose(found, row if goal == "even" else row[[2]], rtol=1e-12)
    assert {piece["form"] for piece in numbers} == {"share"}
    (why,) = told["why"]
    assert all(isinstance(piece, str) or np.isfinite(at(visit.scope, piece["of"])) for piece in why["text"])


def test_no_score_is_the_same_in_both_directions():
    scores = attended(EXAMPLE.embeddings).scores
    assert all(scores[i, j] != scores[j, i] for i in range(3) for j in range(i))


def test_a_moved_word_moves_everything_after_it():
    vectors = EXAMPLE.embeddings.tolist()
    vectors[2] = [-2.47, 2.59]
    visit = Visit(HOME).drag(vectors=vectors)
    made = attended(vectors)
    np.testing.assert_allclose(visit.scope["trace"].context, made.context, rtol=1e-14)
    np.testing.assert_allclose(visit.tables["weights"].to_numpy(), made.weights, rtol=1e-14)
    assert visit.badges == ["yours"]
    assert visit.link == {"vectors": "0_-1__2_2__-2.47_2.59"}
    again = Visit(HOME, **visit.link)
    assert again.stage["pose"] == visit.stage["pose"]
    visit.at.button(key="home.reset").click()
    visit.run()
    assert visit.badges == ["by hand"]
    assert visit.link == {}


def test_a_station_links_to_its_page_only_where_that_exists():
    visit = Visit(HOME)
    pages = {link.page for link in PAGE_LINKS}
    for station in stations(visit).values():
        assert station.get("page_link") in pages | {None}
        promise = prose.read(station["page_link"])["promise"] if "page_link" in station else ""
        assert (station.get("promise") or "") == promise
    wanted = {"embeddings": "embeddings", "scores": "similarity", "weights": "softmax", "queries": "queries_keys"}
    for name, page in wanted.items():
        assert stations(visit)[name].get("page_link") == (page if page in pages else None)
    assert "page_link" not in stations(visit)["sentence"]


def test_a_page_that_does_not_exist_is_not_linked_and_promises_nothing(tmp_path):
    part = tmp_path / "pages" / "1_geometry"
    part.mkdir(parents=True)
    (part / "__init__.py").touch()
    (part / "2_similarity.py").touch()
    only = course.page_links(tmp_path / "pages")
    assert [(link.page, link.title, link.section, link.script) for link in only] == [
        ("similarity", "Similarity", "Part 1 · Meaning as geometry", str(part / "2_similarity.py"))
    ]


def test_a_visitor_finds_a_link_to_every_page(tmp_path):
    visit = Visit(HOME, inside=True)
    for page in LESSONS:
        assert title_of(page) in [link.proto.label.strip("*") for link in visit.at.get("page_link")]


def test_every_page_stands_on_home_with_its_question_and_minutes():
    text = Visit(HOME, inside=True).text
    for link in PAGE_LINKS:
        assert link.section in text
        assert link.text["question"] in text
        assert link.text["promise"] in text
        assert f"{link.minutes} minutes" in text


def test_the_hosting_line_names_the_command():
    text = Visit(HOME).text
    assert "`python3 lab.py serve --address 0.0.0.0`" in text


@pytest.mark.parametrize(("link", "address"), LINKS, ids=[f"{d.page}-{s['goal']}" for d, s in LINKS])
def test_a_link_opens_its_page_with_that_goal_and_a_guess_first(link, address):
    visit = Visit(ROOT / link.script, **address)
    assert not visit.at.warning
    assert visit.values["goal"] == address["goal"]
    assert visit.session.results_hidden


def test_the_links_stand_there_to_be_copied():
    visit = Visit(HOME, inside=True)
    assert not visit.at.code
    visit.at.session_state["home.links"] = True
    visit.run()
    copied = [urlsplit(code.value) for code in visit.at.code]
    assert [(link.path, dict(parse_qsl(link.query))) for link in copied] == [(d.page, s) for d, s in LINKS]
    assert "{" not in visit.text


def test_both_goals_can_be_met_and_neither_is_at_first():
    visit = Visit(HOME)
    assert visit.reached == []
    visit.drag(vectors=[[0, -1], [2, 2], [-4, 0]])
    assert visit.reached == ["turn_away"]
    visit.drag(vectors=[[0, -1], [0, 0], [4, 0]])
    assert visit.reached == ["even"]


def test_predict_first_waits_for_a_guess():
    visit = Visit(HOME, predict="1")
    assert visit.stage["veil"]
    assert "Besides itself, which word does *apple* attend to most?" in visit.text
    visit.at.button(key="home.guess.2").click()
    visit.run()
    assert not visit.stage["veil"]
    assert "You predicted “**phone**”. That is correct." in visit.text


def test_the_switch_turns_every_table():
    def turned(visit):
        parts = [part for station in stations(visit).values() for part in station["parts"]]
        return [part.get("turned", False) for part in parts if part["kind"] in {"coordinates", "heatmap"}]

    assert turned(Visit(HOME)) == [False] * 7
    assert turned(Visit(HOME, orientation="columns")) == [True] * 7


def test_the_programs_print_the_numbers_on_screen():
    visit = Visit(HOME).drag(vectors=[[0.5, -1], [2, 2.25], [-1e-3, 3]])
    made = attended(visit.values["vectors"])
    on_screen = [*made.query.ravel(), *made.key.ravel(), *made.value.ravel(), *made.scores.ravel()]
    on_screen += [*made.weights.ravel(), *made.context.ravel()]
    for program in visit.programs:
        printed = printed_numbers(execute(program))
        assert len(printed) == len(on_screen)
        np.testing.assert_allclose(sorted(printed), sorted(on_screen), rtol=1e-12, atol=1e-15)


def test_every_table_is_the_cores():
    tables = Visit(HOME).tables
    made = attended(EXAMPLE.embeddings)
    pd.testing.assert_frame_equal(
        tables["context vector"], pd.DataFrame(made.context, EXAMPLE.words, ["1", "2"]), check_index_type=False
    )
    np.testing.assert_array_equal(tables["W_query"], EXAMPLE.W_query)


def test_no_address_whatsoever_makes_home_raise():
    visit, fields = Visit(HOME), fields_of(HOME)

    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(addresses(HOME), st.booleans())
    def any_address(address, arriving):
        if arriving:
            visit.arrive(**address)
        else:
            visit.send({"link": "?" + urlencode(address, doseq=True)}).run()
        assert len(visit.at.warning) <= 1
        written = {name: [text] for name, text in permalink.write_address(fields, visit.values).items()}
        assert not permalink.read_address(fields, written)[1]

    any_address()


def test_home_passes_on_the_example_that_came():
    similarity = next(page for page in PAGES if page.stem == "2_similarity")
    visit = Visit(similarity, inside=True)
    visit.at.session_state["similarity.example"] = "orange_apple_phone_and_an"
    visit.run().go(HOME)
    assert (
        visit.at.session_state["selection"]["example"]
        == visit.at.session_state["pages"]["similarity"].state.values["example"]
    )
    assert json.loads(json.dumps(visit.stage["constants"]["words"])) == list(EXAMPLE.words)


def test_an_example_that_nobody_chose_is_not_passed_on():
    visit = Visit(next(page for page in PAGES if page.stem == "1_queries_keys"), inside=True)
    visit.go(next(page for page in PAGES if page.stem == "2_values"))
    assert visit.values["example"] == "one_head"
