"""Learned translation on the cross-attention page: own phrases, rows set by hand, heads switched off."""

import re

import numpy as np

import attention_lab.lessons.cross_attention.learned as learned
from attention_core import load_translator
from attention_core.models import phrases
from attention_core.models.translator import NAMES, score
from attention_lab.export import LIBRARIES
from attention_lab.state import permalink
from tests.pages.test_every_page import execute
from tests.visit import PATHS, LessonView, Visit, as_shown

PATH = PATHS["cross_attention"]
CREATURE = " ".join(learned.DEFAULT)
CATS = "some big blue cats"
FRENCH = ("la", "créature", "bleue", "duveteuse")


def numbers_of(text):
    return learned.numbers_of(tuple(text.split()))


def address(name="aligned", text=CREATURE, **more):
    return {"model": name, "phrase": permalink.write_matrix(numbers_of(text)), **more}


def view_of(name="aligned", text=CREATURE, **more):
    return LessonView(PATH, **address(name, text, **more))


def row(step, head, *gets):
    """A row that a hand has set, as the page keeps it."""
    return [step, head, *gets, *[0] * (phrases.LONGEST - len(gets))]


def rows_text(*rows):
    return permalink.write_matrix(np.array(rows))


def predicted(view):
    return tuple(phrases.TARGET_WORDS[number] for number in view.scope["seen"].said)


def test_page_translates_as_the_core_does():
    for name in NAMES:
        for text in (CREATURE, CATS):
            page = view_of(name, text)
            translation, scope = load_translator(name).translate(text.split()), page.scope
            assert not page.notices
            assert predicted(page) == translation.words
            weights = scope["seen"].weights[:, : len(translation.words)]
            np.testing.assert_allclose(weights, translation.weights, atol=1e-5)
            np.testing.assert_allclose(scope["seen"].next_word, translation.next_word, atol=1e-5)
            assert tuple(scope["gold"]) == translation.gold
            for head, of_head in enumerate(translation.weights):
                assert tuple(scope[f"links_{head}"]) == score(of_head, translation.gold)
            assert set(page.stage["provenance"].values()) == {"learned"}


def test_switched_off_heads_and_rows_by_hand_are_in_the_link():
    bent = [row(0, 0, 0, 0, 0, 1000), row(2, 1, 500, 500)]
    page = view_of("two_heads", off="2", bent=rows_text(*bent), step="2", head="2")
    assert predicted(page) == load_translator("two_heads").translate(learned.DEFAULT, [1], bent=bent).words
    np.testing.assert_allclose(page.scope["row"], [0.5, 0.5, 0, 0])
    assert page.scope["changed"] > 0
    assert "yours" in page.stage["provenance"].values()
    assert set(learned.besides_offered(page.values)) == {"none", "aligned", "through_encoder"}


def test_model_beside_it_is_not_changed_by_the_hand():
    page = view_of(beside="two_heads", off="1")
    translation = load_translator("two_heads").translate(learned.DEFAULT)
    np.testing.assert_allclose(page.scope["seen_2"].weights[:, :-1], translation.weights, atol=1e-5)
    assert [part["kind"] for part in page.parts].count("alignment") == 3


def test_link_says_which_version_of_the_model_it_shows():
    fingerprint = load_translator("aligned").fingerprint
    assert view_of(text=CATS).drag(step=1).link["version"] == fingerprint
    assert not view_of(text=CATS, version=fingerprint).notices
    older = view_of(text=CATS, version="0123abcd")
    assert "another version of the model, so its numbers may differ" in as_shown(older.notices[0])
    assert older.scope["english"] == tuple(CATS.split())
    by_hand = LessonView(PATH).nudge()
    assert by_hand.link
    assert "version" not in by_hand.link


def test_another_model_has_its_own_rows_and_keeps_the_phrase():
    page = Visit(PATH, **address(text=CATS, bent=rows_text(row(0, 0, 1))))
    page.choose(model="two_heads")
    assert not page.values["bent"].size
    assert page.values["version"] == load_translator("two_heads").fingerprint
    assert page.values["phrase"].tolist() == numbers_of(CATS).tolist()
    assert page.choose(model="by_hand").first("links")
    assert page.values["version"] == ""


def test_impossible_phrases_from_the_browser_are_ignored():
    for phrase in ([[3] * 13], [[]], [["x"]], [[-1]], 7, [[1], [2]]):
        assert view_of().drag(phrase=phrase).scope["french"] == FRENCH, phrase


def test_phrase_unlike_all_others_is_translated_with_a_warning():
    page = Visit(PATH, **address(text="the some cat"))
    assert page.scope["english"] == ("the", "some", "cat")
    assert "A phrase needs a noun after its adjectives" in page.at.info[0].value
    page.drag(phrase=numbers_of(CATS).tolist())
    assert not page.at.info


MET = {
    ("aligned", "other_word"): {"bent": [row(2, 0, 0, 1000)]},
    ("aligned", "other_form"): {"bent": [row(0, 0, 1000)]},
    ("two_heads", "other_form"): {"bent": [row(0, 1, 0, 1000)]},
    ("two_heads", "one_head"): {"off": 2},
}


def every_row(page):
    """Every row of the phrase, given whole to one of its words."""
    scope = page.scope
    for step in range(len(scope["french"])):
        for place in range(len(scope["english"])):
            gets = [1000 * (place == k) for k in range(len(scope["english"]))]
            yield {"bent": [row(step, 0, *gets)], "step": step}


def test_goals_can_be_reached():
    for name in NAMES:
        for goal in learned.LEARNED_GOALS[name]:
            page = view_of(name)
            assert goal not in page.reached
            tried = [MET[name, goal]] if (name, goal) in MET else every_row(page)
            assert any(goal in page.drag(**moved).reached for moved in tried), (name, goal)


def test_one_head_finds_the_word_and_the_other_its_form():
    model = load_translator("two_heads")
    assert model.record["aligning_head"] == 0, "the sentences call it head 1"
    for text in (CREATURE, CATS, "my garden likes some books"):
        whole, lost = model.translate(text.split()), {}
        for off in ("1", "2"):
            page = view_of("two_heads", text, off=off)
            now = model.translate(text.split(), heads_off=[int(off) - 1])
            lost[off] = page.scope["untranslated"]
            assert lost[off] == len(set(whole.gold) - set(now.gold))
            assert page.reached == ["one_head"]
        assert lost["1"] > lost["2"] == 0, text


def test_figures_in_the_text_are_those_of_the_record():
    def percent(share):
        return f"{100 * share:.1f}%".replace(".0%", "%")

    for name in NAMES:
        record, page = load_translator(name).record, view_of(name, beside="none")
        tests = [part["test"] for part in page.parts if part["kind"] == "alignment"]
        for figure in ("exact", "exact_unseen", "right", "wrong"):
            assert percent(record[figure]) in tests[record["aligning_head"]], (name, figure)
        if name == "two_heads":
            assert percent(record["on_noun"]) in tests[1 - record["aligning_head"]]
        text = page.first("remark")["text"]
        assert re.search(rf"Seed {record['seed']}, (one of|chosen from) {len(record['seeds_tried'])}\b", text)
        assert ("times the entropy of the attention weights" in text) == bool(record["sharpening"])


def test_programs_and_tables_hold_the_weights():
    link = address("two_heads", CATS, off="2", bent=rows_text(row(1, 0, 0, 1000)))
    page, printed = LessonView(PATH, **link), []
    for program in page.programs:
        *lines, says = execute(program).splitlines()
        assert "(end) → " in lines[-1]
        assert says == f"prediction: {' '.join(predicted(page))}"
        printed.append([float(line.split()[-1]) for line in lines])
    weights = page.scope["seen"].weights
    np.testing.assert_allclose(printed[0], weights.ravel(), atol=1e-9)
    np.testing.assert_allclose(printed[0], printed[1], atol=1e-9)
    np.testing.assert_allclose(page.tables["weights of head 2"].to_numpy(), weights[1])
    page = view_of("two_heads")
    assert page.tables["gold alignment"].to_numpy().argmax(1).tolist() == list(page.scope["gold"])
    visit = Visit(PATH, **link)
    for library in LIBRARIES:
        files = visit.open_drawer(library).at.get("download_button")
        assert "Weights file used by the program: two_heads.npz" in [file.proto.label for file in files]


def test_prediction_comes_before_the_row():
    page = Visit(PATH, **address(predict="1", step="2"))
    assert page.stage["results_hidden"]
    assert "la créature" in page.text
    assert re.search(r"\*bleue\*", page.text)
    buttons = [each for each in page.at.button if ".guess." in (each.key or "")]
    assert [each.label for each in buttons] == list(learned.DEFAULT)
    buttons[2].click()
    assert not page.run().stage["results_hidden"]
    assert "blue" in page.text
