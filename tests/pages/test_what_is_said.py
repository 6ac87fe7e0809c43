"""What a page says is true of the numbers beside it, whatever state it is in."""

import json
import re

import numpy as np

from attention_lab import text as prose
from attention_lab.export import csv
from attention_lab.lessons.values.calculation import PRINTED
from attention_lab.state import permalink, predictions
from lab import ROOT
from tests.visit import LESSONS, PAGES, PATHS, LessonView, Visit, as_shown, fields_of, on_every

# Where rows of something else than a pattern are meant: a table of words, of places, of bars.
OTHER_ROWS = {"queries_keys", "position", "softmax", "similarity", "self_attention", "scale"}
CHOICES = ("mask", "positions", "layers", "way", "looks", "norm", "change", "swap", "where")


def on_stage(path, **address):
    """All words of the figure."""
    stage = LessonView(path, **address).stage
    return f"{json.dumps(stage['columns'], ensure_ascii=False)}\n{stage['title']}"


def on_page(path, **address):
    """All words of the page, with the figure's."""
    return f"{Visit(path, **address).text}\n{on_stage(path, **address)}"


def states_of(path):
    """Addresses that lead through a page's choices, one at a time."""
    values = LessonView(path).values
    choices = [field for field in fields_of(path) if field.name in CHOICES]
    return [{f.name: permalink.escape(str(option))} for f in choices for option in f.options(values)]


def sentences(said):
    """What is said of rows and columns."""
    pieces = [piece for piece in re.split(r'[\n"]', said) if " " in piece.strip()]
    return {piece for piece in pieces if re.search(r"\b(row|column)s?\b", piece)}


def exchanged(sentence):
    """A sentence with rows for columns and columns for rows."""
    other = {"row": "column", "column": "row"}
    return re.sub(r"(?<!\{)\b(row|column)(?=s?\b)", lambda way: other[way[1]], sentence)


@on_every(LESSONS)
def test_what_is_said_of_rows_is_said_of_columns_where_queries_stand_in_columns(path):
    for said_in, state in [(on_page, {}), *((on_stage, state) for state in states_of(path))]:
        said, turned = (said_in(path, **state, orientation=way) for way in ("rows", "columns"))
        if LessonView(path).name not in OTHER_ROWS:
            missing = {exchanged(sentence) for sentence in sentences(said)} ^ sentences(turned)
            remedy = "write {query_row} or {key_column} for “row” or “column”"
            assert not missing, f"{state}: {remedy}: {sorted(missing)}"


# What the browser fills: these settings of the shared parts, and whatever a lesson's own part has.
FILLED = {"called", "near", "beyond", "outside", "sentence", "texts"}
OWN_PARTS = {
    name
    for file in (ROOT / "attention_lab" / "lessons").glob("*/*.js")
    for name in re.findall(r"^export (?:function|const) (\w+)", file.read_text("utf-8"), re.MULTILINE)
}


def words_of(payload, kind=""):
    """All words of a figure in which the browser fills no placeholder."""
    if isinstance(payload, dict):
        kind = payload.get("kind", kind)
        for name, inner in payload.items():
            yield from words_of(inner, kind) if name not in FILLED else ()
    elif isinstance(payload, list):
        for inner in payload:
            yield from words_of(inner, kind)
    elif isinstance(payload, str) and kind not in OWN_PARTS:
        yield payload


@on_every(PAGES)
def test_no_placeholder_stands_on_the_screen(path):
    elements = list(Visit(path).at.main)
    said = [getattr(element, name, None) for element in elements for name in ("value", "label", "help")]
    said = [re.sub(r"\$[^$]+\$", "", each) for each in said if isinstance(each, str)]  # without formulas
    stages = [LessonView(path, **state).stage for state in [{}, *states_of(path)]]
    said += [each for stage in stages for each in words_of([stage["columns"], stage["title"]])]
    unfilled = {each for each in said if re.search(r"\{\w+\}", each)}
    assert not unfilled, f"no code fills the {{name}} in: {sorted(unfilled)}"


# Position ------------------------------------------------------------------------------------------------


def test_what_position_says_of_places_is_what_they_do():
    texts = prose.read("position")
    for positions in ("none", "sinusoidal", "rotary"):
        for strength in ("0", "1"):
            visit = Visit(PATHS["position"], positions=positions, strength=strength)
            scope, hint = visit.scope, visit.first("plane")["hint"]
            moved = np.abs(np.subtract(scope["placed"], scope["x"])).max() > 0
            assert ("nothing is added" in hint) == (not moved)
            if scope["largest"] > 1e-9:  # it knows its place
                assert "Position information is off" not in hint
                assert "nothing but rounding" not in visit.text
                order = visit.first("order")
                assert order["least"] < scope["largest"]
                assert order["texts"]["unlike"] == texts["verdict/unlike"]


# Values --------------------------------------------------------------------------------------------------


def test_a_preset_promises_only_weights_that_it_gives():
    promises = 0
    for example, other in (("money_bank", "money"), ("river_bank", "river")):
        for moved in ({}, {"W_query": "1_0__0_1"}, {"W_key": "1_0__0_1"}, {"word": other}):
            view = LessonView(PATHS["values"], example=permalink.escape(example), **moved)
            preset = view.first("presets")["buttons"][1]
            view.drag(**preset["set"])
            weights = view.scope["trace"].weights[view.scope["word"]]
            if promised := re.search(r"weights of ([\d.]+) and ([\d.]+)", preset["text"]):
                promises += 1
                np.testing.assert_allclose(weights, [float(each) for each in promised.groups()], atol=5e-4)
            elif view.values["word"] == "bank":
                assert not np.allclose(weights, PRINTED["printed_weights"][0], atol=5e-4)
    assert promises


def test_a_score_that_cancels_is_nothing():
    visit = Visit(PATHS["values"], example="money_5f_bank", word="money")
    lines = "\n".join(line.value for line in visit.unfold("matrices").at.latex)
    assert 0 < abs(visit.scope["trace"].scores).min() < 1e-12, "there is such a score"
    assert "10⁻¹" not in lines
    assert re.search(r"= 0\b", lines)


# Queries and keys, home, self-attention ------------------------------------------------------------------


def weight(view, word, other):
    """The weight with which a word attends to another."""
    words = list(view.scope["words"])
    return view.scope["trace"].weights[words.index(word)][words.index(other)]


def test_whom_apple_finds_is_as_the_text_says():
    said = "With the matrices of the worked example, *orange apple phone*, *apple* attends mostly to *orange*."
    assert said in prose.read("queries_keys")["text"]
    view = LessonView(PATHS["queries_keys"], example="orange_apple_phone")
    assert weight(view, "apple", "orange") > 0.5
    assert weight(LessonView(PATHS["home"]), "apple", "phone") > 0.5


def test_homes_formula_mixes_the_values_of_all_words():
    view = LessonView(PATHS["home"])
    _, below = (part for part in view.parts if part["kind"] == "by_choice")
    (formula,) = (part for part in below["choices"][1] if part["kind"] == "formula")
    assert json.dumps(formula["lines"][0]["tree"]).count('"v"') == len(view.scope["words"])


def test_the_first_move_of_queries_and_keys_is_there_in_every_way_in():
    """What is ringed is so until anything was moved; another way in is found behind that."""
    for state in ({}, {"way": "one"}, {"example": "fluffy_5f_blue_5f_creature"}):
        view = LessonView(PATHS["queries_keys"], **state)
        first = "".join(view.first("goals")["first"])
        assert ("ringed" in first) == (state == {}), state
        assert ("row of the shared matrix" in first) == (view.values["way"] == "one")
        assert ("feature" in first) == (view.values["way"] == "features")
        assert view.stage["first"].startswith("query " if state == {} else "W_query ")


# Predictions and tables ----------------------------------------------------------------------------------


@on_every(PAGES)
def test_what_is_said_of_a_guess_is_a_sentence_whatever_was_said(path):
    texts = prose.read(LessonView(path).name)
    options = [text for part, text in texts.items() if re.fullmatch(r"predict/\w+/\w+", part)] + ["etc."]
    for right in range(len(options)):
        for said in (None, *range(len(options))):
            told = as_shown(predictions.verdict(said, right, "So it is.", options))
            assert f"“**{options[right]}**”" in told
            assert said in (None, right) or f"“{options[said]}”. The answer is" in told
            assert told.endswith(" So it is.")
            without_word = told.replace("etc.", "etc")
            assert not re.search(r"\.\s*[\*”]*[.;,]", without_word), "one stop at the end of a sentence"


@on_every(PAGES)
def test_numbers_in_tables_are_numbers_and_scores_are_called_what_they_are(path):
    view = LessonView(path)
    for title, table in view.tables.items():
        for name, column in table.items():
            numeric = [isinstance(value, (int, float, np.number)) for value in column if value is not None]
            assert all(numeric) or ((view.name, title) == ("multi_head", "heads") and not any(numeric)), name
        if title == "scores":
            scope = view.scope
            traces = [scope[name].scores for name in ("trace", "shown_trace") if name in scope]
            of_words_as_they_are = scope.get("scores")
            np.testing.assert_allclose(table.to_numpy(), traces[0] if traces else of_words_as_they_are)
        assert csv(table).startswith(b"\xef\xbb\xbf"), "a spreadsheet knows the letters by this mark"
        assert not re.search(rb"^\d+\.\d+,", csv(table), re.M), "a spreadsheet reads a row's name as text"
        undefined = any(number != number for number in table.to_numpy().ravel())
        assert "NaN" not in csv(table).decode("utf-8-sig") or undefined
