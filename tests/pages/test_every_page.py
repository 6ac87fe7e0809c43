"""What every page must do, whichever it is: pages are found in their folders."""

import contextlib
import io
import json
import math
import re
from functools import cache
from urllib.parse import urlencode

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core import load_example
from attention_lab import text as prose
from attention_lab.export import LIBRARIES, PROGRAMS
from attention_lab.state import permalink
from attention_lab.state.state import OWN
from attention_lab.text import ui_text
from attention_lab.widgets import page_layout
from tests.visit import HOSTILE, LESSONS, PAGES, PATHS, LessonView, Visit, fields_of, on_every, title_of

OF_WORDS = [path for path in LESSONS if "words" in {f.name for f in fields_of(path)}]
PICTURES = {"plane", "heatmap", "bars", "ledger", "links", "floor_plan", "order", "lanes"} | {
    "growing_pattern",
    "head_wall",
    "seen_keys",
    "tiles",
}
TURNED = {"heatmap", "coordinates", "all_heads", "head_grid", "growing_pattern"}
UNDEFINED = re.compile(r"\bnan\b", re.IGNORECASE)


@cache
def opened(path, **address):
    """A visit of a page that was only opened: tests look at it and change nothing."""
    return Visit(path, **address)


def examples_of(path):
    return [name for f in fields_of(path) if f.name == "example" for name in f.options({}) if name != OWN]


def same_values(visit, values):
    return all(permalink.same(visit.values[name], value) for name, value in values.items())


# The page as it is opened -----------------------------------------------------------------------------------


def check_begin(visit):
    """Check title, sentence and text of a page that was just opened."""
    begin = [each.value for each in (*visit.at.title, *visit.at.markdown)][:2]
    if visit.name != "home":
        assert begin == [f"# {title_of(visit.path)}", prose.read(visit.name)["promise"]]
    assert not visit.at.warning
    assert not UNDEFINED.search(visit.text)


@on_every(PAGES)
def test_a_page_runs_alone(path):
    check_begin(opened(path))


def test_one_session_goes_through_all_pages_inside_the_app_and_settings_go_along():
    visit = Visit(PAGES[0], inside=True)
    for path in LESSONS:
        check_begin(visit.go(path))
    shared = {"orientation": "columns", "predict": True, "present": True}
    visit.arrive(orientation="columns", predict="1", present="1")
    for path in reversed(PAGES):
        visit.go(path)
        assert {name: visit.at.session_state[name] for name in shared} == shared, path.stem


def test_no_page_writes_html_of_its_own():
    assert [path.stem for path in PAGES if "unsafe_allow_html" in path.read_text("utf-8")] == []


@on_every(LESSONS)
def test_a_page_has_a_question_notes_for_a_class_a_source_and_minutes(path):
    visit, text = opened(path), prose.read(opened(path).name)
    assert text["question"].endswith("?")
    notes = text.parts("notes")
    assert set(notes) == {"misconception", "ask", "answer"}
    for said in (*notes.values(), text["source"]):
        assert said in visit.text
    assert float(text["minutes"]) > 0


def every_part(told):
    """Every part in what is told to the stage, however deep."""
    if isinstance(told, dict):
        if "kind" in told:
            yield told
        told = list(told.values())
    if isinstance(told, list):
        for inner in told:
            yield from every_part(inner)


@on_every(PAGES)
def test_every_picture_has_a_badge_and_a_name_of_its_own_and_a_chart_the_columns_of_its_spec(path):
    visit = opened(path)
    pictures = [part for part in every_part(visit.stage["columns"]) if part["kind"] in PICTURES]
    assert pictures
    assert {part["badge"] for part in pictures} <= set(visit.stage["provenance"])
    names = [part["title"] for part in pictures]
    assert len(names) == len(set(names)), "one picture bears the name of another"
    for spec, rows in visit.charts:
        assert "badge" in rows.columns or len(visit.badges) > len(visit.stage["provenance"])
        fields = set(re.findall(r'"field": "(\w+)"', json.dumps(spec)))
        made = set(re.findall(r'"as": "(\w+)"', json.dumps(spec)))
        assert fields - made <= set(rows.columns)
        assert spec["description"]


@on_every(PAGES)
def test_the_switch_turns_every_matrix(path):
    rows, columns = opened(path), Visit(path, orientation="columns")
    for visit, turned in ((rows, False), (columns, True)):
        for part in every_part(visit.stage["columns"]):
            if part["kind"] in TURNED and part.get("columns") != "axes":  # of words, not of their components
                assert part.get("turned", False) == turned, part
    for (spec, data), (turned, other) in zip(rows.charts, columns.charts, strict=True):
        assert ("query" in json.dumps(spec)) == ("query" in json.dumps(turned))
        if {"row", "column"} <= set(data.columns):
            assert list(data["row"]) == list(other["column"])
            assert list(data["column"]) == list(other["row"])
            assert json.dumps(spec) != json.dumps(turned)


# Goals and predictions --------------------------------------------------------------------------------------


@on_every(LESSONS)
def test_a_link_sets_a_goal_and_a_guess_and_both_are_data_with_words(path):
    view = LessonView(path)
    assert len(view.goals) >= 2, "a page has at least two goals"
    for name, goal in view.goals.items():
        assert goal["conditions"]
        assert goal["text"].startswith(prose.read(view.name).plain(f"goals/{name}").split("{")[0])
        assert "{" not in goal["text"]
    there = LessonView(path, goal=permalink.escape(list(view.goals)[1]), predict="1")
    assert not there.notices
    assert there.stage["pose"]["goal"] == 1
    assert there.stage["results_hidden"]


@on_every(LESSONS)
def test_predict_first_hides_every_result_until_guessed(path):
    visit = Visit(path, predict="1").open_drawer()
    questions = prose.read(visit.name).parts("predict").values()
    assert any(f"**Predict first.** {question.split('{')[0]}" in visit.text for question in questions)
    assert visit.stage["results_hidden"]
    assert not [*visit.charts, *visit.at.table, *visit.at.code]
    next(button for button in visit.at.button if ".guess." in (button.key or "")).click()
    visit.run()
    assert not visit.stage["results_hidden"]
    assert len(visit.charts) == len(opened(path).charts)
    assert "You predicted" in visit.text
    assert visit.open_drawer("table").at.table
    assert visit.open_drawer("numpy").at.code


@on_every(LESSONS)
def test_the_figure_stays_where_it_is_when_a_question_comes(path):
    """If it moved, Streamlit would mount it again and could show an older state."""
    visit = Visit(path)
    before = visit.place_of_figure()
    assert before
    assert visit.arrive(predict="1").place_of_figure() == before


# What a hand moves ------------------------------------------------------------------------------------------


@on_every(LESSONS)
def test_undo_goes_back_over_drags_and_a_reset_and_an_example_and_redo_on_again(path):
    visit = Visit(path, vectors="broken", goal="none", layers="x")
    states = [visit.state.link]
    assert states == [{}], "a link that was not understood is no step"
    for _ in range(2):
        states.append(visit.nudge().state.link)
    states.append(visit.press("reset").state.link)
    assert states[0] == states[3] != states[1] != states[2]
    for step in (2, 1, 0, 0):
        assert visit.turn(-1).state.link == states[step]
    assert visit.stage["turns"] == [0, 3]
    assert visit.turn(1, 1).state.link == states[2]
    visit.nudge()
    assert visit.stage["turns"] == [3, 0], "something new ends the way on"
    assert visit.turn(-1, -1, 1).state.link == states[2]
    if path in OF_WORDS:
        example = visit.drawn("selectbox", "example")
        example.select(example.options[-1]).run()
        assert visit.state.link != states[2]
        assert visit.turn(-1).state.link == states[2]
        assert visit.at.selectbox(key=f"{visit.name}.example").value == visit.values["example"]


@on_every(LESSONS)
def test_the_badge_says_where_the_numbers_come_from(path):
    for name in examples_of(path):
        view = LessonView(path, example=permalink.escape(name))
        untouched = set(view.stage["provenance"].values()) - {page_layout.BY_FORMULA}
        assert untouched == {load_example(name).provenance}, name
        view.nudge()
        assert view.moved
        for of, badge in view.stage["provenance"].items():
            assert (badge == "yours") == bool(view.moved & set(of.split())), (name, of)


@on_every([PATHS[name] for name in ("queries_keys", "values", "self_attention")])
def test_a_matrix_in_the_hand_leaves_the_badge_of_the_words_alone(path):
    """The badge is of the picture's own array: queries are made of the words, the words of no query matrix."""
    view = LessonView(path)
    pose = view.stage["pose"]
    name = next(name for name in pose if name in ("W_query", "W_value"))
    found = view.drag(**{name: [[number + 0.25 for number in row] for row in pose[name]]}).stage["provenance"]
    assert {badge for of, badge in found.items() if name in of.split()} == {"yours"}
    without = {badge for of, badge in found.items() if name not in of.split()}
    assert without == ({"by hand"} if view.name != "self_attention" else set()), "there all is made of queries"


@on_every(LESSONS)
def test_what_a_hand_moved_is_in_the_link_and_comes_back_from_it_and_charts_follow(path):
    visit = Visit(path).nudge()
    again = Visit(path, **visit.link)
    assert not again.at.warning
    assert again.stage["pose"] == visit.stage["pose"]
    assert again.badges == visit.badges
    assert "yours" in visit.badges
    before = opened(path).charts
    drawn = [[json.dumps(rows.to_dict()) for _, rows in each.charts] for each in (again, visit)]
    assert drawn[0] == drawn[1]
    assert [spec for spec, _ in visit.charts] == [spec for spec, _ in before]
    changed = [not new.equals(old) for (_, new), (_, old) in zip(visit.charts, before, strict=True)]
    # a page may keep its charts in closed folds; position's show places, which no vector moves
    assert any(changed) or not before or visit.name == "position"


def test_coming_back_finds_each_page_as_it_was_left_until_it_is_reset():
    """Once around through all pages, with something moved on each, and once more."""
    visit, left = Visit(PAGES[0], inside=True), {}
    for path in LESSONS:
        visit.go(path).nudge()
        left[path] = {name: value for name, value in visit.values.items() if name not in {"example", "word"}}
    for path, values in left.items():
        visit.go(path)
        assert same_values(visit, values), path.stem
        assert "yours" in visit.badges, path.stem
        visit.press("reset")
        assert "yours" not in visit.badges, path.stem


@on_every(LESSONS)
def test_example_and_word_go_along_to_the_next_page_that_has_them(path):
    start = LESSONS.index(path)
    for second in LESSONS[start + 1 :] + LESSONS[:start]:
        if shared := [name for name in examples_of(path)[1:] if name in examples_of(second)]:
            example = permalink.escape(shared[-1])
            word = LessonView(path, example=example).values["words"][-1]
            visit = Visit(path, inside=True, example=example, word=permalink.escape(word)).go(second)
            assert (visit.values["example"], visit.values["word"]) == (shared[-1], word), second
            assert not visit.at.warning
            return


# What can be taken home -------------------------------------------------------------------------------------


def numbers_in(value):
    """Every number inside a value: arrays, records and tables included."""
    if isinstance(value, (bool, str)) or value is None:
        return
    if isinstance(value, (int, float)):
        yield float(value)
    elif isinstance(value, np.ndarray):
        if value.dtype.kind in "fiu":
            yield from value.ravel().tolist()
    elif isinstance(value, (dict, list, tuple)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from numbers_in(inner)
    elif hasattr(value, "__dataclass_fields__"):
        yield from numbers_in([getattr(value, name) for name in value.__dataclass_fields__])


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
    return {"example": OWN, "words": fields["words"].write(tuple(HOSTILE))}


@on_every(PAGES)
def test_the_programs_print_the_numbers_on_screen(path):
    """Also where every slider is away from its default: there it may do nothing."""
    views = [LessonView(path).nudge(), LessonView(path).nudge().nudge_numbers()]
    if path in OF_WORDS:
        views.append(LessonView(path, **hostile_address(path)).nudge())
    for view in views:
        assert not view.notices
        tables = [table.to_numpy() for table in view.tables.values()]
        on_screen = np.array([0.0, *numbers_in(view.scope), *numbers_in(tables)])
        printed = []
        for out in map(execute, view.programs):
            for word in set(view.values.get("words", ())):
                assert f"{word}:" in out or f"{word} →" in out
            printed.append(printed_numbers(out))
        assert len(printed[0]) == len(printed[1]) >= 3
        np.testing.assert_allclose(printed[0], printed[1], rtol=1e-9, atol=1e-12)
        for number in printed[0]:
            assert math.isnan(number) or np.isclose(on_screen, number, rtol=1e-9, atol=1e-12).any(), number


@on_every(LESSONS)
def test_tables_and_programs_can_be_taken_home(path):
    visit = Visit(path).nudge()
    menu = visit.open_drawer("table").at
    labels = [file.proto.label for file in menu.get("download_button")]
    assert labels.count(ui_text("take_away/csv")) == len(menu.table) >= 1
    assert labels.count(ui_text("web_page/download")) == 1
    assert visit.programs == [text.rstrip() for text in LessonView(path).nudge().programs]
    for library in LIBRARIES:
        assert (PROGRAMS / library / f"{visit.name}.py").exists()
        files = [file.proto.label for file in visit.open_drawer(library).at.get("download_button")]
        assert files.count(ui_text("take_away/download")) == 1


# Whatever comes ---------------------------------------------------------------------------------------------


@on_every(OF_WORDS)
def test_hostile_words_stand_as_text(path):
    """Markdown places show every sign of a word; the stage gets them as data."""
    visit = Visit(path, predict="1", **hostile_address(path))
    assert tuple(visit.stage["constants"]["words"]) == tuple(HOSTILE)
    for button in visit.at.button:
        assert not re.search(r"(?<!\\)[*$`<{#]", button.label), button.label


@on_every(LESSONS)
def test_a_choice_that_nobody_offered_or_that_is_taken_back_changes_nothing(path):
    """Anybody can send a message in which a widget says what it never offered."""
    visit, plain = Visit(path), opened(path)
    for place, widget in enumerate(plain.at.selectbox):
        forged = visit.at.selectbox[place]
        forged.options.append("forged")
        forged.set_value("forged")
        assert same_values(visit.run(), plain.values)
        assert visit.at.selectbox[place].value == widget.value
    for place in range(len(plain.at.get("button_group"))):
        visit.at.get("button_group")[place].set_value(None)
        assert same_values(visit.run(), plain.values)


@on_every(OF_WORDS)
def test_vectors_that_are_all_the_same_take_no_picture_away(path):
    """Much is undefined then: no text says NaN, and the stage gets what a browser can read."""
    ways = [f.options(opened(path).values) for f in fields_of(path) if f.name == "way"]
    for more in [{"way": way} for way in ways[0]] if ways else [{}]:
        for number in (0.0, 1000.0):
            alike = np.full_like(LessonView(path, **more).values["vectors"], number)
            visit = Visit(path, vectors=permalink.write_matrix(alike), **more)
            assert set(visit.values["vectors"].ravel()) == {number}
            assert visit.stages
            assert not UNDEFINED.search(visit.text)


UNREADABLE = {
    "<b>*x*": "1",
    "no_such": "1",
    "predict": ["1", "0"],
    "orientation": "sideways",
    "example": "nan",
    "goal": "1e309",
    "pear": "x" * 10_000,
    "word": "gone",
}


@on_every(PAGES)
def test_what_a_link_cannot_mean_is_said_in_one_line_of_text(path):
    plain = LessonView(path).stage["pose"]
    for name, text in UNREADABLE.items():
        view = LessonView(path, **{name: text})
        (notice,) = view.notices
        assert "\n" not in notice
        assert len(notice) < 400
        assert view.stage["pose"] == plain
    visit = Visit(path, **{name: UNREADABLE[name] for name in ("predict", "example", "goal", "<b>*x*")})
    (warning,) = (each.value for each in visit.at.warning)
    assert "Some settings in the link couldn’t be used" in warning
    assert "\n" not in warning
    assert "<b>" not in warning.replace("\\<", "")
    assert "*x*" not in warning
    assert visit.stage["pose"] == plain


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


@on_every(PAGES)
def test_no_address_whatsoever_makes_a_page_raise_and_its_own_link_leads_back(path):
    """In one session, so that each address meets what the last one left behind."""
    visit, placed = Visit(path), prose.ui_text("words/placed").split("{")[0]

    @settings(max_examples=25, suppress_health_check=list(HealthCheck))
    @given(addresses(path), st.booleans())
    def any_address(address, arriving):
        if arriving:
            visit.arrive(**address)
        else:
            visit.send({"link": "?" + urlencode(address, doseq=True)}).run()
        assert len(visit.at.warning) <= 1  # one line on all that was left out
        # a word of the reader's may be any, and stands in italics
        lines = [line for line in visit.text.splitlines() if not line.startswith(placed)]
        assert not UNDEFINED.search(re.sub(r"\*nan\*", "", "\n".join(lines), flags=re.IGNORECASE))
        again = LessonView(path, **visit.state.link)
        assert not again.notices
        assert same_values(again, visit.values)

    any_address()
