"""Inside a modern language model: what stands on the page is what was recorded, and each goal can be met."""

import numpy as np
import pytest

from attention_core import load_recorded_runs
from attention_lab import text as prose
from attention_lab.lessons.modern_model import recorded
from attention_lab.text.number_format import format_number
from tests.pages.test_every_page import every_part
from tests.visit import PATHS, LessonView, Visit
from tools.training.record_smollm2 import MEASURED

PATH, RUNS, TEXT = PATHS["modern_model"], load_recorded_runs(), prose.read("modern_model")
HEADS = RUNS.head_names


def effects(name):
    return RUNS.runs[name].answers[0].effects.ravel()


def moved(view, **pose):
    """The scope and the goals that are met after a head, by its name, was chosen, and an intervention."""
    pose = {"cut": 0, "off": np.zeros((2, 6)).tolist()} | pose | {"head": HEADS.index(pose.get("head", "1.1"))}
    view = view.drag(**pose)
    return view.scope, view.reached


@pytest.mark.parametrize("name", list(RUNS.runs))
def test_patterns_measures_and_answers_are_those_recorded(name):
    run, view = RUNS.runs[name], LessonView(PATH, text=name)
    answer = run.answers[0]
    n = run.start + answer.step
    for head in ("1.1", "24.5", "30.9"):
        k = HEADS.index(head)
        scope, _ = moved(view, head=head)
        np.testing.assert_allclose(scope["pattern"], run.weights_by_head[k, :n, :n], atol=1e-4)
        assert scope["on_first"] == pytest.approx(run.weights_by_head[k, 1:n, 0].mean(), abs=1e-4)
        assert scope["effect"] == pytest.approx(effects(name)[k], rel=1e-6)
        measures = [
            scope["on_first"],
            effects(name)[k],
            *(RUNS.measures[m].ravel()[k] for m in recorded.MEASURES[2:]),
        ]
        np.testing.assert_allclose(np.asarray(scope["recorded"]["measures"])[:, k], measures, rtol=1e-6)
        after = [answer.probability, answer.probability * np.exp(effects(name)[k]), answer.first_closed]
        for cut, probability in enumerate(after):
            assert moved(view, head=head, cut=cut)[0]["probability"] == pytest.approx(probability, rel=1e-6)


def test_bars_show_recorded_tokens_and_only_the_answer_where_a_head_is_off():
    for name, run in RUNS.runs.items():
        answer = run.answers[0]
        before = dict(zip(run.top_tokens[answer.step], run.top_probabilities[answer.step], strict=True))
        closed = dict(zip(run.closed_tokens, run.closed_probabilities, strict=True))
        rows = recorded.prepared(name).next_tokens
        for of, shown in ((before, rows[0]), (closed, rows[2])):
            known = [float(p) for p in of.values()]
            assert all(row["p"] in known for row in shown)
            answers = {row["answer"]: row["p"] for row in shown if "answer" in row}
            assert answers == {k: float(of[each.token]) for k, each in enumerate(run.answers)}, name
        assert [row["p"] for row in rows[1]] == [None] * 5


def test_every_choice_of_heads_off_has_its_measured_perplexity():
    of, view = {frozenset(each.heads): each.perplexity for each in RUNS.ablations}, LessonView(PATH)
    for bits in recorded.choices():
        scope = view.drag(off=[list(bits), list(bits[::-1])]).scope
        shown = [scope["of_induction"][0][0], scope["of_others"][0][0]]
        rows = (bits, bits[::-1])
        sets = [
            frozenset(head for head, bit in zip(heads, row, strict=True) if bit)
            for heads, row in zip(recorded.groups(), rows, strict=True)
        ]
        assert shown == [of[each] for each in sets]


@pytest.mark.parametrize(
    ("name", "goals"),
    [
        ("france", ["lost", "sink", "induction"]),
        ("italy", ["lost", "sink", "induction"]),
        ("list", ["lost", "sink", "induction"]),
        ("mary", ["sink", "missed", "induction"]),
        ("germany", ["sink", "missed", "induction"]),
        ("australia", ["sink", "missed", "induction"]),
        ("japan", ["sink", "induction"]),
        ("bread", ["sink", "induction"]),
    ],
)
def test_a_text_offers_the_goals_that_can_be_met_in_it(name, goals):
    assert list(LessonView(PATH, text=name).goals) == goals


def test_each_goal_is_met_by_the_head_or_the_intervention_that_it_asks_for():
    france, mary = LessonView(PATH), LessonView(PATH, text="mary")
    met = [head for head in HEADS if moved(france, head=head, cut=1)[1] == ["lost"]]
    assert met == ["24.5"]
    assert moved(france, head="24.5")[1] == []  # nothing is off
    assert moved(france, cut=2)[1] == ["sink"]
    assert [head for head in HEADS if moved(mary, head=head, cut=1)[1]] == ["2.6"]
    six = [[1] * 6, [1] * 6]
    assert moved(france, off=six)[1] == ["induction"]
    assert moved(france, off=[[1] * 6, [1] * 5 + [0]])[1] == []


@pytest.mark.parametrize("measure", recorded.MEASURES)
def test_the_slider_counts_the_heads_whose_measure_is_at_least_as_large(measure):
    row = recorded.prepared("mary").packed.arrays["measures"][recorded.MEASURES.index(measure)]
    view = LessonView(PATH, text="mary", measure=measure)
    for least in (0, 0.05, 0.5, 1):
        assert view.drag(least=least).scope["count_shown"] == (abs(row) >= least).sum()


def test_sentences_state_recorded_numbers():
    answers = {name: run.answers[0] for name, run in RUNS.runs.items()}
    left = {name: answer.first_closed / answer.probability for name, answer in answers.items()}
    on_first = RUNS.measures["first"]
    france, mary = (answers[name].probability * np.exp(effects(name)) for name in ("france", "mary"))
    whole = next(each.perplexity for each in RUNS.ablations if not each.heads)
    here = {name: recorded.prepared(name).measures[0] for name in answers}  # on the first token of each text
    resting = max(abs(effects(name)[row >= 0.9]).max() for name, row in here.items())
    first_five = abs(effects("france")[np.argsort(-here["france"])[:5]]).max()
    (uniform,) = {f"{(1 / np.arange(2, n + 1)).mean():.0%}" for n in (101, 115)}  # tokens of a paragraph
    best, six, others = HEADS[france.argmin()], RUNS.controls["induction_off"], RUNS.controls["others_off"]
    quoted = {
        "text": [
            f"{(on_first > 0.25).sum()} of the {on_first.size} heads",
            f"{(on_first > 0.5).sum()} give it more than half",
            f"about {uniform}",
            f"in {sum(x <= 0.1 for x in left.values())} of the {len(left)} texts",
            f"In {sum(x >= 0.9 for x in left.values())}, at least nine tenths",
            f"from {answers['france'].probability:.1%} to {france.min():.1%} with head {best} off",
            f"at least {mary.min():.1%}",
        ],
        "why/induction": [f"{whole:.2f}"],
        "list/says": [
            f"On {MEASURED.stop - MEASURED.start} tokens of prose",
            f"from {RUNS.window_perplexities[None, 0]:.1f} to {six:.1f} with all six off",
            f"{others:.1f} with the six others off",
        ],
        "measured/effect": [f"{np.exp(-1):.2f}"],
        "notes/misconception": [
            f"by more than {np.ceil(100 * resting) / 100:.2f}",
            f"head {best}, with {here['france'][HEADS.index(best)]:.0%}",
        ],
        "notes/answer": [
            f"at most {first_five:.2f}",
            f"{best} changes it by −{-effects('france').min():.2f}",
            f"{(abs(effects('france')) < 0.05).sum()} of 270 heads",
            f"ln p by −{-effects('mary').min():.2f}",
        ],
    }
    missing = [
        (section, each) for section, all_of in quoted.items() for each in all_of if each not in TEXT[section]
    ]
    assert missing == []


def test_in_short_texts_most_heads_give_the_first_token_more_than_half_and_more_than_uniform_ones():
    for name in ("france", "japan", "australia", "mary"):
        of = recorded.prepared(name)
        assert len(of.tokens) < 15
        assert np.median(of.measures[0]) > max(0.5, of.uniform)


@pytest.mark.parametrize("name", list(RUNS.runs))
def test_the_wall_states_what_uniform_attention_would_give(name):
    view, n = LessonView(PATH, text=name), len(recorded.prepared(name).tokens)
    wall = next(part for part in every_part(view.stage["columns"]) if part["kind"] == "head_wall")
    pattern = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
    assert f"it would be {pattern[1:, 0].mean():.1%}." in wall["kinds"][0]["says"]


def test_what_is_wrong_stands_beside_what_is_right():
    for name in RUNS.runs:
        parts = every_part(LessonView(PATH, text=name).stage["columns"])
        said = [part["text"] for part in parts if part["kind"] == "remark" and "is wrong" in part["text"]]
        assert bool(said) == (name == "australia")
        assert all(each.startswith("“Sydney” is wrong: Australia’s capital is Canberra.") for each in said)


@pytest.mark.parametrize("name", ["france", "italy", "list", "mary", "germany", "australia"])
def test_the_slider_leaves_few_heads_whose_changes_tell_the_strongest(name):
    sizes = abs(effects(name))
    places = np.arange(0, 1.01, 0.02)  # by keys
    left = next(heads for x in places[::-1] if (heads := np.flatnonzero(sizes >= x)).size)
    shown = [format_number(effects(name)[k]) for k in left]
    assert effects(name).argmin() in left
    assert len(set(shown)) == len(shown) <= 2


def test_the_fold_states_what_was_computed():
    view = LessonView(PATH)
    cards = {
        card["of"]: card["says"]
        for card in next(part for part in every_part(view.stage["columns"]) if part["kind"] == "new_since")[
            "cards"
        ]
    }
    root = np.sqrt((3**2 + 4**2) / 2)
    assert f"{root:.2f} for (3, 4), which gives ({3 / root:.3f}, {4 / root:.2f})" in cards["rms"]
    silu = 2 / (1 + np.exp(-2))
    assert f"{silu:.2f} × 3 = {3 * silu:.2f}" in cards["swiglu"]
    record = RUNS.record
    kept = 2 * 2 * record["layers"] * record["kv_heads"] * record["d_model"] // record["heads"]
    assert f"{kept / 1000:.0f} kB per token instead of {kept * 3 / 1000:.1f} kB" in cards["grouped"]


def test_another_text_keeps_the_head_and_what_is_off():
    visit = Visit(PATH, head="24.5", cut="head", measure="effect", word="France")
    visit.drawn("selectbox", "text").select("mary").run()
    kept = {"text": "mary", "head": "24_2e_5", "cut": "head", "measure": "effect"}
    assert {name: visit.link[name] for name in kept} == kept
    assert "word" not in visit.link


def test_only_the_chosen_text_travels_and_at_first_little():
    sizes = {name: len(recorded.prepared(name).packed.data) for name in RUNS.runs}
    assert sizes["france"] < 20_000
    view = LessonView(PATH)
    assert len(view.state.lesson.view(view.state).message("")) < 150_000
