"""The small language model: its own numbers, measured heads, ablation, swapped words, missing weights."""

from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest

from attention_core import load_language_model
from attention_core.models import grammar
from attention_core.models.language_model import (
    MEASURED_QUESTIONS,
    QUESTIONS,
    held_out_texts,
    measure_key_composition,
)
from attention_lab import language_models as models
from attention_lab import text as prose
from attention_lab.export import LIBRARIES
from attention_lab.lessons.trained_model import fields, parts
from attention_lab.text.number_format import format_number, format_share
from tests.visit import PATHS, LessonView, Visit

PATH = PATHS["trained_model"]
view_of = partial(LessonView, PATH)
MODEL = load_language_model()
OPENING = ["ana", "ben", "eva", "tim", ":", "ana", "ben"]
HEADS = [divmod(head, 5) for head in range(10)]


@cache
def measured(**address):
    return view_of(**address).first("measured")


def tokens_of(text):
    return [[grammar.PLACE_OF[word] for word in text.split()]]


def left_without_each_head(model, words):
    """The probability of the model's prediction, whole and without each head."""
    whole = model.run(words).next_word[-1]
    off = [model.run(words, heads_off=[head]).next_word[-1][whole.argmax()] for head in HEADS]
    return whole.max(), off


def test_page_opens_with_the_models_own_numbers_at_the_head_that_matters_most():
    view = view_of()
    scope, run = view.scope, MODEL.run(OPENING)
    assert set(view.stage["provenance"].values()) == {"learned"}
    assert list(scope["sentence"]) == OPENING
    np.testing.assert_allclose(scope["now"].next_word[-1], run.next_word[-1], atol=1e-5)
    np.testing.assert_allclose(scope["now"].weights[7], run.layers[1].heads.weights[2], atol=1e-5)
    sizes = [len(each.data) for each in view.view.arrays.values()]
    assert [size < 110_000 for size in sizes] == [True], "the weights are sent once"
    most = int(np.argmin(left_without_each_head(MODEL, OPENING)[1]))
    assert view.stage["pose"]["head"] == most
    assert view.stage["first"] == f"head {models.HEAD_NAMES[most]}"


# Measured heads ----------------------------------------------------------------------------------------


def test_weights_of_each_kind_are_means_over_held_out_texts():
    sums = {kind: [] for kind in MEASURED_QUESTIONS}
    texts, begun = held_out_texts(), set()
    assert all(text.held_out() for text in texts)
    for text in texts:
        weights = np.concatenate([layer.heads.weights for layer in MODEL.run(text.words).layers])
        for place in range(1, len(text.words)):
            if (beginning := text.words[: place + 1]) not in begun:
                sums["previous"].append(weights[:, place, place - 1])
            begun.add(beginning)
        for link in text.links:
            sums[link.kind].append(weights[:, link.query, link.key])
    told = measured()
    means = np.transpose([np.mean(sums[kind], axis=0, dtype=float) for kind in MEASURED_QUESTIONS])
    np.testing.assert_allclose(told["shares"], means, atol=1e-5)
    assert [kind["count"] for kind in told["kinds"]] == [len(sums[kind]) for kind in MEASURED_QUESTIONS]
    assert f"in {len({text.words for text in texts})} different texts" in told["texts"]["head"]


def test_accuracies_without_a_head_are_counted():
    told = measured(head="1.2")["without"]
    assert told["head"] == 1
    right = {"whole": {}, "off": {}}
    for text in held_out_texts():
        for how, off in (("whole", ()), ("off", [(0, 1)])):
            predicted = MODEL.run(text.words, off).next_word.argmax(-1)
            for slot in text.slots:
                right[how].setdefault(slot.kind, []).append(MODEL.words[predicted[slot.place]] in slot.answers)
    for row in told["rows"]:
        assert row["count"] == len(right["whole"][row["name"]])
        for how, of_kind in right.items():
            assert row[how] == pytest.approx(np.mean(of_kind[row["name"]])), (row["name"], how)


def test_head_is_named_after_the_most_general_of_its_best_kinds():
    """A head that attends to the previous word finds the colour of a noun, too: that is no second skill."""
    for head in range(10):
        _, share = models.does_most("readable", head)
        best = max(found[head] for found in models.load_model("readable").measured.values())
        assert share >= best - models.NEARLY
    assert models.how_often()["previous"] > max(models.how_often()[kind] for kind in list(QUESTIONS)[1:])


def test_prediction_tells_the_loss_in_percentage_points():
    (question,) = view_of(predict="1").view.questions
    loss = models.loss_without("readable", models.token_numbers(OPENING))
    assert question.judge(int(loss.argmax()))[:2] == (loss.argmax(), loss.argmax())
    told = f"the probability of *eva* falls by {format_number(100 * float(loss.max()))} percentage points."
    assert told in question.judge(None)[2]


def test_verdict_compares_what_a_head_attends_to_with_what_breaks_without_it():
    told = measured(head="2.2")["without"]
    broken = {row["name"] for row in told["rows"] if row["broken"]}
    assert models.does_most("readable", 6)[0] == "induction"
    assert len(broken) > 1
    assert "induction" in broken
    assert "Without it, accuracy on “repeated names” falls, as you would expect." in told["says"]
    unexplained = told["says"].split("does not explain why it falls on these, too: ")[1].split(". This is an")[0]
    for row in told["rows"]:
        assert (f"“{row['label']}”" in unexplained) == (row["name"] in broken - {"induction"})
    unknown = next(name for k, name in enumerate(models.HEAD_NAMES) if models.does_most("plain", k)[1] < 0.5)
    assert measured(model="plain", head=unknown)["without"]["says"].startswith(
        "This head has none of the 9 jobs measured. "
        "In each, the expected word gets less than half of its attention."
    )


FITS = "accuracy falls for only one kind of prediction: “repeated names”. The two fit together."
UNEXPLAINED = "accuracy on “word senses” falls too, and the head’s attention does not explain that."
ANOTHER = "“repeated names” stays accurate without it, and accuracy on “word senses” falls."
OTHERS = "“repeated names” stays accurate without it, and accuracy falls on these: "
MANY, NONE = "and accuracy falls on 4 of 7 kinds of predictions.", "but accuracy hardly falls without it."


@pytest.mark.parametrize(
    ("lost", "says"),
    [
        ("induction", FITS),
        ("induction sense", UNEXPLAINED),
        ("sense", ANOTHER),
        ("sense colour", OTHERS),
        ("sense colour texture animal_or_street", MANY),
        ("", NONE),
    ],
)
def test_verdict_has_a_sentence_for_everything_that_can_break(lost, says):
    text, lost = prose.read("trained_model"), lost.split()
    rows = [
        {"name": kind, "label": label, "whole": 1.0, "off": 1.0 - 0.5 * (kind in lost), "broken": kind in lost}
        for kind, label in text.parts("answers").items()
    ]
    assert says in parts.verdict(SimpleNamespace(model="readable", text=text), 6, rows)


def test_induction_head_is_named_with_what_its_keys_read():
    whole, left = measure_key_composition(MODEL, 0, 1, "induction", held_out_texts())
    says = measured(head="2.2")["without"]["says"]
    assert "This is an induction head. Its keys read what head 1.1 wrote" in says
    assert f"from {format_share(whole)} to {format_share(left)}" in says
    assert left < 0.7 * whole
    for writer in range(1, 5):
        assert measure_key_composition(MODEL, writer, 1, "induction", held_out_texts())[1] > 0.9 * whole
    assert "induction head" not in measured(head="1.1")["without"]["says"]


# In the reader's hand ----------------------------------------------------------------------------------


def test_dimmed_head_counts_with_the_rest_of_its_strength():
    dimmed = np.zeros((2, 5))
    dimmed[0, 0] = 0.4
    view = view_of().drag(dimmed=dimmed.tolist())
    run = MODEL.run(OPENING, strengths=1 - dimmed)
    np.testing.assert_allclose(view.scope["now"].next_word[-1], run.next_word[-1], atol=1e-5)
    assert "yours" in view.stage["provenance"].values()
    assert view.link["version"] == MODEL.fingerprint


def test_swapped_word_is_compared_with_the_text_before_it():
    view = view_of(opening="walkers").drag(word=1)
    before = view.stage["pose"]["tokens"]
    view.drag(tokens=tokens_of("the musician player took a deep breath and walked out onto the"), before=before)
    pose, scope = view.stage["pose"], view.scope
    assert pose["before"] == before
    assert pose["word"] == 1
    assert scope["exchanged"] == 1
    assert scope["change"].states[0, 1] > 0 == scope["change"].states[2, 0]
    view.drag(tokens=tokens_of("the musician smiled"))
    assert view.stage["pose"]["before"] == view.stage["pose"]["tokens"], "texts of other lengths do not compare"


def test_another_opening_brings_its_words_and_keeps_dimmed_heads():
    for pair in fields.OPENINGS.values():
        assert len(pair) == 2
        assert {word for text in pair for word in text} <= set(grammar.WORDS)
    visit = Visit(PATH, dimmed="0_0_0_1_0__0_0_0_0_0", tokens="1_2_3")
    pose = visit.choose(opening="bank").stage["pose"]
    assert list(visit.scope["sentence"]) == list(fields.OPENINGS["bank"][0])
    assert pose["dimmed"][0][3] == 1
    assert pose["word"] == len(pose["tokens"][0]) - 1


def test_senses_of_a_word_begin_as_one_vector_and_separate():
    scope = view_of().scope
    assert scope["same_0"] == pytest.approx(1)
    assert scope["unlike_0"] == pytest.approx(1)
    assert scope["unlike_2"] < scope["same_2"] - 0.1
    for word in models.SENSES:
        found = models.in_senses(word)
        assert found.texts.shape == (models.MOST_TEXTS, 9)
        for text, hint, group in zip(found.texts, found.hints, found.groups, strict=True):
            assert hint in [grammar.WORDS[number] for number in text]
            assert hint in list(grammar.SENSES[word].values())[group][0]


# Weights and their record ------------------------------------------------------------------------------


def test_programs_come_with_their_weights_and_name_them_where_they_are_missing(tmp_path, monkeypatch):
    visit = Visit(PATH, model="plain")
    monkeypatch.chdir(tmp_path)
    for library in LIBRARIES:
        menu = visit.open_drawer(library).at
        labels = [button.proto.label for button in menu.get("download_button")]
        assert "Weights file used by the program: plain.npz" in labels
        with pytest.raises(SystemExit, match=r"save plain\.npz"):
            exec(compile(menu.code[0].value, "program", "exec"), {})


def test_record_of_the_training_is_shown():
    text, record = Visit(PATH).unfold("record").text, MODEL.record
    assert f"| {record['seed']} |" in text
    assert MODEL.fingerprint in text
    assert f"{record['sharpening']} times the mean entropy" in text
    for name in ("readable", "plain"):
        of_model = load_language_model(name).record
        for seed in of_model["tried"]:
            assert f"{name}, seed {seed}{' (shipped)' * (seed == str(of_model['seed']))}" in text
    labels = prose.read("trained_model")
    for kind, count in record["counted"]["questions"].items():
        assert f"{labels[f'kinds/{kind}']} (n = {count})" in text
