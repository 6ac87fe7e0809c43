"""A teacher's link: what it hides, what it asks, and how it is made."""

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from attention_lab import text as prose
from attention_lab.state.shared_fields import LONGEST_QUESTION, QUESTION, ROW, SIDEBAR
from attention_lab.text import say
from attention_lab.text.as_text import as_text
from attention_lab.widgets import frame
from tests.visit import HOSTILE, PAGES, Visit, as_shown

PATHS = {path.stem.lstrip("0123456789_"): path for path in PAGES}
SIMILARITY = PATHS["similarity"]
OWN = "Which word wins?"


def tools_of(visit):
    """The labels of all that can be chosen or pressed outside the stage."""
    found = [visit.at.selectbox, visit.at.button, visit.at.toggle, visit.at.button_group, visit.at.expander]
    return [each.label for kind in found for each in kind] + popovers(visit.at.main)


def popovers(block):
    here = [block.proto.popover.label] if block.type == "popover" else []
    return here + [label for child in getattr(block, "children", {}).values() for label in popovers(child)]


# On which page each tool is found, and how it is labelled there.
WHERE = {
    "examples": ("similarity", say("examples")),
    "word": ("similarity", say("word_of_interest")),
    "words": ("similarity", say("words")),
    "matrices": ("values", say("matrices")),
    "scores": ("softmax", say("scores")),
    "settings": ("cross_attention", prose.read("cross_attention")["settings/model"]),
    "take_away": ("similarity", say("take_away")),
    "reset": ("similarity", say("reset")),
    "notes": ("similarity", say("notes")),
    "orientation": ("similarity", say("sidebar/orientation")),
    "predict": ("similarity", say("sidebar/predict")),
    "present": ("similarity", say("sidebar/present")),
    "glossary": ("similarity", say("sidebar/glossary")),
    "reset_all": ("similarity", say("sidebar/reset_all")),
    "room": ("similarity", prose.read("classroom")["door/title"]),
}


@pytest.mark.parametrize("name", WHERE)
def test_a_link_hides_the_tools_that_it_names(name):
    page, label = WHERE[name]
    shown, hidden = Visit(PATHS[page], inside=True), Visit(PATHS[page], inside=True, hide=name)
    assert label in tools_of(shown)
    assert label not in tools_of(hidden)
    assert not hidden.at.warning
    assert hidden.stage["pose"] == shown.stage["pose"]


def test_every_tool_that_can_be_hidden_is_known_here():
    assert {*WHERE, "menu"} == {*ROW, *SIDEBAR} == set(prose.read("controls").parts("tools"))


def test_without_the_menu_the_ways_to_other_pages_are_hidden():
    css = "stSidebarNav"
    assert any(css in html.proto.body for html in Visit(SIMILARITY, inside=True, hide="menu").at.get("html"))
    assert not any(css in html.proto.body for html in Visit(SIMILARITY, inside=True).at.get("html"))


def test_what_is_hidden_stays_so_on_the_next_page_and_in_the_address():
    visit = Visit(SIMILARITY, inside=True, hide="word.take_away")
    visit.go(PATHS["softmax"])
    assert not {say("take_away"), say("word_of_interest")} & set(tools_of(visit))
    assert visit.link["hide"] in ("word.take_away", ["word.take_away"])


def test_a_tool_that_there_is_not_is_said():
    visit = Visit(SIMILARITY, hide="word.hammer")
    assert "hide: “hammer” isn’t one of the options. Use one of these: examples," in as_shown(
        visit.at.warning[0].value
    )
    assert say("word_of_interest") in tools_of(visit)


def test_all_hidden_every_page_still_runs():
    for path in PAGES:
        visit = Visit(path, inside=True, hide=".".join((*ROW, *SIDEBAR)))
        assert not visit.at.warning
        assert visit.stage["page"] == visit.name
        assert is_without_sidebar(visit), "nor is it there, empty"
    assert not is_without_sidebar(Visit(SIMILARITY, inside=True, hide=".".join((*ROW, *SIDEBAR[1:]))))


def is_without_sidebar(visit):
    style = (Path(frame.__file__).parent / "without_sidebar.css").read_text(encoding="utf-8")
    return any(style.strip() in html.proto.body for html in visit.at.get("html"))


# The teacher's own question --------------------------------------------------------------------------------


def asking(text, path=SIMILARITY, **more):
    return Visit(path, predict="1", question=QUESTION.write(text), **more)


def test_a_question_of_ones_own_stands_in_place_of_the_pages():
    visit = asking(OWN)
    assert f"**Predict first.** {OWN}" in as_shown(visit.text)
    assert "largest dot product with" not in visit.text
    visit.at.button(key="similarity.guess.0").click()
    visit.run()
    said = as_shown(visit.text)
    assert f"“{OWN}” You predicted “**orange**”. Check it in the figure." in said
    assert (
        "The page’s own question: Which other word has the largest dot product with *apple*? "
        "The answer is “**phone**”." in said
    )
    assert "That is correct" not in said, "nobody here knows what is right of it"
    assert not visit.stage["veil"]


def test_revealed_it_says_only_what_the_page_knows():
    visit = asking(OWN)
    visit.at.button(key="similarity.reveal").click()
    visit.run()
    assert "You predicted" not in visit.text
    assert "The page’s own question:" in visit.text


def test_a_second_guess_of_the_page_is_its_own():
    visit = asking(OWN, PATHS["masking"])
    visit.at.button(key="masking.guess.0").click()
    visit.run()
    asked = [line for line in visit.text.splitlines() if line.startswith("**Predict first.**")]
    assert asked == [f"**Predict first.** {prose.read('masking').filled('predict/row_sum')}"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_question_is_shown_as_the_text_it_is(text):
    visit = asking(text)
    assert f"**Predict first.** {as_text(text)}" in visit.text
    assert f"**Predict first.** {text}".replace("\\", "") in as_shown(visit.text)


def test_it_goes_to_no_other_page_and_reset_lets_it_stand():
    visit = Visit(SIMILARITY, inside=True, predict="1", question=QUESTION.write(OWN)).nudge()
    assert dict(visit.link)["question"] in (QUESTION.write(OWN), [QUESTION.write(OWN)])
    visit.at.button(key="similarity.reset").click()
    visit.run()
    assert OWN in as_shown(visit.text)
    visit.go(PATHS["softmax"])
    assert OWN not in as_shown(visit.text)
    assert "question" not in visit.link


@pytest.mark.parametrize("given", ["_0_", "x" * (LONGEST_QUESTION + 1), "a--b_zz_", "_110000_"])
def test_a_question_that_cannot_be_shown_is_said(given):
    visit = Visit(SIMILARITY, predict="1", question=given)
    assert "question: " in as_shown(visit.at.warning[0].value)
    assert "largest dot product with" in visit.text


@pytest.mark.parametrize("text", ["", "a", OWN, "größer? 🍎", "a-b _c_ . d", "x" * LONGEST_QUESTION])
def test_a_question_comes_back_from_the_address_as_it_was(text):
    written = QUESTION.write(text)
    assert set(written) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
    assert QUESTION.read(written, {}) == text


# The link for a class --------------------------------------------------------------------------------------


def linked(visit):
    """Where the link leads that is made in the drawer."""
    (part,) = [part for column in visit.stages[f"{visit.name}.link"]["columns"] for part in column["parts"]]
    link = urlsplit(part["path"])
    return link.path, dict(parse_qsl(link.query))


def choose(visit, **chosen):
    for name, value in chosen.items():
        visit.at.session_state[f"{visit.name}.link.{name}"] = value
    return visit.run()


def test_a_link_holds_the_page_as_it_stands_and_what_is_chosen():
    visit = Visit(SIMILARITY, measure="cosine", room="blue-fox", goal="twice").open_drawer()
    assert linked(visit) == ("similarity", {"measure": "cosine"})
    choose(visit, goal="opposites", guess=True, question=f" {OWN} ", present=True, hide=["menu", "words"])
    _, made = linked(visit)
    assert made == {
        "measure": "cosine",
        "goal": "opposites",
        "predict": "1",
        "question": QUESTION.write(OWN),
        "present": "1",
        "hide": "words.menu",
    }
    student = Visit(SIMILARITY, **made)
    assert not student.at.warning
    assert OWN in as_shown(student.text)
    assert student.values["goal"] == "opposites"


def test_a_goal_that_belongs_to_an_example_brings_it():
    visit = choose(Visit(PATHS["values"], word="an").open_drawer(), goal="one_fifth")
    assert linked(visit) == ("values", {"example": "money_bank", "goal": "one_fifth"})
    assert not Visit(PATHS["values"], **linked(visit)[1]).at.warning


def test_the_link_is_there_while_a_guess_hides_the_rest_and_on_home():
    visit = Visit(PAGES[0], predict="1").open_drawer()
    choose(visit, goal="even")
    assert linked(visit) == ("./", {"goal": "even"})


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_page_offers_its_goals(path):
    visit = Visit(path).open_drawer()
    goals = visit.at.selectbox(key=f"{visit.name}.link.goal").options
    assert len(goals) == 1 + len([name for name in prose.read(visit.name).parts("goals") if "/" not in name])
