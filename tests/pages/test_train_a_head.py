"""Train a head: a run at its steps, what a hand does to it, two runs, impossible settings, goals, kept runs."""

import gc
import itertools
import re
import threading
import types

import numpy as np
import pytest

from attention_core import Task, load_task, loss_and_gradients, task_names, train
from attention_core.models.explanations import weights_apart
from attention_core.training import forward
from attention_lab import text as prose
from attention_lab.calculation import long_work
from attention_lab.calculation.caches import SingleFlightCache
from attention_lab.lessons import train_a_head as lesson
from attention_lab.lessons.train_a_head import fields, runs
from attention_lab.lessons.train_a_head.calculation import FORCE_SCALE
from attention_lab.lessons.train_a_head.gradient import push, worked
from attention_lab.process import PROCESS
from attention_lab.state import permalink
from attention_lab.text.number_format import format_number
from tests.visit import LESSONS, NAMES, Visit, array_messages, as_shown

PATH = LESSONS[NAMES.index("train_a_head")]
TASK = load_task("which_apple", runs.SENTENCES)


def part(visit, kind):
    return next(part for part in visit.parts if part["kind"] == kind)


def test_it_opens_at_the_first_step_of_a_run_that_learns():
    visit = Visit(PATH)
    run = train(TASK, 0, 150)
    assert visit.badges == ["learned"]
    assert visit.stage["elsewhere"] == ["random", "step", 0], "what is drawn before the first step"
    assert visit.stage["pose"]["step"] == 0
    said = part(visit, "run_line")["text"]
    assert "Task “Which apple?”, seed 0, step {step}." in said
    assert f"The head reaches 99% accuracy at step {run.learned_at}" in said
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
    assert "You moved words at step 20." in part(visit, "run_line")["text"]
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

    runs.RUNS.clear()  # as after a restart
    again = Visit(PATH, **visit.link)
    assert again.scope["trained"]["loss"].tolist() == twice["loss"].tolist()
    assert part(again, "run_line")["text"] == part(visit, "run_line")["text"]


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
    prints = re.findall(r"\b[0-9a-f]{12}\b", part(visit, "run_line")["text"])
    assert len(set(prints)) == 2, "other weights, another fingerprint"
    assert not np.array_equal(scope["trained"]["loss"], scope["trained_2"]["loss"])


def test_the_same_seed_twice_has_the_same_fingerprint():
    told = part(Visit(PATH, second="seed", other_seed="0"), "timeline")["runs"]
    assert told[0]["name"] == told[1]["name"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ({"heads": "2"}, "heads: “2” isn’t one of the options. Use one of these: 1."),
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
    sent = array_messages(visit.at)
    assert [len(each) <= runs.MOST_ON_THE_WIRE for each in sent] == [True]
    visit.drag(moves=[[0, 1, 0.5, 0.5]])
    assert visit.badges == ["yours"]


def test_another_task_brings_settings_and_sentences_of_its_own():
    visit = Visit(PATH, causal="on", seed="3", moves="10_0_1_1")
    visit.at.selectbox(key="train_a_head.task").set_value("previous_word")
    visit.run()
    assert not visit.at.warning
    assert dict(visit.link) == {"task": "previous_5f_word", "seed": "3"}
    visit.at.button(key="train_a_head.another_seed").click()
    visit.run()
    assert visit.values["seed"] == 4


def test_numbers_that_run_away_end_the_run_which_says_where():
    visit = Visit(PATH, rate="1e9", step="0")
    assert not visit.at.warning
    run = fields.run_of(visit.values)
    assert run.end.ended == "overflow"
    assert run.last < run.end.overflow_at
    assert f"At step {run.end.overflow_at}, the numbers grew too large" in part(visit, "run_line")["text"]
    for step in map(int, run.steps):
        assert np.isfinite(Visit(PATH, rate="1e9", step=str(step)).scope["loss"])
    visit.drag(moves=[[run.last, 0, 1.0, 1.0]])
    assert visit.stage["constants"]["trained"]["steps"][-1] >= run.last


def test_from_one_place_each_kind_of_words_stays_together():
    visit = Visit(PATH)
    button = part(visit, "presets")["buttons"][0]["set"]
    visit.drag(**button)
    assert np.ptp(visit.scope["embeddings"], axis=0).max() < 1e-6
    assert "All words started at the same place" in part(visit, "run_line")["text"]
    end = visit.scope["trained"]["parameters"]["embeddings"][-1]
    kinds = [end[1:5], end[5:9], end[9:]]  # of fruit, of technology, of neither
    within = max(np.linalg.norm(kind - kind.mean(axis=0), axis=1).max() for kind in kinds)
    apart = min(np.linalg.norm(a.mean(axis=0) - b.mean(axis=0)) for a in kinds for b in kinds if a is not b)
    assert within < 0.15 * apart
    assert "same place" not in part(Visit(PATH, moves="0_1_1_1"), "run_line")["text"]


def test_guess_first_only_the_beginning_travels():
    visit = Visit(PATH, predict="1")
    assert visit.stage["constants"]["trained"]["steps"].tolist() == [0]
    visit.at.button(key="train_a_head.reveal").click()
    visit.run()
    assert len(visit.stage["constants"]["trained"]["steps"]) > 50
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
        together = re.search(r"all sentences: the gradient ∂L/∂w\*\* \| (\S+( × 10\S+)?)", shown)[1]
        tried = re.search(r"÷ 0.0002 is \*\*(\S+( × 10\S+)?)\*\*", shown)[1]
        numbers = [float(re.sub(r" × 10.*", "", each).replace("−", "-")) for each in (together, tried)]
        assert numbers[0] == pytest.approx(numbers[1], rel=2e-3)
        parts = re.findall(r"^\| .* \| (\S+( × 10\S+)?) \|$", shown, re.MULTILINE)
        assert len(parts) == 5


def test_a_gradients_parts_add_up_to_it():
    visit = Visit(PATH, step="20", number="embeddings.5.1")
    page = visit.state
    found = push(page)
    assert sum(part for _, part in found.sentences) == pytest.approx(found.gradient, rel=1e-9)
    assert found.tried == pytest.approx(found.gradient, rel=1e-5)


def test_the_step_shown_is_adams_also_where_it_goes_against_the_gradient():
    run = train(TASK, 0, 150)
    update, own = (run.updates["embeddings"][20:40], run.updates["embeddings"] - run.momentum["embeddings"])
    against = update * own[20:40] < 0
    for goes_against in (True, False):
        step, word, axis = np.argwhere(against == goes_against)[0]
        visit = Visit(PATH, step=str(20 + step), number=f"embeddings.{word}.{axis}")
        page = visit.state
        pushed, text = push(page), worked(page)
        assert (pushed.update * pushed.gradient > 0) == goes_against
        assert (page.text["gradient/against"] in text) == goes_against
        assert f"adds **{format_number(pushed.update)}**" in text
        assert (pushed.update - pushed.momentum) * pushed.gradient < 0, "a batch alone pushes down its own slope"


def test_the_induction_tasks_jump_is_found_on_the_loss_curve():
    run = train(load_task("induction"), seed=0, steps=150)  # as many as the page takes: a snapshot a step
    said = str(part(Visit(PATH, task="induction", step="0"), "run_line")["text"])
    first, last = map(int, re.search(r"between steps (\d+) and (\d+)", said).groups())
    places = [list(run.steps).index(step) for step in (first, last)]
    before, after = run.loss[places]
    assert last - first >= 20
    assert before - after >= max(
        run.loss[k] - run.loss[np.searchsorted(run.steps, run.steps[k] + 20)]
        for k in range(len(run.steps))
        if run.steps[k] + 20 <= run.steps[-1]
    )
    assert run.attention_on_answer[places[1]] > run.attention_on_answer[places[0]] + 0.3
    assert format_number(before) in said
    assert "an induction head has formed" in said
    assert "jump" not in str(part(Visit(PATH), "run_line")["text"])


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
    return name in visit.reached


def test_each_goal_can_be_reached():
    run = train(TASK, 0, 150)
    ends = run.parameters["embeddings"][-1]
    moves = np.array([[0, word, *1.7 * ends[word]] for word in (0, 3, 6)])
    assert goal(Visit(PATH, moves=permalink.write_matrix(moves)), "arrange")
    assert not goal(Visit(PATH, moves=permalink.write_matrix(moves / [1, 1, 9, 9])), "arrange")
    assert goal(Visit(PATH, step=str(run.learned_at)), "all_right")
    assert not goal(Visit(PATH, step=str(run.learned_at - 1)), "all_right")
    assert goal(Visit(PATH, causal="on"), "one_switch")
    assert not goal(Visit(PATH, scaled="off"), "one_switch")
    assert goal(Visit(PATH, seed="15"), "other_arrangement")
    assert not goal(Visit(PATH, seed="1"), "other_arrangement")
    doubtful = {"sentence": "0_9_13_13_13_10", "asks": "1", "step": "40"}
    assert goal(Visit(PATH, **doubtful), "in_doubt")
    assert not goal(Visit(PATH, step="57"), "in_doubt")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "Loss says how wrong the predictions are"),
        ([(0, 0.8, 1.3)], "→ 28: faster."),
        ([(0, 0.0, -2.0)], ": slower. “apple” must tell two groups apart"),
        ([(word, 0.1, 0.1) for word in range(4)], "You have moved 4 words."),
    ],
)
def test_a_moved_word_gets_a_sentence_on_what_it_changed(words, says):
    moves = permalink.write_matrix(np.array([[0, *word] for word in words]).reshape(-1, 4)) if words else ""
    visit = Visit(PATH, **({"moves": moves} if words else {}))
    said = part(visit, "remark")["text"]
    assert says in said
    if "→" in said:
        usual, at = map(int, re.match(r"Step (\d+) → (\d+):", said).groups())
        assert usual == train(TASK, 0, 150).learned_at
        assert at == fields.run_of(visit.values).learned_at


def test_settings_of_a_second_run_are_named_by_the_value_it_would_have():
    names = lesson.second_names(Visit(PATH).state)
    assert names["nothing"] == "no second run"
    assert names["scaled"] == "without division by √d"
    assert lesson.second_names(Visit(PATH, scaled="off").state)["scaled"] == "with division by √d"


def test_a_run_that_plays_over_a_sentence_of_the_page_leaves_no_goal_met():
    visit = Visit(PATH)
    for sentence in part(visit, "asked")["unseen"]:
        for step in (40, 50, 57):
            reached = visit.drag(sentence=sentence["tokens"], step=step).reached
            assert set(reached) <= {"all_right"}, "that one is about the step alone"


def test_the_goal_of_arranging_shows_how_near_a_move_has_come():
    run = train(TASK, 0, 150)
    way = run.parameters["embeddings"][-1] - run.parameters["embeddings"][0]
    nearer = Visit(PATH, moves=permalink.write_matrix(np.array([[0, word, *way[word]] for word in (2, 3)])))
    told = part(nearer, "goals")["goals"][-1]
    assert told["name"] == "arrange"
    in_time = next(c for c in told["conditions"] if c["path"] == "right_in_time")
    now = nearer.stage["constants"]["right_in_time"]
    assert in_time["start"] < now < in_time["target"], "more than nothing of the way, and not all"


def test_what_is_said_of_other_seeds_is_what_they_give():
    ended = [train(TASK, seed, 150) for seed in range(100)]
    right = sorted(100 * run.accuracy[-1] for run in ended)
    many, least, most = numbers_of("text", r"Of 100 seeds, (\d+) reach .*The other eight reach (\d+) to (\d+)%")
    assert sum(each >= 99 for each in right) == many == 92
    assert [round(right[0]), round(right[7])] == [least, most]

    sentences = TASK.sentences[TASK.held_out]
    every, asks = np.arange(len(sentences)), (sentences == TASK.words.index("apple")).argmax(axis=1)
    rows = [forward(run.at(-1), sentences).layers[0].weights[every, 0, asks] for run in ended[:12]]
    apart = [100 * weights_apart(one, other) for one, other in itertools.combinations(rows, 2)]
    assert numbers_of("notes/answer", r"(\d+) to (\d+)%") == [round(min(apart)), round(max(apart))]


def numbers_of(section, pattern):
    """The numbers that a section of the page's words states."""
    return [int(number) for number in re.search(pattern, prose.read("train_a_head")[section]).groups()]


def test_another_map_of_the_words_gives_the_same_scores_and_answers_once_the_matrices_undo_it():
    parameters = {name: array.astype(float) for name, array in train(TASK, 0, 150).at(-1).items()}
    random = np.random.default_rng(0)
    there = random.standard_normal((2, 2))
    moved = parameters | {"embeddings": parameters["embeddings"] @ there}
    moved |= {W: np.linalg.inv(there) @ parameters[W] for W in ("W_query", "W_key", "W_value")}
    one, other = (forward(each, TASK.sentences[TASK.held_out]) for each in (parameters, moved))
    np.testing.assert_allclose(one.layers[0].scaled_scores, other.layers[0].scaled_scores, atol=1e-9)
    np.testing.assert_allclose(one.probabilities, other.probabilities, atol=1e-9)


# Runs that sessions share -----------------------------------------------------------------------------------


def test_two_sessions_train_on_from_runs_of_one_hand_without_a_deadlock(monkeypatch):
    """One comes to train on from a run just when another asks for that run."""
    asked, shown, others = threading.Event(), runs.find_run, []
    first, second = (10.0, 1.0, 0.5, 0.5), (20.0, 2.0, 0.5, 0.5)
    run = "which_apple", 7001, 50, tuple(sorted(fields.settings_of(Visit(PATH).values).items()))

    class Turns(long_work.OneAtATime):
        def alone(self):
            if threading.current_thread() in others:
                asked.set()
            return super().alone()

    def shown_while_another_asks(*key):
        if key == (*run, (first,)) and not others:
            others.append(threading.Thread(target=shown, args=key, daemon=True))
            others[0].start()
            assert asked.wait(20)
        return shown(*key)

    with PROCESS.serving(turns=Turns()):
        shown(*run)
        monkeypatch.setattr(runs, "find_run", shown_while_another_asks)
        one = threading.Thread(target=shown, args=(*run, (first, second)), daemon=True)
        one.start()
        one.join(20)
        assert others, "the run trained on from is asked for"
        others[0].join(20)
        assert not one.is_alive()
        assert not others[0].is_alive()


def referred_to(value):
    """The bytes of all arrays and texts of bytes that Python's collector finds from a value, but for a task's."""
    seen, rest, total = set(), [value], 0
    while rest:
        each = rest.pop()
        if id(each) in seen or isinstance(each, (type, types.FunctionType, types.ModuleType, Task)):
            continue
        seen.add(id(each))
        total += each.nbytes if isinstance(each, np.ndarray) and each.base is None else 0
        total += len(each) if isinstance(each, bytes) else 0
        rest += [each.base] if isinstance(each, np.ndarray) else gc.get_referents(each)
    return total


def test_a_run_counts_with_all_bytes_it_holds(monkeypatch):
    monkeypatch.setattr(runs, "RUNS", SingleFlightCache(4, 10**9, shared=(Task,)))
    values = Visit(PATH, task="induction", moves="20_5_1.5_-0.5__30_6_0_1").values
    moves = fields.moves_of(values)
    runs.RUNS.clear()
    held = [referred_to(fields.run_of(values, moves[:count])) for count in range(3)]
    assert len(runs.RUNS) == 3
    assert min(held) > 1_000_000
    assert sum(held) <= runs.RUNS.nbytes <= 1.05 * sum(held)
