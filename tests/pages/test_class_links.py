"""A teacher's link: what it hides, what it asks, and how it is made."""

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from attention_lab import text as prose
from attention_lab.state.shared_fields import LONGEST_QUESTION, QUESTION, ROW, SIDEBAR
from attention_lab.text import ui_text
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.widgets import app_shell, class_link
from tests.visit import EVERY, HOSTILE, PAGES, PATHS, LessonView, Visit, as_shown, on_every

SIMILARITY = PATHS["similarity"]
OWN = "Which word wins?"
EVERYTHING = ".".join((*ROW, *SIDEBAR))


def tools_of(visit):
    """The labels of all that can be chosen or pressed outside the stage."""
    at = visit.open_editor().at
    found = [at.selectbox, at.button, at.toggle, at.button_group, at.expander, at.tabs]
    return {each.label for kind in found for each in kind} | popovers(visit.at.main)


def popovers(block):
    here = {block.proto.popover.label} if block.type == "popover" else set()
    return here.union(*(popovers(child) for child in getattr(block, "children", {}).values()))


def html_of(visit):
    return "\n".join(html.proto.body for html in visit.at.get("html"))


# How each tool is labelled; it is on the page of similarity, where no other is named.
LABELS = {
    "examples": ui_text("examples"),
    "word": ui_text("word_of_interest"),
    "words": ui_text("words"),
    "matrices": ui_text("matrices"),
    "scores": ui_text("scores"),
    "settings": prose.read("cross_attention")["settings/model"],
    "take_away": ui_text("take_away"),
    "reset": ui_text("reset"),
    "notes": ui_text("notes"),
    "orientation": ui_text("sidebar/orientation"),
    "predict": ui_text("sidebar/predict"),
    "present": ui_text("sidebar/present"),
    "glossary": ui_text("sidebar/glossary"),
    "reset_all": ui_text("sidebar/reset_all"),
    "room": prose.read("classroom")["door/title"],
}
ELSEWHERE = {"matrices": "values", "scores": "softmax", "settings": "cross_attention"}


def test_a_link_hides_each_tool_that_it_names_and_no_other():
    assert {*LABELS, "menu"} == {*ROW, *SIDEBAR} == set(prose.read("controls").parts("tools"))
    shown = {page: Visit(PATHS[page], inside=True) for page in {"similarity", *ELSEWHERE.values()}}
    for name, label in LABELS.items():
        page = ELSEWHERE.get(name, "similarity")
        hidden = Visit(PATHS[page], inside=True, hide=name)
        gone = tools_of(shown[page]) - tools_of(hidden)
        assert gone & {*LABELS.values()} == {label}, name
        assert not hidden.at.warning
        assert hidden.stage["pose"] == shown[page].stage["pose"]


def test_nothing_of_change_is_left_where_a_link_hides_all_that_it_holds():
    for hide, there in (("words", True), ("word.words", False)):
        assert (ui_text("change") in tools_of(Visit(PATHS["masking"], hide=hide))) == there, hide


def test_without_the_menu_the_ways_to_other_pages_are_hidden():
    assert "stSidebarNav" in html_of(Visit(SIMILARITY, inside=True, hide="menu"))
    assert "stSidebarNav" not in html_of(Visit(SIMILARITY, inside=True))


def test_what_is_hidden_stays_so_on_the_next_page_and_in_the_address():
    visit = Visit(SIMILARITY, inside=True, hide="word.take_away").go(PATHS["softmax"])
    assert not {ui_text("take_away"), ui_text("word_of_interest")} & tools_of(visit)
    assert visit.link["hide"] == "word.take_away"


def test_a_tool_that_there_is_not_is_said():
    visit = Visit(SIMILARITY, hide="word.hammer")
    said = "hide: “hammer” isn’t one of the options. Use one of these: examples,"
    assert said in as_shown(visit.at.warning[0].value)
    assert ui_text("word_of_interest") in tools_of(visit)


def test_all_hidden_every_page_still_runs_without_a_sidebar():
    style = (Path(app_shell.__file__).parent / "without_sidebar.css").read_text(encoding="utf-8").strip()
    visit = Visit(PAGES[0], inside=True, hide=EVERYTHING)
    for path in PAGES:
        visit.go(path)
        assert visit.link["hide"] == EVERYTHING
        assert not visit.at.warning
        assert style in html_of(visit), "nor is it there, empty"
    assert style not in html_of(Visit(SIMILARITY, inside=True, hide=EVERYTHING.replace(f".{SIDEBAR[0]}", "")))


# The teacher's own question --------------------------------------------------------------------------------


def asking(text, path=SIMILARITY):
    return Visit(path, inside=True, predict="1", question=QUESTION.write(text))


def test_a_question_of_ones_own_stands_in_place_of_the_pages():
    visit = asking(OWN)
    assert f"**Predict first.** {OWN}" in as_shown(visit.text)
    assert "largest dot product with" not in visit.text
    said = as_shown(visit.press("guess.0").text)
    assert f"“{OWN}” You predicted “**orange**”. Check it in the figure." in said
    assert (
        "The page’s own question: Which other word has the largest dot product with *apple*? "
        "The answer is “**phone**”." in said
    )
    assert "That is correct" not in said, "nobody here knows what is right of it"
    assert not visit.stage["results_hidden"]


def test_revealed_it_says_only_what_the_page_knows():
    text = asking(OWN).press("reveal").text
    assert "You predicted" not in text
    assert "The page’s own question:" in text


def test_a_second_guess_of_the_page_is_its_own():
    visit = asking(OWN, PATHS["masking"]).press("guess.0")
    asked = [line for line in visit.text.splitlines() if line.startswith("**Predict first.**")]
    assert asked == [f"**Predict first.** {prose.read('masking').filled('predict/row_sum')}"]


def test_a_question_is_shown_as_the_text_it_is():
    visit = Visit(SIMILARITY)
    for text in HOSTILE:
        visit.arrive(predict="1", question=QUESTION.write(text))
        assert f"**Predict first.** {escape_markdown(text)}" in visit.text
        assert f"**Predict first.** {text}".replace("\\", "") in as_shown(visit.text)


def test_it_goes_to_no_other_page_and_reset_lets_it_stand():
    visit = asking(OWN).nudge()
    assert visit.link["question"] == QUESTION.write(OWN)
    assert visit.link["predict"] == "1"
    assert OWN in as_shown(visit.press("reset").text)
    visit.go(PATHS["softmax"])
    assert OWN not in as_shown(visit.text)
    assert "question" not in visit.link


def test_a_question_that_cannot_be_shown_is_said():
    for text in ("_0_", "x" * (LONGEST_QUESTION + 1), "a--b_zz_", "_110000_"):
        visit = Visit(SIMILARITY, predict="1", question=text)
        assert "question: " in as_shown(visit.at.warning[0].value)
        assert "largest dot product with" in visit.text


def test_a_question_comes_back_from_the_address_as_it_was():
    unescaped = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
    for text in ("", "a", OWN, "größer? 🍎", "a-b _c_ . d", "x" * LONGEST_QUESTION):
        written = QUESTION.write(text)
        assert set(written) <= unescaped
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
    assert linked(visit) == ("similarity", {"measure": "cosine", "goal": "twice"})
    choose(visit, goal="opposites", guess=True, question=f" {OWN} ", present=True, hide=["menu", "words"])
    assert "Students choose from: orange, phone" in visit.text
    _, made = linked(visit)
    assert made == {
        "measure": "cosine",
        "goal": "opposites",
        "predict": "1",
        "question": QUESTION.write(OWN),
        "present": "1",
        "hide": "words.menu",
    }
    student = LessonView(SIMILARITY, **made)
    assert not student.notices
    assert student.view.questions[0].own == OWN
    assert student.values["goal"] == "opposites"


def test_a_class_link_starts_at_the_goal_that_is_set_and_keeps_what_was_moved():
    visit = Visit(SIMILARITY, goal="twice").open_drawer()
    assert linked(visit) == ("similarity", {"goal": "twice"})
    assert linked(choose(visit, goal="right_angle")) == ("similarity", {"goal": "right_angle"})
    visit = Visit(SIMILARITY).open_drawer()
    assert linked(visit) == ("similarity", {"goal": "right_angle"}), "the page's first"
    assert linked(visit.drag(goal=2)) == ("similarity", {"goal": "opposites"})
    words = {"example": "ar_5f_ayn_5f_maa", "goal": "give_80"}  # a goal that another example has, too
    assert linked(Visit(PATHS["queries_keys"], example=words["example"]).open_drawer()) == ("queries_keys", words)
    page = {"example": "money_5f_bank", "temperature": "2", "goal": "all_the_same"}
    visit = Visit(PATHS["values"], **page).open_drawer()
    assert linked(visit) == ("values", page)
    assert linked(choose(visit, goal="one_fifth")) == (
        "values",
        page | {"example": "money_bank", "goal": "one_fifth"},
    )


def test_links_that_work_on_this_computer_only_say_so(monkeypatch):
    worksheets = next(path for path in EVERY if path.stem == "1_worksheets")
    for address, said in (("http://localhost:8501/x", 1), ("http://[::1]/x", 1), ("http://127.0.0.1.de/x", 0)):
        monkeypatch.setattr(class_link, "address", lambda address=address: address)
        for visit in (Visit(SIMILARITY).open_drawer(), Visit(worksheets, sheets="2")):
            assert as_shown(visit.text).count("Links made here work only on this computer") == said


@on_every(PAGES)
def test_every_page_offers_its_goals_while_a_guess_hides_the_rest(path):
    visit = Visit(path, predict="1").open_drawer()
    goals = [name for name in prose.read(visit.name).parts("goals") if "/" not in name]
    assert len(visit.at.selectbox(key=f"{visit.name}.link.goal").options) == len(goals)
    page, made = linked(choose(visit, goal=goals[0]))
    assert page == ("./" if visit.name == "home" else visit.name)
    assert made["goal"] == goals[0]
