"""Learned translation on the cross-attention page: one's own phrase, rows set by hand, heads off."""

import contextlib
import io
import re

import numpy as np
import pytest

import attention_lab.lessons.cross_attention.learned as learned
from attention_core import load_translator
from attention_core.models import phrases
from attention_core.models.translator import NAMES, score
from attention_lab.export import LIBRARIES
from attention_lab.state import permalink
from tests.visit import LESSONS, Visit, as_shown
from tests.visit import NAMES as PAGES

PATH = LESSONS[PAGES.index("cross_attention")]
CREATURE = " ".join(learned.DEFAULT)
CATS = "some big blue cats"
every_model = pytest.mark.parametrize("name", NAMES)


def numbers(text):
    """An English text as the address has it."""
    return permalink.write_matrix(learned.numbers_of(tuple(text.split())))


def visit(name="aligned", text=CREATURE, **address):
    return Visit(PATH, model=name, phrase=numbers(text), **address)


def row(step, head, *gets):
    """A row that a hand has set, as the page keeps it."""
    return [step, head, *gets, *[0] * (phrases.LONGEST - len(gets))]


def part(page, kind):
    return next(each for each in page.parts if each["kind"] == kind)


@every_model
@pytest.mark.parametrize("text", [CREATURE, CATS])
def test_the_page_translates_as_the_core_does(name, text):
    page, model = visit(name, text), load_translator(name)
    said, scope = model.translate(text.split()), page.scope
    assert tuple(phrases.TARGET_WORDS[number] for number in scope["seen"].said) == said.words
    np.testing.assert_allclose(scope["seen"].weights[:, : len(said.words)], said.weights, atol=1e-5)
    np.testing.assert_allclose(scope["seen"].next_word, said.next_word, atol=1e-5)
    assert tuple(scope["gold"]) == said.gold
    for head in range(len(said.weights)):
        assert tuple(scope[f"links_{head}"]) == score(said.weights[head], said.gold)
    assert set(page.badges) == {"learned"}
    assert not page.at.warning
    assert not page.at.info


def test_heads_off_and_rows_by_hand_stand_in_the_address():
    bent = [row(0, 0, 0, 0, 0, 1000), row(2, 1, 500, 500)]
    page = visit("two_heads", off="2", bent=permalink.write_matrix(np.array(bent)), step="2", head="2")
    said = load_translator("two_heads").translate(learned.DEFAULT, heads_off=[1], bent=bent)
    scope = page.scope
    assert tuple(phrases.TARGET_WORDS[number] for number in scope["seen"].said) == said.words
    np.testing.assert_allclose(scope["row"], [0.5, 0.5, 0, 0])
    assert scope["changed"] > 0
    assert "yours" in page.badges
    assert set(learned.besides_offered(page.values)) == {"none", "aligned", "through_encoder"}


def test_the_model_beside_it_is_not_touched_by_the_hand():
    page = visit(beside="two_heads", off="1")
    said = load_translator("two_heads").translate(learned.DEFAULT)
    np.testing.assert_allclose(page.scope["seen_2"].weights[:, :-1], said.weights, atol=1e-5)
    grids = [each for each in page.parts if each["kind"] == "alignment"]
    assert len(grids) == 3


def test_the_address_says_which_version_of_the_model_it_is():
    page = visit(text=CATS)
    model = load_translator("aligned")
    assert page.drag(step=1).link["version"] == model.fingerprint
    assert not visit(text=CATS, version=model.fingerprint).at.warning
    older = visit(text=CATS, version="0123abcd")
    assert "another version of the model, so its numbers may differ" in as_shown(older.at.warning[0].value)
    assert older.scope["english"] == tuple(CATS.split())
    by_hand = Visit(PATH).nudge()
    assert by_hand.link
    assert "version" not in by_hand.link


def test_another_model_begins_with_its_own_rows_and_keeps_the_phrase():
    page = visit(text=CATS, bent=permalink.write_matrix(np.array([row(0, 0, 1)])))
    page.at.selectbox(key="cross_attention.model").select("two_heads")
    page.run()
    assert not page.values["bent"].size
    assert page.values["version"] == load_translator("two_heads").fingerprint
    assert learned.numbers_of(tuple(CATS.split())).tolist() == page.values["phrase"].tolist()
    page.at.selectbox(key="cross_attention.model").select("by_hand")
    page.run()
    assert part(page, "links")
    assert page.values["version"] == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("phrase", "_".join(["3"] * 13)),
        ("phrase", "1_999"),
        ("phrase", "1.5"),
        ("phrase", "1__2"),
        ("bent", permalink.write_matrix(np.array([row(0, 1, 1)]))),
        ("bent", permalink.write_matrix(np.array([row(0, 0, -1)]))),
        ("version", "newest"),
        ("off", "2"),
    ],
)
def test_what_cannot_be_is_left_out_with_its_reason(name, text):
    page = Visit(PATH, model="aligned", **{name: text})
    assert name in page.at.warning[0].value
    assert page.scope["french"] == ("la", "créature", "bleue", "duveteuse")


def test_a_forged_phrase_changes_nothing():
    page = visit()
    for phrase in ([[3] * 13], [[]], [["x"]], [[-1]], 7, [[1], [2]]):
        page.drag(phrase=phrase)
        assert page.scope["french"] == ("la", "créature", "bleue", "duveteuse")


def test_a_text_unlike_all_others_is_translated_and_said_to_be_so():
    page = visit(text="the some cat")
    assert page.scope["english"] == ("the", "some", "cat")
    assert "A phrase needs a noun after its adjectives" in page.at.info[0].value
    page.drag(phrase=learned.numbers_of(tuple(CATS.split())).tolist())
    assert not page.at.info


def test_weights_that_cannot_be_read_are_left_out_and_named(monkeypatch):
    load = load_translator

    def damaged(name):
        if name == "two_heads":
            raise ValueError("the weights two_heads.npz cannot be read: it is no zip file")
        return load(name)

    monkeypatch.setattr(learned.models, "load_translator", damaged)
    monkeypatch.setitem(learned.models.LOADERS, "two_heads", lambda: damaged("two_heads"))
    learned._loaded.cache_clear()
    learned.models.unreadable.cache_clear()
    try:
        page = Visit(PATH)
        assert "two_heads.npz" in as_shown(page.at.info[0].value)
        assert part(page, "links")
        assert page.at.selectbox(key="cross_attention.model").options == [
            "weights set by hand",
            "learned: no encoder",
            "learned: with encoder",
        ]
        page.arrive(model="two_heads")
        assert "model" in page.at.warning[0].value
        page.arrive(model="aligned")
        assert page.scope["french"] == ("la", "créature", "bleue", "duveteuse")
    finally:
        learned._loaded.cache_clear()
        learned.models.unreadable.cache_clear()


MET = {
    ("aligned", "other_word"): {"bent": [row(2, 0, 0, 1000)]},
    ("aligned", "other_form"): {"bent": [row(0, 0, 1000)]},
    ("two_heads", "other_form"): {"bent": [row(0, 1, 0, 1000)]},
    ("two_heads", "one_head"): {"off": 2},
}


@every_model
def test_the_goals_can_be_reached(name):
    for goal in learned.LEARNED_GOALS[name]:
        page = visit(name)
        assert goal not in page.reached
        tried = [MET[name, goal]] if (name, goal) in MET else every_row(page)
        for moved in tried:
            page.drag(**moved)
            if goal in page.reached:
                break
        assert goal in page.reached, (name, goal)


@pytest.mark.parametrize("text", [CREATURE, CATS, "my garden likes some books"])
def test_one_head_finds_the_word_and_the_other_its_form(text):
    model = load_translator("two_heads")
    assert model.record["aligning_head"] == 0, "the sentences call it head 1"
    lost = {}
    for off in ("1", "2"):
        page, now = visit("two_heads", text, off=off), model.translate(text.split(), heads_off=[int(off) - 1])
        whole = model.translate(text.split())
        lost[off] = page.scope["untranslated"]
        assert lost[off] == len(set(whole.gold) - set(now.gold))
        assert page.reached == ["one_head"]
    assert lost["1"] > lost["2"] == 0


def every_row(page):
    """Every row of the phrase, given whole to one of its words."""
    scope = page.scope
    for step in range(len(scope["french"])):
        for place in range(len(scope["english"])):
            gets = [1000 * (place == k) for k in range(len(scope["english"]))]
            yield {"bent": [row(step, 0, *gets)], "step": step}


@every_model
def test_the_figures_said_are_those_of_the_record(name):
    record, page = load_translator(name).record, visit(name, beside="none")
    tests = [each["test"] for each in page.parts if each["kind"] == "alignment"]
    said = tests[record["aligning_head"]]
    for part_of in (record["exact"], record["exact_unseen"], record["right"], record["wrong"]):
        assert f"{100 * part_of:.1f}%".replace(".0%", "%") in said
    if name == "two_heads":
        assert f"{100 * record['on_noun']:.1f}%".replace(".0%", "%") in tests[1 - record["aligning_head"]]
    made = part(page, "remark")["text"]
    assert f"Seed {record['seed']} of {len(record['seeds_tried'])}" in made
    assert ("penalised spread-out weights" in made) == bool(record["sharpening"])
    assert "{" not in made + "".join(tests)


def test_the_programs_say_the_same():
    bent = permalink.write_matrix(np.array([row(1, 0, 0, 1000)]))
    page = visit("two_heads", CATS, off="2", bent=bent)
    scope, printed = page.scope, []
    for program in page.programs:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(program, "program", "exec"), {})
        *lines, says = out.getvalue().splitlines()
        assert "(end) → " in lines[-1]
        words = [phrases.TARGET_WORDS[number] for number in scope["seen"].said]
        assert says == f"prediction: {' '.join(words)}"
        printed.append([float(line.split()[-1]) for line in lines])
    np.testing.assert_allclose(printed[0], scope["seen"].weights.ravel(), atol=1e-9)
    np.testing.assert_allclose(printed[0], printed[1], atol=1e-9)
    for library in LIBRARIES:
        files = page.open_drawer(library).at.get("download_button")
        assert "Weights file used by the program: two_heads.npz" in [file.proto.label for file in files]


def test_a_guess_comes_before_the_row():
    page = visit(predict="1", step="2")
    assert page.stage["veil"]
    assert "la créature" in page.text
    assert re.search(r"\*bleue\*", page.text)
    buttons = [each for each in page.at.button if ".guess." in (each.key or "")]
    assert [each.label for each in buttons] == list(learned.DEFAULT)
    buttons[2].click()
    page.run()
    assert not page.stage["veil"]
    assert "blue" in page.text


def test_the_tables_hold_the_weights():
    page = visit("two_heads")
    tables, scope = page.tables, page.scope
    np.testing.assert_allclose(tables["weights of head 2"].to_numpy(), scope["seen"].weights[1])
    gold = tables["gold alignment"].to_numpy()
    assert gold.argmax(1).tolist() == list(scope["gold"])
