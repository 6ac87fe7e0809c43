"""What every page must do, whichever it is: pages are found in their folders."""

import ast
import contextlib
import io
import json
import math
import re
from urllib.parse import urlencode

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core import load_example
from attention_lab import text as prose
from attention_lab.export import LIBRARIES, PROGRAMS
from attention_lab.state import permalink
from attention_lab.state.state import OWN
from attention_lab.text import say
from attention_lab.widgets import page_layout
from tests.visit import HOSTILE, LESSONS, NAMES, PAGES, Visit, fields_of, title_of

every_page = pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
every_lesson = pytest.mark.parametrize("path", LESSONS, ids=NAMES)
every_page_of_words = pytest.mark.parametrize(
    "path",
    [path for path in LESSONS if "words" in {f.name for f in fields_of(path)}],
    ids=lambda path: path.stem,
)
PICTURES = {"plane", "heatmap", "bars", "ledger", "links", "floor_plan", "order", "lanes"}
OWN_MATRICES = {"queries_keys", "values", "self_attention"}
UNDEFINED = re.compile(r"\bnan\b", re.IGNORECASE)


@every_page
@pytest.mark.parametrize("inside", [False, True], ids=["alone", "inside"])
def test_a_page_runs_alone_and_inside_the_app(path, inside):
    visit = Visit(path, inside=inside)
    lines = "\n".join([visit.text, *(title.value for title in visit.at.title)])
    assert title_of(path) in lines or path.stem == "home"
    assert not visit.at.warning
    assert not UNDEFINED.search(visit.text)


@every_lesson
def test_the_head_is_the_menus_title_and_the_pages_sentence(path):
    visit = Visit(path)
    text = prose.read(visit.name)
    assert [each.value for each in visit.at.markdown[:2]] == [f"## {title_of(path)}", text["promise"]]
    assert text["question"].endswith("?")


@every_page
def test_a_page_is_a_table_of_contents(path):
    """No HTML, no chart grammar, no mathematics in a page: others do that."""
    tree = ast.parse(path.read_text("utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not {"altair", "math"} & imported
    assert "unsafe_allow_html" not in path.read_text("utf-8")
    assert not any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) for node in ast.walk(tree))


@every_lesson
def test_goals_and_a_guess_are_data_with_words(path):
    visit = Visit(path, predict="1")
    goals = next(part for part in visit.parts if part["kind"] == "goals")["goals"]
    assert len(goals) >= 2
    for goal in goals:
        assert goal["conditions"]
        assert goal["text"].startswith(prose.read(visit.name).plain(f"goals/{goal['name']}").split("{")[0])
        assert "{" not in goal["text"]
    questions = prose.read(visit.name).parts("predict").values()
    assert any(f"**Predict first.** {question.split('{')[0]}" in visit.text for question in questions)


@every_lesson
def test_a_link_sets_a_goal_and_predict_first(path):
    names = [goal["name"] for goal in next(p for p in Visit(path).parts if p["kind"] == "goals")["goals"]]
    visit = Visit(path, goal=permalink.escape(names[1]), predict="1")
    assert visit.stage["pose"]["goal"] == 1
    assert visit.stage["veil"]
    assert not visit.at.warning


@every_lesson
def test_no_goal_is_met_before_anything_was_moved(path):
    assert Visit(path).stage["completed_goals"] == []


@every_lesson
def test_notes_for_a_class(path):
    visit, notes = Visit(path), prose.read(path.stem.lstrip("0123456789_")).parts("notes")
    assert set(notes) == {"misconception", "ask", "answer"}
    for note in notes.values():
        assert note in visit.text
    assert prose.read(visit.name)["source"] in visit.text
    assert float(prose.read(visit.name)["minutes"]) > 0


@every_lesson
def test_predict_first_hides_every_result_until_guessed(path):
    visit = Visit(path, predict="1")
    assert visit.stage["veil"]
    assert not visit.charts
    assert not visit.at.table
    button = next(button for button in visit.at.button if ".guess." in (button.key or ""))
    button.click()
    visit.run()
    assert not visit.stage["veil"]
    assert len(visit.charts) == len(Visit(path).charts)
    assert "You predicted" in visit.text


def address_of(visit):
    return permalink.write_address(fields_of(visit.path), visit.values)


@every_lesson
def test_undo_goes_back_over_drags_and_a_reset_and_redo_on_again(path):
    visit = Visit(path)
    states = [address_of(visit)]
    for _ in range(2):
        states.append(address_of(visit.nudge()))
    visit.at.button(key=f"{visit.name}.reset").click()
    states.append(address_of(visit.run()))
    assert states[0] == states[-1] != states[1] != states[2]
    for step in (2, 1, 0):
        assert address_of(visit.turn(-1)) == states[step]
    assert address_of(visit.turn(-1)) == states[0], "there is nothing before"
    assert visit.stage["turns"] == [0, 3]
    assert address_of(visit.turn(1, 1)) == states[2]
    visit.nudge()
    assert visit.stage["turns"] == [3, 0], "something new ends the way on"
    assert address_of(visit.turn(-1, -1, 1)) == states[2]


@every_page_of_words
def test_undo_goes_back_over_an_example_and_own_words_to_what_was_moved(path):
    visit = Visit(path).nudge()
    before = address_of(visit)
    example = visit.at.selectbox(key=f"{visit.name}.example")
    example.select(example.options[-1]).run()
    assert address_of(visit) != before
    assert address_of(visit.turn(-1)) == before
    assert visit.at.selectbox(key=f"{visit.name}.example").value == visit.values["example"]


@every_lesson
def test_after_a_broken_address_undo_begins_anew(path):
    visit = Visit(path, vectors="broken", goal="none", layers="x")
    assert visit.stage["turns"] == [0, 0]
    assert address_of(visit.turn(-1)) == {}
    assert address_of(visit.nudge().turn(-1)) == {}


@every_lesson
def test_tables_and_programs_wait_for_the_guess(path):
    visit = Visit(path, predict="1").open_drawer()
    assert not visit.at.table
    assert not visit.at.code
    visit.at.button(key=f"{visit.name}.reveal").click()
    visit.run().open_drawer("table")
    assert visit.at.table
    assert visit.open_drawer("numpy").at.code


@every_lesson
def test_the_badge_says_where_the_numbers_come_from(path):
    for name in examples_of(path):
        visit = Visit(path, example=permalink.escape(name))
        assert set(visit.badges) - {page_layout.BY_FORMULA} == {load_example(name).provenance}, name
        visit.nudge()
        assert visit.moved
        for of, badge in visit.stage["provenance"].items():
            assert (badge == "yours") == bool(visit.moved & set(of.split())), (name, of)
        assert "yours" in visit.badges, name


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_every_picture_has_a_badge_of_its_own_numbers_and_a_name_of_its_own(path):
    visit = Visit(path)
    pictures = [part for part in every_part(visit.stage["columns"]) if part["kind"] in PICTURES]
    assert pictures
    for part in pictures:
        assert part["badge"] in visit.stage["provenance"], part.get("title")
    names = [part["title"] for part in pictures]
    assert len(names) == len(set(names)), "one picture bears the name of another"
    for chart in visit.charts:
        assert "badge" in chart[1].columns or any(f": {badge}]" in visit.text for badge in page_layout.BADGES)


@pytest.mark.parametrize("path", [path for path in PAGES if path.stem.lstrip("0123456789_") in OWN_MATRICES])
def test_a_matrix_in_the_hand_leaves_the_badge_of_the_words_alone(path):
    """The badge is of the picture's own array: queries are made of the words, the words of no query matrix."""
    visit = Visit(path)
    name = next(name for name in visit.stage["pose"] if name in ("W_query", "W_value"))
    matrix = [[number + 0.25 for number in row] for row in visit.stage["pose"][name]]
    visit.drag(**{name: matrix})
    found = visit.stage["provenance"]
    assert {badge for of, badge in found.items() if name in of.split()} == {"yours"}
    without = {badge for of, badge in found.items() if name not in of.split()}
    assert without == ({"by hand"} if visit.name != "self_attention" else set()), "there all is made of queries"


@every_lesson
def test_moved_numbers_stay_yours_after_coming_back_until_reset(path):
    visit = Visit(path, inside=True).nudge()
    moved, address, badges = visit.stage["pose"], visit.link, visit.badges
    visit.go(PAGES[0]).go(path)
    assert visit.badges == badges
    assert "yours" in badges
    assert visit.stage["pose"] == moved
    assert visit.link == address
    visit.at.button(key=f"{visit.name}.reset").click()
    visit.run()
    assert "yours" not in visit.badges
    assert visit.link == {}


@every_lesson
def test_what_a_hand_moved_is_in_the_address_and_comes_back_from_it(path):
    visit = Visit(path).nudge()
    again = Visit(path, **visit.link)
    assert again.stage["pose"] == visit.stage["pose"]
    assert again.badges == visit.badges
    drawn = [[json.dumps(rows.to_dict()) for _, rows in each.charts] for each in (again, visit)]
    assert drawn[0] == drawn[1]
    assert not again.at.warning


@every_lesson
def test_the_charts_rows_have_what_their_specs_read(path):
    for spec, rows in Visit(path).charts:
        fields = set(re.findall(r'"field": "(\w+)"', json.dumps(spec)))
        made = set(re.findall(r'"as": "(\w+)"', json.dumps(spec)))
        assert fields - made <= set(rows.columns)
        assert spec["description"]


@every_lesson
def test_charts_keep_their_spec_while_their_data_move(path):
    visit = Visit(path)
    before = visit.charts
    visit.nudge()
    assert [spec for spec, _ in visit.charts] == [spec for spec, _ in before]
    changed = [not new.equals(old) for (_, new), (_, old) in zip(visit.charts, before, strict=True)]
    # a page may keep its charts in closed folds; position's show places, which no vector moves
    assert any(changed) or not before or visit.name == "position"


@every_lesson
def test_the_switch_turns_every_matrix(path):
    rows, columns = Visit(path), Visit(path, orientation="columns")
    assert len(rows.charts) == len(columns.charts)
    for (spec, data), (turned, other) in zip(rows.charts, columns.charts, strict=True):
        assert ("query" in json.dumps(spec)) == ("query" in json.dumps(turned))
        if {"row", "column"} <= set(data.columns):
            assert list(data["row"]) == list(other["column"])
            assert list(data["column"]) == list(other["row"])
            assert json.dumps(spec) != json.dumps(turned)


def every_part(told):
    """Every part in what is told to the stage, however deep."""
    if isinstance(told, dict):
        if "kind" in told and "title" in told:
            yield told
        told = list(told.values())
    if isinstance(told, list):
        for inner in told:
            yield from every_part(inner)


def numbers_in(value):
    """Every number inside a value: arrays, records and tables included."""
    if isinstance(value, (bool, str)) or value is None:
        return
    if isinstance(value, (int, float)):
        yield float(value)
    elif isinstance(value, np.ndarray):
        if value.dtype.kind in "fiu":
            yield from value.ravel().tolist()
    elif isinstance(value, dict):
        for inner in value.values():
            yield from numbers_in(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from numbers_in(inner)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from numbers_in(getattr(value, name))


def execute(text):
    """Run a program as its own and return what it prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "taken home", "exec"), {"__name__": "__main__"})
    return out.getvalue()


NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*(?:e[+-]?\d+)?|nan|inf)\b")


def printed_numbers(out):
    """The numbers in the labelled lines that a program prints: those after the last colon."""
    lines = [line.rpartition(": ")[2] for line in out.splitlines() if ": " in line]
    return [float(number) for line in lines for number in NUMBER.findall(line)]


def hostile_address(path):
    """Own words as unkind as they may be."""
    fields = {f.name: f for f in fields_of(path)}
    if "words" not in fields:  # a page of sizes
        return {}
    return {"example": OWN, "words": fields["words"].write(tuple(HOSTILE))}


@every_lesson
@pytest.mark.parametrize("hostile", [False, True], ids=["example", "hostile"])
def test_the_programs_print_the_numbers_on_screen(path, hostile):
    visit = Visit(path, **(hostile_address(path) if hostile else {})).nudge()
    assert not visit.at.warning
    words = visit.values.get("words", ())
    tables = [table.to_numpy() for table in visit.tables.values()]
    on_screen = np.array([0.0, *numbers_in(visit.scope), *numbers_in(tables)])
    programs = visit.programs
    assert "import torch" in programs[1]
    printed = []
    for text in programs:
        out = execute(text)
        for word in set(words):
            assert f"{word}:" in out or f"{word} →" in out
        printed.append(printed_numbers(out))
    assert len(printed[0]) == len(printed[1]) >= 3
    np.testing.assert_allclose(printed[0], printed[1], rtol=1e-9, atol=1e-12)
    for number in printed[0]:
        assert math.isnan(number) or np.isclose(on_screen, number, rtol=1e-9, atol=1e-12).any(), number


@every_lesson
def test_the_tables_can_be_taken_home(path):
    visit = Visit(path)
    menu = visit.open_drawer("table").at
    labels = [file.proto.label for file in menu.get("download_button")]
    assert labels.count(say("take_away/csv")) == len(menu.table) >= 1
    assert labels.count(say("web_page/download")) == 1
    for library in LIBRARIES:
        files = visit.open_drawer(library).at.get("download_button")
        of_the_page = [file for file in files if file.proto.label == say("take_away/download")]
        assert len(of_the_page) == 1
        assert (PROGRAMS / library / f"{visit.name}.py").exists()


@every_page_of_words
def test_hostile_words_stand_as_text(path):
    """Markdown places show every sign of a word; the stage gets them as data."""
    visit = Visit(path, predict="1", **hostile_address(path))
    assert tuple(visit.stage["constants"]["words"]) == tuple(HOSTILE)
    for button in visit.at.button:
        assert not re.search(r"(?<!\\)[*$`<{#]", button.label), button.label


@every_lesson
def test_a_choice_that_nobody_offered_is_the_default(path):
    """Anybody can send a message in which a widget says what it never offered."""
    for place in range(len(Visit(path).at.selectbox)):
        visit, plain = Visit(path), Visit(path)
        widget = visit.at.selectbox[place]
        widget.options.append("forged")
        widget.set_value("forged")
        visit.run()
        assert all(permalink.same(value, visit.values[name]) for name, value in plain.values.items())
        assert visit.at.selectbox[place].value == plain.at.selectbox[place].value


@every_lesson
def test_a_choice_that_is_taken_back_changes_nothing(path):
    for place in range(len(Visit(path).at.get("button_group"))):
        visit, plain = Visit(path), Visit(path)
        visit.at.get("button_group")[place].set_value(None)
        visit.run()
        assert all(permalink.same(value, visit.values[name]) for name, value in plain.values.items())


@every_page_of_words
@pytest.mark.parametrize("number", [0, 1, 1000])
def test_vectors_that_are_all_the_same_take_no_picture_away(path, number):
    """Much is undefined then: no text says NaN, and the stage gets what a browser can read."""
    fields = {f.name: f for f in fields_of(path)}
    ways = fields["way"].options(Visit(path).values) if "way" in fields else [None]
    for way in ways:
        more = {"way": way} if way else {}
        alike = np.full(Visit(path, **more).values["vectors"].shape, float(number))
        visit = Visit(path, vectors=permalink.write_matrix(alike), **more)
        assert set(visit.values["vectors"].ravel()) == {number}
        assert visit.stages
        assert not UNDEFINED.search(visit.text)


GARBAGE = """nan NaN 1e309 -1e309 0 1 2.5 - 0.00001 1e-9 own rows _ __ a__b _110000_ %00 ../.. <script> ₂ apple
orange _3c_b_3e_ a.b a.b.c apple.an.apple a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a 0_3__2_2__4_0 1_2_3__4_5_6__7_8_9"""
garbage = st.sampled_from(["", "9" * 10_000, *GARBAGE.split()])
numeral = st.integers(-9999, 9999).map(str) | st.integers(-999, 999).map(lambda tenths: str(tenths / 10))
numbers = st.sampled_from(["_", ".", "__", "._"]).flatmap(
    lambda mark: st.lists(numeral, max_size=9).map(mark.join)
)
values = garbage | st.text(max_size=12) | numbers


def addresses(path):
    """Any address at all, most often one whose settings are the page's own."""
    fields = fields_of(path)
    names = st.sampled_from([f.name for f in fields]) | st.text(min_size=1, max_size=6) | st.just("embed")
    known, _ = permalink.read_address(fields, {})
    offered = [f.write(option) for f in fields if f.options for option in f.options(known)]
    own = st.sampled_from([*offered, *(f.write(known[f.name]) for f in fields)])
    return st.dictionaries(names, st.lists(own | values, min_size=1, max_size=2), max_size=6)


@every_lesson
def test_no_address_whatsoever_makes_a_page_raise(path):
    """In one session, so that each address meets what the last one left behind."""
    visit = Visit(path)
    fields = fields_of(path)

    @settings(max_examples=50, suppress_health_check=list(HealthCheck))
    @given(addresses(path), st.booleans())
    def any_address(address, arriving):
        if arriving:
            visit.arrive(**address)
        else:
            visit.send({"link": "?" + urlencode(address, doseq=True)}).run()
        assert len(visit.at.warning) <= 1  # one line on all that was left out
        placed = prose.say("words/placed").split("{")[
            0
        ]  # a word of the reader's may be any, and stands in italics
        lines = [line for line in visit.text.splitlines() if not line.startswith(placed)]
        assert not UNDEFINED.search(re.sub(r"\*nan\*", "", "\n".join(lines), flags=re.IGNORECASE))
        written = {name: [text] for name, text in permalink.write_address(fields, visit.values).items()}
        read, left_out = permalink.read_address(fields, written)
        assert not left_out
        assert all(permalink.same(read[f.name], visit.values[f.name]) for f in fields)

    any_address()


@every_lesson
@pytest.mark.parametrize(
    "address",
    [
        {"no_such": "1"},
        {"predict": ["1", "0"]},
        {"orientation": "sideways"},
        {"example": "nan"},
        {"goal": "1e309"},
        {"pear": "x" * 10_000},
        {"example": "an_example_that_was_removed", "word": "gone"},
    ],
    ids=["unknown", "doubled", "out of range", "NaN", "1e309", "10 kB", "gone"],
)
def test_what_an_address_cannot_mean_is_said_in_one_line(path, address):
    visit, plain = Visit(path, **address), Visit(path)
    assert len(visit.at.warning) == 1
    said = visit.at.warning[0].value
    assert "These settings of the link were ignored" in said
    assert "\n" not in said
    assert len(said) < 500
    assert visit.stage["pose"] == plain.stage["pose"]


@every_page
def test_a_hostile_parameter_is_shown_as_text(path):
    visit = Visit(path, **{"<b>*x*": "1"})
    for warning in visit.at.warning:
        assert "<b>" not in warning.value.replace("\\<", "")
        assert "*x*" not in warning.value


def examples_of(path):
    return [name for f in fields_of(path) if f.name == "example" for name in f.options({}) if name != OWN]


@every_lesson
def test_example_and_word_go_along(path):
    offered = examples_of(path)
    for second in LESSONS:
        shared = [name for name in offered[1:] if second != path and name in examples_of(second)]
        if shared:
            example = permalink.escape(shared[-1])
            word = Visit(path, example=example).values["words"][-1]
            visit = Visit(path, inside=True, example=example, word=permalink.escape(word)).go(second)
            assert (visit.values["example"], visit.values["word"]) == (shared[-1], word), second
            assert not visit.at.warning


@every_lesson
def test_coming_back_finds_the_page_as_it_was_left(path):
    """Through all other pages, once around."""
    visit = Visit(path, inside=True).nudge()
    before = {name: value for name, value in visit.values.items() if name not in {"example", "word"}}
    start = PAGES.index(path)
    for other in PAGES[start + 1 :] + PAGES[:start]:
        visit.go(other)
    visit.go(path)
    assert all(permalink.same(visit.values[name], value) for name, value in before.items())


def test_what_holds_for_all_pages_goes_along():
    visit = Visit(LESSONS[0], inside=True, orientation="columns", predict="1", present="1")
    for path in reversed(PAGES):
        visit.go(path)
        assert visit.at.session_state["orientation"] == "columns"
        assert visit.at.session_state["predict"] is True
        assert visit.at.session_state["present"] is True
