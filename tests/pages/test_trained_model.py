"""The small language model: its own numbers, measured heads, dimmers, swapped words, missing weights."""

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
from attention_lab import text as prose
from attention_lab.export import LIBRARIES
from attention_lab.lessons.trained_model import fields, models, parts
from attention_lab.text.number_format import format_share
from tests.visit import LESSONS, NAMES, Visit, array_messages, as_shown

PATH = LESSONS[NAMES.index("trained_model")]
ON = ["ana", "ben", "eva", "tim", ":", "ana", "ben"]


@pytest.fixture(scope="module")
def model():
    return load_language_model()


def part(visit, kind):
    return next(part for part in visit.parts if part["kind"] == kind)


def tokens_of(text):
    return [[grammar.PLACE_OF[word] for word in text.split()]]


def test_it_opens_with_the_models_own_numbers(model):
    visit = Visit(PATH)
    scope, run = visit.scope, model.run(ON)
    assert visit.badges == ["learned"]
    assert list(scope["sentence"]) == ON
    np.testing.assert_allclose(scope["now"].next_word[-1], run.next_word[-1], atol=1e-5)
    np.testing.assert_allclose(scope["now"].weights[7], run.layers[1].heads.weights[2], atol=1e-5)
    sent = array_messages(visit.at)
    assert [len(each) < 110_000 for each in sent] == [True], "the weights travel once"


def test_it_opens_with_the_head_that_its_answer_needs_most(model):
    visit = Visit(PATH)
    answer = model.run(ON).next_word[-1].argmax()
    left = [model.run(ON, heads_off=[divmod(head, 5)]).next_word[-1][answer] for head in range(10)]
    assert visit.stage["pose"]["head"] == int(np.argmin(left))
    assert visit.stage["first"] == f"head {models.HEAD_NAMES[int(np.argmin(left))]}"


def test_what_heads_do_is_measured(model):
    """Anew, text by text: at every link of a kind the weight of the word that answers."""
    shares = part(Visit(PATH), "measured")["shares"]
    sums = {kind: [] for kind in MEASURED_QUESTIONS}
    for text in held_out_texts():
        weights = np.concatenate([layer.heads.weights for layer in model.run(text.words).layers])
        for place in range(1, len(text.words)):
            sums["previous"].append(weights[:, place, place - 1])
        for link in text.links:
            sums[link.kind].append(weights[:, link.query, link.key])
    for k, kind in enumerate(MEASURED_QUESTIONS):
        np.testing.assert_allclose(
            np.array(shares)[:, k], np.mean(sums[kind], axis=0, dtype=float), atol=1e-5, err_msg=kind
        )
    counts = [kind["count"] for kind in part(Visit(PATH), "measured")["kinds"]]
    assert counts == [len(sums[kind]) for kind in MEASURED_QUESTIONS]


def test_texts_held_out_were_not_trained_on_and_there_are_as_many_as_is_said():
    visit = Visit(PATH)
    texts = held_out_texts()
    assert all(text.held_out() for text in texts)
    assert f"in {len({text.words for text in texts})} different texts" in part(visit, "measured")["texts"]["head"]


def test_what_breaks_without_a_head_is_counted(model):
    told = part(Visit(PATH, head="1.2"), "measured")["without"]
    assert told["head"] == 1
    right = {"whole": {}, "off": {}}
    for text in held_out_texts():
        for how, off in (("whole", ()), ("off", [(0, 1)])):
            said = model.run(text.words, off).next_word.argmax(-1)
            for slot in text.slots:
                right[how].setdefault(slot.kind, []).append(model.words[said[slot.place]] in slot.answers)
    for row in told["rows"]:
        assert row["count"] == len(right["whole"][row["name"]])
        for how, of_kind in right.items():
            assert row[how] == pytest.approx(np.mean(of_kind[row["name"]])), (row["name"], how)


def test_a_head_that_answers_all_that_stands_before_is_told_by_the_more_general():
    """Who looks at the word before has the colour of a noun, too: that is no second skill."""
    for head in range(10):
        _, share = models.does_most("readable", head)
        best = max(found[head] for found in models.load_model("readable").measured.values())
        assert share >= best - models.NEARLY
    assert models.how_often()["previous"] > max(models.how_often()[kind] for kind in list(QUESTIONS)[1:])


def test_a_head_under_the_dimmer(model):
    visit = Visit(PATH)
    dimmed = np.zeros((2, 5))
    dimmed[0, 0] = 0.4
    visit.drag(dimmed=dimmed.tolist())
    run = model.run(ON, strengths=1 - dimmed)
    np.testing.assert_allclose(visit.scope["now"].next_word[-1], run.next_word[-1], atol=1e-5)
    assert "yours" in visit.badges
    assert visit.link["version"] == model.fingerprint


def test_a_word_exchanged_stays_the_one_that_asks():
    visit = Visit(PATH, opening="walkers").drag(word=1)
    before = visit.stage["pose"]["tokens"]
    visit.drag(tokens=tokens_of("the musician player took a deep breath and walked out onto the"), before=before)
    pose, scope = visit.stage["pose"], visit.scope
    assert pose["before"] == before
    assert pose["word"] == 1
    assert scope["exchanged"] == 1
    assert scope["change"].states[0, 1] > 0 == scope["change"].states[2, 0]
    again = Visit(PATH, **visit.link)
    assert again.stage["pose"] == pose
    visit.drag(tokens=tokens_of("the musician smiled"))
    assert visit.stage["pose"]["before"] == visit.stage["pose"]["tokens"], "texts of other lengths do not compare"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ({"tokens": "1_2_999"}, f"from 0 to {len(grammar.WORDS) - 1}"),
        ({"tokens": "1_2.5"}, "whole numbers"),
        ({"tokens": "_".join(["1"] * 33)}, "33 words are too many. Enter at most 32"),
        ({"tokens": "__"}, "tokens"),
        ({"dimmed": "1_0_0_0_0__0_0_0_0_2"}, "out of range"),
        ({"dimmed": "-1_0_0_0_0__0_0_0_0_0"}, "Use a number from -0.5 to 1"),
        ({"dimmed": "1_0"}, "2 × 5 numbers"),
        ({"head": "3.1"}, "head"),
        ({"depth": "2.5"}, "Use a number from 0 to 2"),
        ({"version": "0123abcd"}, "another version of the model, so its numbers may differ"),
    ],
)
def test_what_cannot_be_is_the_default_and_one_line(address, said):
    visit = Visit(PATH, **address)
    assert len(visit.at.warning) == 1
    assert said in as_shown(visit.at.warning[0].value)
    assert visit.stage["pose"] == Visit(PATH).stage["pose"]


def test_openings_are_pairs_of_words_that_it_knows():
    for pair in fields.OPENINGS.values():
        assert len(pair) == 2
        assert {word for text in pair for word in text} <= set(grammar.WORDS)


def test_another_opening_comes_with_its_words_and_leaves_heads_dimmed():
    visit = Visit(PATH, dimmed="0_0_0_1_0__0_0_0_0_0", tokens="1_2_3")
    visit.at.selectbox(key="trained_model.opening").set_value("bank")
    visit.run()
    pose = visit.stage["pose"]
    assert list(visit.scope["sentence"]) == list(fields.OPENINGS["bank"][0])
    assert pose["dimmed"][0][3] == 1
    assert pose["word"] == len(pose["tokens"][0]) - 1


def test_senses_begin_as_one_vector_and_part():
    scope = Visit(PATH).scope
    assert scope["same_0"] == pytest.approx(1)
    assert scope["unlike_0"] == pytest.approx(1)
    assert scope["unlike_2"] < scope["same_2"] - 0.1
    for word in models.SENSES:
        found = models.in_senses(word)
        assert found.texts.shape == (models.MOST_TEXTS, 9)
        for text, hint, group in zip(found.texts, found.hints, found.groups, strict=True):
            words = [grammar.WORDS[number] for number in text]
            assert hint in words
            assert hint in list(grammar.SENSES[word].values())[group][0]


def test_weights_that_are_missing_are_said_to_be_so(monkeypatch):
    def missing(name):
        raise ValueError(f"the weights {name}.npz cannot be read")

    models.fault.cache_clear()
    monkeypatch.setattr(models, "load_language_model", missing)
    try:
        visit = Visit(PATH)
        assert [error.value for error in visit.at.error] == [
            "The weights of this model, readable.npz, are missing or damaged, so it cannot be shown. "
            "Everything else in the course works without it."
        ]
        assert "trained_model" not in visit.stages
    finally:
        models.fault.cache_clear()


def test_the_weights_come_with_the_programs_and_are_named_where_they_are_missing(tmp_path, monkeypatch):
    visit = Visit(PATH, model="plain")
    monkeypatch.chdir(tmp_path)
    for library in LIBRARIES:
        menu = visit.open_drawer(library).at
        labels = [button.proto.label for button in menu.get("download_button")]
        assert "Weights file used by the program: plain.npz" in labels
        with pytest.raises(SystemExit, match=r"save plain\.npz"):
            exec(compile(menu.code[0].value, "program", "exec"), {})


def test_what_a_head_looks_at_is_held_against_what_breaks_without_it():
    def told(**address):
        return part(Visit(PATH, **address), "measured")["without"]

    told_of = told(head="2.2")
    broken = {row["name"] for row in told_of["rows"] if row["broken"]}
    assert models.does_most("readable", 6)[0] == "induction"
    assert len(broken) > 1
    assert "induction" in broken
    assert "Without it, “repeated names” breaks, as you would expect." in told_of["says"]
    unexplained = told_of["says"].split("does not explain why these break too: ")[1]
    for row in told_of["rows"]:
        assert (f"“{row['label']}”" in unexplained) == (row["name"] in broken - {"induction"})
    unknown = next(name for k, name in enumerate(models.HEAD_NAMES) if models.does_most("plain", k)[1] < 0.5)
    assert part(Visit(PATH, model="plain", head=unknown), "measured")["without"]["says"].startswith(
        "None of the 9 cases gets half of this head’s attention"
    )


@pytest.mark.parametrize(
    ("lost", "says"),
    [
        ({"induction"}, "Only one kind of prediction breaks without it: “repeated names”. The two fit together."),
        ({"induction", "sense"}, "But “word senses” breaks too, and its attention does not explain that."),
        ({"sense"}, "“repeated names” stays right without it, and “word senses” breaks."),
        ({"sense", "colour"}, "“repeated names” stays right without it, and these break: "),
        (
            {"sense", "colour", "texture", "animal_or_street"},
            "and 4 of 7 kinds of predictions break.",
        ),
        (set(), "but nothing breaks without it."),
    ],
)
def test_what_breaks_fits_only_where_nothing_else_breaks(lost, says):
    rows = [
        {"name": kind, "label": label, "whole": 1.0, "off": 0.5 if kind in lost else 1.0, "broken": kind in lost}
        for kind, label in prose.read("trained_model").parts("answers").items()
    ]
    page = SimpleNamespace(model="readable", text=prose.read("trained_model"))
    assert says in parts.verdict(page, 6, rows)


def test_the_induction_head_is_named_with_what_its_keys_read():
    model = load_language_model("readable")
    whole, left = measure_key_composition(model, 0, 1, "induction", held_out_texts())
    says = part(Visit(PATH, head="2.2"), "measured")["without"]["says"]
    assert "This is an induction head. Its keys read what head 1.1 wrote" in says
    assert f"from {format_share(whole)} to {format_share(left)}" in says
    assert left < 0.7 * whole
    for writer in range(1, 5):
        assert measure_key_composition(model, writer, 1, "induction", held_out_texts())[1] > 0.9 * whole
    assert "induction head" not in part(Visit(PATH, head="1.1"), "measured")["without"]["says"]


@pytest.mark.parametrize("name", ["readable", "plain"])
def test_one_head_to_ablate_is_sought_only_where_there_is_one(name):
    for opening in fields.OPENINGS:
        visit = Visit(PATH, model=name, opening=opening)
        goals = [goal["name"] for goal in part(visit, "goals")["goals"]]
        model, words = load_language_model(name), fields.OPENINGS[opening][0]
        whole = model.run(words).next_word[-1]
        left = [model.run(words, heads_off=[divmod(head, 5)]).next_word[-1][whole.argmax()] for head in range(10)]
        assert ("ablate" in goals) == (min(left) <= whole.max() / 2), opening
        assert goals[0] == ("ablate" if "ablate" in goals else "few_heads")


def test_one_head_that_parts_senses_is_sought_only_where_there_is_one():
    for name, there in (("readable", True), ("plain", False)):
        goals = [goal["name"] for goal in part(Visit(PATH, model=name), "goals")["goals"]]
        assert ("undecided" in goals) == there, name


def test_how_it_was_trained_is_what_its_record_says(model):
    visit = Visit(PATH)
    visit.at.session_state["trained_model.record"] = True
    visit.run()
    assert f"| {model.record['seed']} |" in visit.text
    assert model.fingerprint in visit.text
    assert f"{model.record['sharpening']} times the mean entropy" in visit.text
    for name in ("readable", "plain"):
        record = load_language_model(name).record
        for seed in record["tried"]:
            assert f"{name}, seed {seed}{' (shipped)' * (seed == str(record['seed']))}" in visit.text
    for kind, count in model.record["counted"]["answers"].items():
        [row] = [
            line for line in visit.text.splitlines() if line.startswith("| accuracy:") and kind_of(line) == kind
        ]
        shares = [
            f"{100 * figures['answers_right'][kind]:.0f}%"
            for name in ("readable", "plain")
            for figures in load_language_model(name).record["tried"].values()
        ]
        assert row.endswith(f"(n = {count}) | {' | '.join(shares)} |")
    for kind, count in model.record["counted"]["questions"].items():
        assert f"{prose.read('trained_model')[f'kinds/{kind}']} (n = {count})" in visit.text


def kind_of(line):
    """The kind of answer that a row of the record's table is about."""
    return next(
        kind for kind, label in prose.read("trained_model").parts("answers").items() if f" {label} (" in line
    )
