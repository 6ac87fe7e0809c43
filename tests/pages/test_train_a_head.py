"""Train a head: a run at its steps, what a hand does to it, two runs, impossible settings, goals, kept runs."""

import re
import threading

import numpy as np
import pytest

import prose
from attention_core import load_task, loss_and_gradients, task_names, train
from attention_core.training import forward
from controls import permalink
from controls.page_state import PageState
from lessons.train_a_head import fields, runs
from lessons.train_a_head.calculation import FORCE_SCALE
from lessons.train_a_head.gradient import push
from tests.visit import LESSONS, NAMES, Visit, as_shown, fields_of

PATH = LESSONS[NAMES.index("train_a_head")]
TASK = load_task("which_apple", runs.SENTENCES)


def part(visit, kind):
    return next(part for part in visit.parts if part["kind"] == kind)


def test_it_opens_half_way_with_numbers_that_are_learned():
    visit = Visit(PATH)
    run = train(TASK, 0, 150)
    assert visit.badges == ["learned"]
    assert visit.stage["pose"]["step"] == run.steps[-1] // 2
    said = part(visit, "told_of_run")["text"]
    assert "Which apple?, seed 0, step {step}" in said
    assert f"99 % right from step {run.learned_at} on" in said
    assert run.fingerprint in said


@pytest.mark.parametrize("step", [0, 20, 57])
def test_numbers_on_screen_follow_from_the_parameters_of_the_step(step):
    visit = Visit(PATH, step=str(step))
    scope = visit.scope
    run = train(TASK, 0, 150)
    place = list(run.steps).index(step)
    parameters = {name: array.astype(float) for name, array in run.at(place).items()}
    sentence = np.array(visit.stage["pose"]["sentence"], int).T[None]
    done = forward(parameters, sentence)
    np.testing.assert_allclose(scope["scores"], done.layers[0].scaled_scores[0, 0], rtol=1e-12)
    np.testing.assert_allclose(scope["weights"], done.layers[0].weights[0, 0], rtol=1e-12)
    np.testing.assert_allclose(scope["probabilities"], done.probabilities[:, 0], rtol=1e-12)
    loss, _ = loss_and_gradients(parameters, TASK.sentences[TASK.held_out], TASK.targets[TASK.held_out])
    assert scope["loss"] == pytest.approx(loss, rel=1e-6)


def test_the_force_is_minus_the_gradient_on_the_sentences_that_come_next():
    scope = Visit(PATH, step="20", force="on").scope
    run = train(TASK, 0, 150)
    batch = run.batches[20]
    parameters = {name: array.astype(float) for name, array in run.at(20).items()}
    _, gradients = loss_and_gradients(parameters, TASK.sentences[batch], TASK.targets[batch])
    np.testing.assert_allclose(scope["trained"]["force"][20], -gradients["embeddings"], atol=1e-6)
    shown = np.subtract(scope["pushed"], scope["words_at"])
    np.testing.assert_allclose(shown, FORCE_SCALE * -gradients["embeddings"], atol=1e-4)


def test_a_word_taken_by_the_hand_and_training_goes_on_from_there():
    visit = Visit(PATH, step="20")
    before = visit.scope["trained"]
    visit.drag(moves=[[20, 5, 1.5, -0.5]])
    after, scope = visit.scope["trained"], visit.scope
    assert visit.badges == ["yours"]
    assert "moved by hand at step 20" in part(visit, "told_of_run")["text"]
    np.testing.assert_array_equal(after["parameters"]["embeddings"][:21], before["parameters"]["embeddings"][:21])
    np.testing.assert_allclose(np.subtract(scope["words_at"], scope["words_before"])[5], [1.5, -0.5], rtol=1e-12)
    start = train(TASK, 0, 150).at(20)
    start["embeddings"] = start["embeddings"] + np.eye(15)[:, [5]] * [1.5, -0.5]
    goes_on = train(TASK, 0, 150, start=start)
    np.testing.assert_array_equal(after["parameters"]["W_query"][21], goes_on.parameters["W_query"][1])
    assert after["loss"][-1] == pytest.approx(goes_on.loss[-1])

    visit.drag(moves=[[20, 5, 1.5, -0.5], [30, 6, 0.0, 1.0]])
    twice = visit.scope["trained"]
    np.testing.assert_array_equal(twice["parameters"]["W_query"][:31], after["parameters"]["W_query"][:31])
    assert not np.array_equal(twice["parameters"]["W_query"][31], after["parameters"]["W_query"][31])

    runs.KEPT.__init__(runs.MOST_RUNS, runs.MOST_BYTES)  # as after a restart
    again = Visit(PATH, **visit.at.query_params)
    assert again.scope["trained"]["loss"].tolist() == twice["loss"].tolist()
    assert part(again, "told_of_run")["text"] == part(visit, "told_of_run")["text"]


@pytest.mark.parametrize(
    ("second", "more"),
    [("seed", {"other_seed": "7"}), ("causal", {}), ("layers", {}), ("rate", {"other_rate": "0.3"})],
)
def test_two_runs_differ_in_the_one_setting_that_is_named(second, more):
    visit = Visit(PATH, second=second, **more)
    assert not visit.at.warning
    scope = visit.scope
    told = part(visit, "timeline")["runs"]
    assert len(told) == 2
    first, other = (each["name"] for each in told)
    assert first.split(":")[0] == other.split(":")[0]
    assert first != other
    prints = re.findall(r"\b[0-9a-f]{12}\b", part(visit, "told_of_run")["text"])
    assert len(set(prints)) == 2, "other weights, another fingerprint"
    assert not np.array_equal(scope["trained"]["loss"], scope["trained_2"]["loss"])


def test_the_same_seed_twice_has_the_same_fingerprint():
    told = part(Visit(PATH, second="seed", other_seed="0"), "timeline")["runs"]
    assert told[0]["name"] == told[1]["name"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ({"heads": "2"}, "heads (“2” is not one of: 1)"),
        ({"seed": "-1"}, "seed"),
        ({"seed": "10000"}, "0 to 9,999"),
        ({"steps": "12.5"}, "steps"),
        ({"rate": "1e309"}, "rate"),
        ({"sentence": "0_1_2_3_4_15"}, "from 0 to 14"),
        ({"sentence": "0.5_1_2_3_4_5"}, "whole numbers"),
        ({"moves": "0_99_1_1"}, "a word from 0 to 14"),
        ({"moves": "__".join(["0_0_1_1"] * 49)}, "at most 48"),
        ({"second": "heads"}, "second"),
    ],
)
def test_what_cannot_be_is_the_default_and_one_line(address, said):
    visit = Visit(PATH, **address)
    assert len(visit.at.warning) == 1
    assert said in as_shown(visit.at.warning[0].value)
    assert visit.stage["pose"] == Visit(PATH).stage["pose"]


@pytest.mark.parametrize("task", task_names())
def test_every_task_is_shown_and_travels_lightly(task):
    visit = Visit(PATH, task=task, steps="50")
    assert not visit.at.warning
    scope = visit.scope
    np.testing.assert_allclose(np.sum(scope["weights"], axis=1), 1)
    sent = [part.proto.bytes for part in visit.at.get("bidi_component") if part.proto.bytes]
    assert [len(each) <= runs.MOST_ON_THE_WIRE for each in sent] == [True]
    visit.drag(moves=[[0, 1, 0.5, 0.5]])
    assert visit.badges == ["yours"]


def test_another_task_brings_settings_and_sentences_of_its_own():
    visit = Visit(PATH, causal="on", seed="3", moves="10_0_1_1")
    visit.at.selectbox(key="train_a_head.task").set_value("previous_word")
    visit.run()
    assert not visit.at.warning
    assert dict(visit.at.query_params) == {"task": "previous_5f_word", "seed": "3"}
    visit.at.button(key="train_a_head.another_seed").click()
    visit.run()
    assert visit.values["seed"] == 4


def test_numbers_that_run_away_end_the_run_which_says_where():
    visit = Visit(PATH, rate="1e9", step="0")
    assert not visit.at.warning
    run = fields.run_of(visit.values)
    assert run.end.ended == "overflow"
    assert run.last < run.end.overflow_at
    assert f"At step {run.end.overflow_at} the numbers ran away" in part(visit, "told_of_run")["text"]
    for step in map(int, run.steps):
        assert np.isfinite(Visit(PATH, rate="1e9", step=str(step)).scope["loss"])
    visit.drag(moves=[[run.last, 0, 1.0, 1.0]])
    assert visit.stage["given"]["trained"]["steps"][-1] >= run.last


def test_from_one_place_each_kind_of_words_stays_together():
    visit = Visit(PATH)
    button = part(visit, "presets")["buttons"][0]["set"]
    visit.drag(**button)
    assert np.ptp(visit.scope["embeddings"], axis=0).max() < 1e-6
    assert "All words began at one place" in part(visit, "told_of_run")["text"]
    end = visit.scope["trained"]["parameters"]["embeddings"][-1]
    kinds = [end[1:5], end[5:9], end[9:]]  # of fruit, of technology, of neither
    within = max(np.linalg.norm(kind - kind.mean(axis=0), axis=1).max() for kind in kinds)
    apart = min(np.linalg.norm(a.mean(axis=0) - b.mean(axis=0)) for a in kinds for b in kinds if a is not b)
    assert within < 0.1 * apart
    assert "one place" not in part(Visit(PATH, moves="0_1_1_1"), "told_of_run")["text"]


def test_guess_first_only_the_beginning_travels():
    visit = Visit(PATH, predict="1")
    assert visit.stage["given"]["trained"]["steps"].tolist() == [0]
    visit.at.button(key="train_a_head.reveal").click()
    visit.run()
    assert len(visit.stage["given"]["trained"]["steps"]) > 50
    visit.at.button(key="train_a_head.another_seed").click()
    visit.run()
    assert visit.stage["veil"], "another run is guessed anew"


@pytest.mark.parametrize("number", ["embeddings.5.1", "W_query.0.0.1.0", "W_vocabulary.0.1.2", "bias.0.1"])
def test_any_numbers_gradient_is_that_of_trying_it_out(number):
    for address in ({"step": "20"}, {"step": "25", "moves": "20_5_1.5_-0.5"}):
        visit = Visit(PATH, number=number, **address)
        visit.at.session_state["train_a_head.gradient"] = True
        visit.run()
        shown = visit.text
        together = re.search(r"together: the gradient ∂L/∂w\*\* \| (\S+( × 10\S+)?)", shown)[1]
        tried = re.search(r"÷ 0.0002 is \*\*(\S+( × 10\S+)?)\*\*", shown)[1]
        numbers = [float(re.sub(r" × 10.*", "", each).replace("−", "-")) for each in (together, tried)]
        assert numbers[0] == pytest.approx(numbers[1], rel=2e-3)
        parts = re.findall(r"^\| .* \| (\S+( × 10\S+)?) \|$", shown, re.MULTILINE)
        assert len(parts) == 5


def test_a_gradients_parts_add_up_to_it():
    visit = Visit(PATH, step="20", number="embeddings.5.1")
    page = PageState("train_a_head", fields_of(PATH), visit.memory, prose.read("train_a_head"))
    found = push(page)
    assert sum(part for _, part in found.sentences) == pytest.approx(found.gradient, rel=1e-9)
    assert found.tried == pytest.approx(found.gradient, rel=1e-5)


def test_what_there_is_to_reach_stays_as_it_is_while_a_hand_moves_something():
    """A card that were drawn anew would push away what a finger drags."""
    visit = Visit(PATH)
    before = part(visit, "goals")
    assert part(visit.drag(moves=[[28, 1, -1.0, 1.0]]), "goals") == before
    assert part(visit, "timeline") == part(Visit(PATH), "timeline")


def test_of_two_layers_the_last_is_shown_first():
    visit = Visit(PATH, task="it", steps="50")
    assert visit.values["layer"] == "2"
    scope = visit.scope
    np.testing.assert_array_equal(scope["weights"], scope["seen"].layers[1].weights[0])


def goal(visit, name):
    return name in visit.stage["ticks"]


def test_each_goal_can_be_reached():
    run = train(TASK, 0, 150)
    way = 2 * (run.parameters["embeddings"][-1] - run.parameters["embeddings"][0])
    moves = np.array([[0, word, *way[word]] for word in (0, 2, 3)])
    assert goal(Visit(PATH, moves=permalink.write_matrix(moves)), "arrange")
    assert not goal(Visit(PATH, moves=permalink.write_matrix(moves / [1, 1, 9, 9])), "arrange")
    assert goal(Visit(PATH, causal="on"), "one_switch")
    assert not goal(Visit(PATH, scaled="off"), "one_switch")
    assert goal(Visit(PATH, seed="15"), "other_arrangement")
    assert not goal(Visit(PATH, seed="1"), "other_arrangement")
    doubtful = {"sentence": "0_3_2_12_7_1", "asks": "1", "step": "57"}
    assert goal(Visit(PATH, **doubtful), "in_doubt")
    assert not goal(Visit(PATH, step="57"), "in_doubt")


# What is kept ----------------------------------------------------------------------------------------------


def test_a_run_is_made_once_for_all_who_ask_at_once():
    kept, made, begun = runs.Kept(4, 100), [], threading.Barrier(5)

    def ask():
        begun.wait()
        assert kept.get("run", lambda: made.append(1) or "made", lambda _: 1) == "made"

    asking = [threading.Thread(target=ask) for _ in range(5)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    assert made == [1]


def test_kept_runs_are_bounded_in_number_and_bytes():
    kept = runs.Kept(3, 100)
    for name in range(5):
        kept.get(name, lambda name=name: name, lambda _: 10)
    assert len(kept) == 3
    kept.get("large", lambda: "large", lambda _: 95)
    assert len(kept) == 1
    assert kept.get("large", lambda: "again", lambda _: 1) == "large"


def test_a_run_that_fails_is_made_again_by_the_next_who_asks():
    kept = runs.Kept(3, 100)
    with pytest.raises(ZeroDivisionError):
        kept.get("run", lambda: 1 / 0, lambda _: 1)
    assert kept.get("run", lambda: "made", lambda _: 1) == "made"
