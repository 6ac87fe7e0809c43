"""Is attention an explanation? What each experiment shows, computed again outside the page."""

import itertools
import math

import numpy as np
import pytest

from attention_core import load_language_model, load_task, train
from attention_core.models import grammar
from attention_core.models.language_model import held_out_texts
from attention_core.training import forward, without_answer
from attention_lab import language_models as models
from attention_lab import text as prose
from attention_lab.lessons.misleading import EXPERIMENTS, fields, heads
from attention_lab.state.update import Predict
from tests.pages.test_every_page import execute, numbers_in
from tests.visit import PATHS, LessonView, Visit, as_shown, at

PATH = PATHS["misleading"]
MODEL = load_language_model()


def view_of(name, **address):
    return LessonView(PATH, experiment=name, **address)


def columns(view):
    return str(view.stage["columns"])


def question_of(view):
    return view.view.questions[-1]


def guess(view):
    """Predict the first answer."""
    question = question_of(view)
    return view.update(Predict(question.about, question.judge(0)))


def follows(view):
    """The sentence on what follows, as the browser chooses it; it comes after the prediction."""
    if "follows" not in {part["kind"] for part in view.parts}:
        guess(view)
    scope = view.scope

    def holds(condition):
        number, target = float(at(scope, condition["path"])), condition["target"]
        within = abs(number - target) <= condition["tolerance"]
        return {"at_least": number >= target, "at_most": number <= target, "within": within}[
            condition["relation"]
        ]

    found = next(case for case in view.first("follows")["cases"] if all(map(holds, case["when"])))
    return "".join(piece if isinstance(piece, str) else "…" for piece in found["text"])


# All experiments ---------------------------------------------------------------------------------------


def test_each_experiment_asks_first_and_shows_what_was_counted_and_its_goals_only_then():
    text = prose.read("misleading")
    for name in EXPERIMENTS:
        hidden = view_of(name, predict="1")
        assert hidden.stage["results_hidden"]
        assert not guess(hidden).stage["results_hidden"]
        view, conclusion = view_of(name), text[f"{name}/conclusion"]
        counted = text.plain({"swap": "swap/table", "second_hand": f"{name}/conclusion"}.get(name, "counted"))
        question = as_shown(text[f"predict/{name}"].split("{")[0])
        assert as_shown(question_of(view).text).startswith(question)
        assert not view.stage["results_hidden"]
        assert conclusion not in columns(view)
        assert counted not in columns(view)
        assert view.first("goals")["waits"]
        guess(view)
        assert "You predicted" in question_of(view).verdict_text
        assert "{" not in question_of(view).verdict_text
        assert conclusion in columns(view)
        assert counted in columns(view)
        assert "waits" not in view.first("goals")


def test_goal_behind_an_open_question_is_not_reached():
    visit = Visit(PATH, experiment="elimination")
    tokens = visit.stage["pose"]["tokens"][0]
    visit.drag(tokens=[[*tokens[:2], heads.WORDS.index("the"), *tokens[3:]]])
    assert visit.scope["missed_share"] >= 0.9
    assert visit.stage["completed_goals"] == []


def test_each_experiment_begins_with_its_own_texts_and_stays_after_a_reset():
    visit = Visit(PATH, experiment="tells", model="plain")
    for name in EXPERIMENTS:
        assert visit.choose(experiment=name).values["experiment"] == name
        assert visit.values["opening"] in fields.texts_of(name)
        at_first = visit.link
        visit.drag(kept=(np.array(visit.stage["pose"]["kept"]) * 0.5).tolist(), answers=1)
        assert visit.link != at_first
        assert visit.press("reset").values["experiment"] == name
        assert "kept" not in visit.link
        assert visit.values["answers"] == "two", "nothing else stays"


def test_programs_print_what_is_on_screen():
    moved = {
        "swap": {"shifted": [[0.0, 0.3, -0.3, 0.0, 0.0, 0.0, 0.0]]},
        "deletion": {"kept": [[0.5, *[1.0] * 6, 0.0, *[1.0] * 5]]},
        "tells": {"dimmed": [[0.5, 0, 0, 0, 0], [0, 1, 0, 0, 0]]},
        "elimination": {"shifted": [[0.2, 0.0, 0.0, 0.0, 0.0, -0.1]]},
    }
    for name in EXPERIMENTS:
        view = view_of(name).drag(**moved.get(name, {}))
        scope = view.scope
        answer = scope["after"].next_word[-1] if "after" in scope else scope["answer"][0]
        on_screen = np.array([0.0, *numbers_in(scope), *numbers_in(list(map(np.array, view.tables.values())))])
        for program in view.programs:
            numbers = [float(line.split()[-1]) for line in execute(program).splitlines()]
            assert len(numbers) >= 8
            assert np.isclose(numbers, answer.max(), rtol=1e-5).any(), "the answer after the intervention"
            for number in numbers:
                assert np.isclose(on_screen, number, rtol=1e-5, atol=1e-8).any(), (name, number)


# 1 · Right by elimination ------------------------------------------------------------------------------


def test_head_is_right_without_attending_to_the_clue():
    two = without_answer(load_task("which_apple", 2048), "unclear")
    run = train(two, fields.FIRST_SEED, heads.STEPS)
    tokens = [two.words.index(word) for word in fields.SENTENCES["phone"]]
    done = forward(run.at(-1), np.array([tokens]))
    view = view_of("elimination")
    scope = view.scope
    assert view.tables["predictions"].to_numpy() == pytest.approx(np.array([scope["answer"][0]] * 2).T)
    np.testing.assert_allclose(scope["row"][0], done.layers[0].weights[0, 0, 5], atol=1e-6)
    np.testing.assert_allclose(scope["answer"][0], done.probabilities[0, 0, 5], atol=1e-6)
    assert scope["answer"][0, 1] > 0.95
    assert scope["row"][0, 2] < 0.02, "right, and hardly attending to “phone”"
    assert run.accuracy[-1] == 1
    assert "does not come from attending to the clue" in follows(view)
    assert "“**tech (at least 90%)**”" in as_shown(question_of(view).verdict_text)


def test_head_with_a_third_answer_attends_to_the_clue_over_all_held_out_sentences():
    two, three = (heads.small_head(fields.FIRST_SEED, answers) for answers in heads.ANSWERS)
    for small, least, most in ((two, 0.0, 0.03), (three, 0.8, 1.0)):
        task, weights = small.run.task, []
        for sentence, targets in zip(task.sentences[task.held_out], task.targets[task.held_out], strict=True):
            place = list(sentence).index(0)
            telling = [k for k, word in enumerate(sentence) if 5 <= word <= 8]
            if targets[place, 0] == 1 and len(telling) == 1:
                row = forward(small.run.at(-1), sentence[None]).layers[0].weights[0, 0, place]
                weights.append(row[telling[0]])
        assert small.share[1] == pytest.approx(np.mean(weights), abs=1e-5)
        assert least <= small.share[1] <= most
        assert small.right == 1


def test_swapped_word_and_dragged_weight_change_the_prediction():
    view = view_of("elimination")
    the, orange = (heads.WORDS.index(word) for word in ("the", "orange"))
    tokens = view.stage["pose"]["tokens"][0]
    view.drag(tokens=[[*tokens[:2], the, *tokens[3:]]])
    assert view.scope["answer"][0, 1] > 0.9
    assert "recognising one is enough" in follows(view)
    view.drag(tokens=[[*tokens[:2], orange, *tokens[3:]]])
    assert view.scope["answer"][0, 0] > 0.9
    assert view.scope["row"][0, 2] > 0.5
    scope = view.drag(shifted=[[0.0, 0.0, -1.0, 0.0, 0.0, 0.0]]).scope
    assert scope["row"][0, 2] == 0
    assert scope["row"].sum() == pytest.approx(1)
    assert scope["answer"][0, 0] < 0.5, "without that weight it does not find fruit"
    assert "yours" in view.stage["provenance"].values()


def test_sentence_on_a_small_head_agrees_with_its_numbers():
    for seed, opening in itertools.product((69, 48, 30, 105), fields.SENTENCES):
        view = view_of("elimination", seed=str(seed), opening=opening)
        for answers in (0, 1):
            scope, text, case = view.drag(answers=answers).scope, follows(view), (seed, opening, answers)
            sure, missed = float(np.max(scope["answer"])), float(scope["missed_share"])
            if answers == 0:
                assert ("is undecided" in text) == (sure <= 0.65 and 0.35 <= missed <= 0.65), case
            if "does not come from attending" in text:
                assert scope["on_missed"] <= 0.1, case
                assert scope["missed_unseen"] >= 0.9, case
            if "No clue is left" in text:
                assert scope["tellers"] == 0, case
            assert "With the weight on" not in text or scope["missed_words"] >= 1, case
            if "predicts unclear" in text:
                assert 1 - scope["known_share"] >= 0.9, case


# 2 · Swap the weights ----------------------------------------------------------------------------------


def test_model_goes_on_from_the_row_in_the_hand():
    view, text = view_of("swap"), fields.TEXTS["names"]
    run = MODEL.run(text)
    assert fields.HEAD_NAMES[7 - 1] == view.values["head"] == "2.2"
    np.testing.assert_allclose(view.scope["after"].next_word[-1], run.next_word[-1], atol=1e-5)
    trace, head = run.layers[1], 1
    row = trace.heads.weights[head, -1].astype(float)
    found = view.drag(shifted=(np.eye(7)[0] - row).round(3)[None].tolist()).scope["after"].next_word[-1]
    value = trace.heads.value[head].astype(float) @ MODEL.W_output[1, head]
    last = run.states[-1][-1] + (np.eye(7)[0] - row) @ value  # in the last layer nothing else follows
    logits = last @ MODEL.W_vocabulary + MODEL.bias
    probabilities = np.exp(logits - logits.max())
    np.testing.assert_allclose(found, probabilities / probabilities.sum(), atol=2e-3)
    assert grammar.WORDS[int(found.argmax())] == "ana" != "eva"


def test_head_is_said_to_be_needed_where_the_prediction_fails_without_it():
    needed = set()
    for head in fields.HEAD_NAMES:
        for way in ("permuted", "flat", "frozen"):
            view = view_of("swap", head=head, swap=way, where="head")
            scope, text = view.scope, follows(view)
            if scope["lead"] <= 0:
                assert ("needs what the head adds" in text) == (scope["lead_without"] <= 0), (head, way)
                needed.add(bool(scope["lead_without"] <= 0))
            else:
                assert "needs" not in text, (head, way)
    assert needed


def test_other_weights_stand_in_one_row_or_in_every_row():
    for way in (1, 2, 3):
        view = view_of("swap", head="1.1")
        for where in (0, 1):
            scope = view.drag(swap=way, where=where).scope
            looks = scope["looks"]
            np.testing.assert_allclose(looks.sum(axis=1), 1, atol=1e-6)
            assert not np.triu(looks, 1).any(), "no word attends ahead"
            same = [np.allclose(a, b, atol=1e-6) for a, b in zip(looks, scope["pattern"], strict=True)]
            assert all(same[:-1]) == (where == 0)
            if way == 2:
                np.testing.assert_allclose(looks[-1], 1 / 7)


def test_most_different_row_is_offered_and_keeps_the_prediction():
    view = guess(view_of("swap", head="2.4"))
    scope = view.drag(**view.first("presets")["buttons"][-1]["set"]).scope
    assert scope["moved"] >= 0.75
    assert scope["after"].next_word[-1].argmax() == scope["before"].next_word[-1].argmax()


# 3 · Another seed --------------------------------------------------------------------------------------


def test_two_seeds_predict_the_same_and_attend_to_different_words():
    view = view_of("seeds")
    scope = view.scope
    one, other = scope["row"][0], scope["row_2"][0]
    assert scope["apart"] == pytest.approx(np.abs(one - other).sum() / 2)
    assert scope["apart"] > 0.9
    assert scope["answer"].argmax() == scope["answer_2"].argmax() == 1
    found = heads.compared(fields.FIRST_SEED, fields.SECOND_SEED)
    assert found["agree"] == 1
    assert found["apart"] > 0.8
    tokens = view.stage["pose"]["tokens"][0]
    scope = view.drag(tokens=[[*tokens[:3], heads.WORDS.index("orange"), *tokens[4:]]]).scope
    assert scope["answer"].argmax() != scope["answer_2"].argmax(), "with both words each finds its own"


def test_heads_of_the_shipped_models_are_matched_within_their_layer():
    found = heads.matched("readable", "plain")
    assert sorted(a for a, *_ in found.pairs) == sorted(b for _, b, _ in found.pairs) == sorted(models.HEAD_NAMES)
    assert all(a[0] == b[0] for a, b, _ in found.pairs)
    assert 0.5 < found.agree < 1


# 4 · Weight is not effect ------------------------------------------------------------------------------


def test_weight_size_and_effect_of_each_word():
    view, text = view_of("deletion", opening="names"), fields.TEXTS["names"]
    run, scope = MODEL.run(text), view.scope
    answer = run.next_word[-1].argmax()
    weights = np.concatenate([layer.heads.weights[:, -1] for layer in run.layers])
    np.testing.assert_allclose(scope["weight"], weights.mean(axis=0), atol=1e-6)
    updates = sum(
        layer.heads.weights[head, -1, :, None] * (layer.heads.value[head] @ MODEL.W_output[k, head])
        for k, layer in enumerate(run.layers)
        for head in range(5)
    )
    np.testing.assert_allclose(scope["size"], np.linalg.norm(updates, axis=-1), atol=1e-3)
    first = text.index("ben")  # whose second mention stands last
    after = view.drag(kept=[[float(place != first) for place in range(len(text))]]).scope
    left = after["after"].next_word[-1][answer]
    assert scope["effect"][first] == pytest.approx(math.log(run.next_word[-1][answer] / left), abs=1e-3)
    assert after["taken"] == pytest.approx(weights.mean(axis=0)[first], abs=1e-6)
    assert after["taken"] < 0.05 < 0.85 < after["lost"]
    assert "attend to the ablated words, too" in follows(view)


def test_correlations_are_those_over_held_out_texts():
    scope = guess(view_of("deletion", model="plain")).scope
    assert len(heads.held_out()) == len(set(heads.held_out())) == heads.MEASURED, "no text counts twice"
    assert scope["over_texts"] == pytest.approx(heads.measured("measure_deletion", "plain")[0, 10])
    layers = [np.mean(scope["mean_weight"][5 * k : 5 * k + 5]) for k in (0, 1)]
    assert layers[1] > 0.5 > layers[0], "a better guide in the second layer than in the first"
    assert max(scope["felt_texts"][:10]) < heads.MEASURED * 0.8, "the largest weight often has no effect"


def test_sentence_on_the_largest_weight_of_a_head_agrees_with_its_effect():
    for head, opening in itertools.product(fields.HEAD_NAMES, fields.TEXTS):
        view = view_of("deletion", head=head, whose="head", opening=opening)
        scope, case = view.scope, (head, opening)
        largest = int(np.argmax(scope["weight"]))
        assert scope["top_word"] == scope["words"][largest], case
        small = abs(scope["effect"][largest]) <= 0.1
        assert ("need not have a large effect" in follows(view)) == small, case
        assert (scope["rankable"] == 0) == (np.ptp(np.abs(scope["effect"]).round(2)) == 0), case


def test_without_any_effect_nothing_is_ranked():
    view = guess(view_of("deletion", head="2.5", whose="head"))
    scope = view.scope
    assert scope["weight"].max() > 0.7
    assert np.abs(scope["effect"]).max() < 0.005
    assert scope["rankable"] == 0
    ranked = [each for each in view.parts if each["kind"] == "follows"][1]["cases"]
    assert ranked[0]["when"], "else nothing to rank"
    assert "nothing to rank" in str(ranked[1]["text"])


# 5 · Second hand ---------------------------------------------------------------------------------------


def test_another_word_changes_what_arrives_and_the_weights_stay():
    view, text = view_of("second_hand"), list(fields.CHAINS["tower"])
    scope, red = view.scope, text.index("red")
    assert text[int(scope["word"])] == "tower"
    assert scope["parts"].sum() == pytest.approx(1)
    assert scope["parts"][red] > 0.5 > abs(scope["parts"][int(scope["word"])])
    tokens = view.stage["pose"]["tokens"][0]
    tokens[red], text[red] = grammar.PLACE_OF["black"], "black"
    scope, run = view.drag(tokens=[tokens]).scope, MODEL.run(text)
    np.testing.assert_allclose(scope["after"].next_word[-1], run.next_word[-1], atol=1e-5)
    assert MODEL.words[int(run.next_word[-1].argmax())] == "black"
    assert scope["moved"] < 0.1
    assert "may hold something else" in follows(view)


def test_question_and_goals_stay_while_another_position_is_chosen():
    plain, chosen = view_of("second_hand"), view_of("second_hand", head="2.3", word="2")
    assert question_of(plain).text == question_of(chosen).text
    assert "own" in plain.goals.keys() & chosen.goals.keys()
    nothing = view_of("seeds", seed="30", other_seed="39")
    assert nothing.first("goals")["none"] == prose.read("misleading")["nothing"]


# 6 · What it does tell ---------------------------------------------------------------------------------


def test_sharpness_of_heads_is_compared_with_what_breaks_without_them():
    view = guess(view_of("tells"))
    scope = view.scope
    rows = [
        np.concatenate([layer.heads.weights[:, -1] for layer in MODEL.run([MODEL.words[k] for k in text]).layers])
        for text in heads.held_out()
    ]
    np.testing.assert_allclose(scope["sharp"], np.mean([row.max(axis=1) for row in rows], axis=0), atol=1e-5)
    right = {"whole": {}, "off": {}}
    for text in held_out_texts():
        for how, off in (("whole", ()), ("off", [(0, 0)])):
            chosen = MODEL.run(text.words, off).next_word.argmax(-1)
            for slot in text.slots:
                right[how].setdefault(slot.kind, []).append(MODEL.words[chosen[slot.place]] in slot.answers)
    lost = np.mean([np.mean(right["whole"][kind]) - np.mean(right["off"][kind]) for kind in right["whole"]])
    assert scope["broken"][0] == pytest.approx(lost)
    assert max(scope["broken"]) == scope["broken"][0] > 0.4
    assert min(scope["broken"]) < 0.1
    dimmed = np.zeros((2, 5))
    dimmed[0, 0] = 1
    scope = view.drag(dimmed=dimmed.tolist()).scope
    expected = MODEL.run(fields.TEXTS["names"], [(0, 0)]).next_word[-1]
    np.testing.assert_allclose(scope["after"].next_word[-1], expected, atol=1e-5)
    assert scope["cost"] == pytest.approx(lost)
    assert scope["points"] == pytest.approx(100 * lost)


def test_order_that_chance_gives_is_said_to_be_chance():
    for model in ("readable", "plain"):
        view, chance = guess(view_of("tells", model=model)), heads.necessary(model).chance >= 0.05
        for text in (question_of(view).verdict_text, columns(view)):
            assert ("could be due to chance" in text) == chance, model


# Missing weights ---------------------------------------------------------------------------------------


def test_missing_weights_are_named_by_the_experiments_that_need_them(monkeypatch):
    def missing(model):
        raise ValueError(f"the weights {model}.npz cannot be read")

    models.fault.cache_clear()
    monkeypatch.setattr(models, "load_language_model", missing)
    try:
        for name in EXPERIMENTS:
            visit, needed = Visit(PATH, experiment=name), name not in fields.SMALL
            errors = [error.value for error in visit.at.error]
            missed = ["missing or damaged: readable.npz" in as_shown(error) for error in errors]
            assert missed == [True] * needed, name
            assert ("misleading" in visit.stages) != needed, name
        visit = Visit(PATH, experiment="seeds", seed="70")  # which no other test has had calculated
        assert "readable.npz, plain.npz" in columns(visit.press("guess.0"))
    finally:
        models.fault.cache_clear()


def test_the_word_to_put_in_first_is_of_the_other_kind():
    for opening, said in (("phone", "with *orange*"), ("orange", "with another clue")):
        first = guess(view_of("elimination", opening=opening)).first("goals")["first"]
        assert said in "".join(each if isinstance(each, str) else f"*{each['em']}*" for each in first)
