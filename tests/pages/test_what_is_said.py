"""What a page says is true of the numbers beside it, whatever state it is in."""

import json
import math
import re

import numpy as np
import pytest

from attention_core import SHAPES, count_parameters
from attention_lab import text as prose
from attention_lab.export import csv
from attention_lab.lessons.position import parts as position_parts
from attention_lab.lessons.values.calculation import PRINTED
from attention_lab.state import permalink, predictions
from tests.visit import LESSONS, NAMES, PAGES, Visit, as_shown, fields_of, lesson_of

PATHS = dict(zip(NAMES, LESSONS, strict=True))
# Where rows of something else than a pattern are meant: a table of words, of places, of bars.
OTHER_ROWS = {"queries_keys", "position", "softmax", "similarity", "self_attention", "scale"}


def everything_said(visit):
    """All words on a page: its text, and what the stage is told."""
    return f"{visit.text}\n{json.dumps(visit.stage['columns'], ensure_ascii=False)}\n{visit.stage['title']}"


def states_of(path):
    """Addresses that lead through a page's choices, one at a time."""
    yield {}
    for field in fields_of(path):
        if field.name in ("example", "mask", "positions", "layers", "way", "looks", "norm", "change"):
            values = Visit(path).values
            for option in field.options(values):
                yield {field.name: permalink.escape(str(option))}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in OTHER_ROWS])
def test_what_is_said_of_rows_is_said_of_columns_where_queries_stand_in_columns(name):
    for state in states_of(PATHS[name]):
        ways = (Visit(PATHS[name], **state, orientation=way) for way in ("rows", "columns"))
        said, turned = map(sentences, ways)
        assert {exchanged(sentence) for sentence in said} == turned, state


def sentences(visit):
    """What a page says of rows and columns."""
    found = re.findall(r"[^\n\"]*\b(?:row|column)s?\b[^\n\"]*", everything_said(visit))
    return {sentence for sentence in found if " " in sentence.strip()}


def exchanged(sentence):
    """A sentence with rows for columns and columns for rows."""
    return re.sub(
        r"(?<!\{)\b(row|column)(?=s?\b)", lambda way: {"row": "column", "column": "row"}[way[1]], sentence
    )


@pytest.mark.parametrize("name", NAMES)
def test_no_hole_is_left_in_a_sentence(name):
    for state in states_of(PATHS[name]):
        said = everything_said(Visit(PATHS[name], **state))
        assert not re.search(r"\{(query_row|key_column)", said), state


# Position ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rotary"])
@pytest.mark.parametrize("strength", ["0", "1"])
def test_what_position_says_of_places_is_what_they_do(positions, strength):
    visit = Visit(PATHS["position"], positions=positions, strength=strength)
    plane = next(part for part in visit.parts if part["kind"] == "plane")
    scope, words = visit.scope, prose.read("position")
    moved = np.abs(np.subtract(scope["placed"], scope["x"])).max() > 0
    assert ("nothing is added" in plane["hint"]) == (not moved)
    knows_its_place = scope["largest"] > 1e-9
    assert ("Position information is off" in plane["hint"]) <= (not knows_its_place)
    if knows_its_place:
        assert "nothing but rounding" not in visit.text
        order = next(part for part in visit.parts if part["kind"] == "order")
        assert order["least"] < scope["largest"]
        assert words["verdict/unlike"] == order["texts"]["unlike"]


def test_every_way_to_know_a_place_has_a_sentence_of_its_own():
    states = [("none", 1.0), ("sinusoidal", 1.0), ("rotary", 1.0), ("rotary", 0.0)]

    class Page:
        def __init__(self, positions, strength):
            self.positions, self.strength = positions, strength

    said = [prose.read("position")[position_parts.what_places_do(Page(*state))] for state in states]
    assert len(set(said)) == len(said)


# Values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", ["money_bank", "river_bank"])
@pytest.mark.parametrize("moved", [{}, {"W_query": "1_0__0_1"}, {"W_key": "1_0__0_1"}, {"word": "0"}])
def test_a_preset_promises_only_weights_that_it_gives(example, moved):
    if "word" in moved:
        moved = {"word": "money" if example == "money_bank" else "river"}
    visit = Visit(PATHS["values"], example=permalink.escape(example), **moved)
    preset = next(part for part in visit.parts if part["kind"] == "presets")["buttons"][1]
    visit.drag(**preset["set"])
    weights = visit.scope["trace"].weights[visit.scope["word"]]
    promised = [
        float(number)
        for number in re.findall(r"weights of ([\d.]+) and ([\d.]+)", preset["text"])[:1]
        for number in number
    ]
    if promised:
        np.testing.assert_allclose(weights, promised, atol=5e-4)
    else:
        assert (
            not np.allclose(weights, PRINTED["printed_weights"][0], atol=5e-4) or visit.values["word"] != "bank"
        )


def test_a_score_that_cancels_is_nothing():
    visit = Visit(PATHS["values"], example="money_5f_bank", word="money")
    visit.at.session_state["values.matrices"] = True
    visit.run()
    lines = "\n".join(line.value for line in visit.at.latex)
    assert 0 < abs(visit.scope["trace"].scores).min() < 1e-12, "there is such a score"
    assert "10⁻¹" not in lines
    assert re.search(r"= 0\b", lines)


# Scale ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", SHAPES)
def test_what_scale_says_of_norms_is_what_it_counts(model):
    """Two norms a layer, three in a decoder layer, one more at the end of GPT-2 and GPT-3 alone."""
    shape = SHAPES[model]
    norms = 2 * shape.num_layers + 3 * shape.decoder_layers + ("gpt" in model)
    assert count_parameters(shape).norms == 2 * norms * shape.d_model
    assert "a decoder layer with cross-attention has three" in prose.read("scale").plain("text")


def test_the_memory_of_pattern_and_cache_says_how_large_a_number_is():
    visit = Visit(PATHS["scale"])
    shape, context = visit.scope["shape"], visit.values["context"]
    numbers = 2 * context * shape.d_k * shape.num_kv_heads * shape.num_layers
    assert visit.scope["cache"] == 2 * numbers
    entries = next(part for part in visit.parts if part["kind"] == "account")["entries"]
    cache = next(entry for entry in entries if entry["name"] == "cache")
    assert "2 bytes per number" in cache["how"][0]


# Queries and keys, home, self-attention --------------------------------------------------------------------


def test_whom_apple_finds_is_as_the_text_says():
    text = prose.read("queries_keys")["text"]
    assert "made for *orange apple phone*, *apple* attends to *orange*" in text
    scope = Visit(PATHS["queries_keys"], example="orange_apple_phone").scope
    weights, words = scope["trace"].weights, list(scope["words"])
    row = np.delete(weights[words.index("apple")], words.index("apple"))
    assert [word for word in words if word != "apple"][row.argmax()] == "orange"
    first = Visit(PAGES[0]).scope
    words = list(first["words"])
    assert words[first["trace"].weights[words.index("apple")].argmax()] == "phone"


def test_homes_formula_mixes_values_and_says_so():
    _, below = (part for part in Visit(PAGES[0]).parts if part["kind"] == "by_choice")
    formula = next(part for part in below["choices"][1] if part["kind"] == "formula")
    mix = json.dumps(formula["lines"][0]["tree"])
    assert mix.count('"v"') == len(Visit(PAGES[0]).scope["words"])


def test_numbers_that_cannot_be_dragged_are_not_said_to_be():
    ledger = next(part for part in Visit(PATHS["self_attention"]).parts if part["kind"] == "ledger")
    assert "dragged" in ledger["hint"]
    assert "dragged" not in ledger["hint_given"]


# Guesses -------------------------------------------------------------------------------------------------

OPTIONS = {
    name: [text for part, text in prose.read(name).items() if re.fullmatch(r"predict/\w+/\w+", part)]
    for name in ("home", *NAMES)
}


@pytest.mark.parametrize("name", [name for name, options in OPTIONS.items() if options])
def test_what_is_said_of_a_guess_is_a_sentence_whatever_was_said(name):
    options = [*OPTIONS[name], "etc."]
    for right in range(len(options)):
        for said in (None, *range(len(options))):
            told = as_shown(predictions.verdict(said, right, "So it is.", options))
            assert f"“**{options[right]}**”" in told
            assert said in (None, right) or f"“{options[said]}”. The answer is" in told
            assert told.endswith(" So it is.")
            without_word = told.replace("etc.", "etc")
            assert not re.search(r"\.\s*[\*”]*[.;,]", without_word), "one stop at the end of a sentence"


# First moves ---------------------------------------------------------------------------------------------


def test_the_first_move_of_queries_and_keys_is_there_in_every_way_in():
    """What is ringed is so until anything was moved; another way in is found behind that."""
    for state in ({}, {"way": "one"}, {"example": "fluffy_5f_blue_5f_creature"}):
        visit = Visit(PATHS["queries_keys"], **state)
        first = "".join(next(part["first"] for part in visit.parts if part["kind"] == "goals"))
        assert ("ringed" in first) == (state == {}), state
        assert ("shared matrix moves" in first) == (visit.values["way"] == "one")
        assert ("feature" in first) == (visit.values["way"] == "features")
        assert visit.stage["first"].startswith("query " if state == {} else "W_query ")


# Tables --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_numbers_in_tables_are_numbers_and_scores_are_called_what_they_are(path):
    visit = Visit(path)
    words = lesson_of(path)
    for title, table in visit.tables.items():
        for name, column in table.items():
            kinds = {type(value) for value in column if value is not None}
            assert not (str in kinds and len(kinds) > 1), (title, name)
            numeric = column.map(lambda value: isinstance(value, (int, float, np.number)) or value is None).all()
            assert numeric or (visit.name, title) == ("multi_head", "heads"), (title, name)
        if title == "scores":
            traces = [visit.scope[name] for name in ("trace", "shown_trace") if name in visit.scope]
            scores = (
                traces[0].scores if traces else visit.scope["scores"]
            )  # words that compare themselves as they are
            np.testing.assert_allclose(table.to_numpy(), scores, err_msg=f"{words.__name__}: not q · k")
        assert csv(table).startswith(b"\xef\xbb\xbf"), "a spreadsheet knows the letters by this mark"
        text = csv(table).decode("utf-8-sig")
        assert "NaN" not in text or any(math.isnan(x) for x in table.to_numpy().ravel() if isinstance(x, float))
