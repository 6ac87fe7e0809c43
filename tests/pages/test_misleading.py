"""Is attention an explanation? What each experiment shows, calculated anew outside the page."""

import itertools
import math

import numpy as np
import pytest

from attention_core import load_language_model, load_task, train
from attention_core.models import grammar
from attention_core.models.language_model import held_out_texts
from attention_core.training import forward, without_answer
from attention_lab import text as prose
from attention_lab.lessons.misleading import EXPERIMENTS, fields, heads
from attention_lab.lessons.trained_model import models
from tests.pages.test_every_page import execute, numbers_in
from tests.visit import LESSONS, NAMES, Visit, as_shown, at

PATH = LESSONS[NAMES.index("misleading")]
MODEL = load_language_model()
every_experiment = pytest.mark.parametrize("name", EXPERIMENTS)


def visit(name, **address):
    return Visit(PATH, experiment=name, **address)


def part(shown, kind):
    return next(part for part in shown.parts if part["kind"] == kind)


def said(text, heads_off=()):
    return MODEL.run(text, heads_off).next_word[-1]


def guess(shown):
    """The guess made, and what is told then."""
    next(button for button in shown.at.button if ".guess.0" in (button.key or "")).click()
    return shown.run()


def follows(shown):
    """The sentence on what follows, as the browser chooses it; it comes after the prediction."""
    if not any(part["kind"] == "follows" for part in shown.parts):
        guess(shown)
    scope = shown.scope

    def holds(each):
        number, target = float(at(scope, each["path"])), each["target"]
        within = abs(number - target) <= each["tolerance"]
        return {"at_least": number >= target, "at_most": number <= target, "within": within}[each["relation"]]

    found = next(case for case in part(shown, "follows")["cases"] if all(map(holds, case["when"])))
    return "".join(piece if isinstance(piece, str) else "…" for piece in found["text"])


@every_experiment
def test_each_asks_first_and_tells_what_was_counted_only_then(name):
    shown = visit(name)
    question = as_shown(prose.read("misleading")[f"predict/{EXPERIMENTS[name].question.name}"].split("{")[0])
    assert question in as_shown(shown.text)
    assert not shown.stage["veil"]
    before = len(str(shown.stage["columns"]))
    conclusion = prose.read("misleading")[f"{name}/conclusion"]
    assert conclusion not in str(shown.stage["columns"])
    counted = {"swap": "swap/table", "second_hand": f"{name}/conclusion"}.get(name, "counted")
    assert prose.read("misleading").plain(counted) not in str(shown.stage["columns"])
    guess(shown)
    assert "You predicted" in shown.text
    assert conclusion in str(shown.stage["columns"])
    assert prose.read("misleading").plain(counted) in str(shown.stage["columns"])
    assert len(str(shown.stage["columns"])) > before
    assert "{" not in shown.text
    assert not shown.at.warning


@every_experiment
def test_goals_wait_for_the_prediction_and_none_is_ticked_before(name):
    shown = visit(name)
    assert part(shown, "goals")["waits"]
    assert shown.stage["completed_goals"] == []
    if name == "elimination":
        the = heads.WORDS.index("the")
        tokens = shown.stage["pose"]["tokens"][0]
        shown.drag(tokens=[[*tokens[:2], the, *tokens[3:]]])
        assert shown.scope["missed_share"] >= 0.9
        assert shown.stage["completed_goals"] == [], "nobody has seen the goal yet"
    assert "waits" not in part(guess(shown), "goals")


@every_experiment
def test_each_begins_anew_and_stays_the_one_shown_after_a_reset(name):
    shown = visit("tells" if name != "tells" else "swap", model="plain")
    shown.at.selectbox(key="misleading.experiment").set_value(name)
    shown.run()
    assert shown.values["experiment"] == name
    assert shown.values["opening"] in fields.texts_of(name)
    at_first = shown.link
    shown.drag(kept=(np.array(shown.stage["pose"]["kept"]) * 0.5).tolist(), answers=1)
    assert shown.link != at_first
    shown.at.button(key="misleading.reset").click()
    shown.run()
    assert shown.values["experiment"] == name
    assert "kept" not in shown.link
    assert shown.values["answers"] == "two", "nothing else stays"


@every_experiment
def test_the_programs_of_each_print_what_is_on_screen(name):
    shown = visit(name)
    moved = {
        "swap": {"shifted": [[0.0, 0.3, -0.3, 0.0, 0.0, 0.0, 0.0]]},
        "deletion": {"kept": [[0.5, *[1.0] * 6, 0.0, *[1.0] * 5]]},
        "tells": {"dimmed": [[0.5, 0, 0, 0, 0], [0, 1, 0, 0, 0]]},
        "elimination": {"shifted": [[0.2, 0.0, 0.0, 0.0, 0.0, -0.1]]},
    }.get(name)
    if moved:
        shown.drag(**moved)
    scope = shown.scope
    said = scope["after"].next_word[-1] if "after" in scope else scope["answer"][0]
    on_screen = np.array([0.0, *numbers_in(scope), *numbers_in(list(map(np.array, shown.tables.values())))])
    for program in shown.programs:
        numbers = [float(line.split()[-1]) for line in execute(program).splitlines()]
        assert len(numbers) >= 8
        assert np.isclose(numbers, said.max(), rtol=1e-5).any(), "the answer after what a hand has done"
        for number in numbers:
            assert np.isclose(on_screen, number, rtol=1e-5, atol=1e-8).any(), number


# 1 · Right by elimination ------------------------------------------------------------------------------------


def test_a_head_is_right_that_does_not_look_at_what_it_answers():
    two = without_answer(load_task("which_apple", 2048), "unclear")
    run = train(two, fields.FIRST_SEED, heads.STEPS)
    tokens = [two.words.index(word) for word in fields.SENTENCES["phone"]]
    done = forward(run.at(-1), np.array([tokens]))
    shown = visit("elimination")
    scope = shown.scope
    assert shown.tables["predictions"].to_numpy() == pytest.approx(np.array([scope["answer"][0]] * 2).T)
    np.testing.assert_allclose(scope["row"][0], done.layers[0].weights[0, 0, 5], atol=1e-6)
    np.testing.assert_allclose(scope["answer"][0], done.probabilities[0, 0, 5], atol=1e-6)
    assert scope["answer"][0, 1] > 0.95
    assert scope["row"][0, 2] < 0.02, "right, and hardly looking at “phone”"
    assert run.accuracy[-1] == 1
    assert "does not come from attending to the clue" in follows(shown)
    assert "“**It predicts tech, with at least 90%**”" in as_shown(shown.text)


def test_over_all_held_out_sentences_too_and_with_a_third_answer_it_looks():
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


def test_a_word_exchanged_and_a_weight_dragged():
    shown = visit("elimination")
    the, orange = (heads.WORDS.index(word) for word in ("the", "orange"))
    tokens = shown.stage["pose"]["tokens"][0]
    shown.drag(tokens=[[*tokens[:2], the, *tokens[3:]]])
    assert shown.scope["answer"][0, 1] > 0.9
    assert "recognising one is enough" in follows(shown)
    shown.drag(tokens=[[*tokens[:2], orange, *tokens[3:]]])
    assert shown.scope["answer"][0, 0] > 0.9
    assert shown.scope["row"][0, 2] > 0.5
    shown.drag(shifted=[[0.0, 0.0, -1.0, 0.0, 0.0, 0.0]])
    scope = shown.scope
    assert scope["row"][0, 2] == 0
    assert scope["row"].sum() == pytest.approx(1)
    assert scope["answer"][0, 0] < 0.5, "without that weight it does not find fruit"
    assert "yours" in shown.badges


@pytest.mark.parametrize("seed", [69, 48, 30, 105])
@pytest.mark.parametrize("opening", fields.SENTENCES)
def test_what_is_said_of_a_small_head_is_what_its_numbers_are(seed, opening):
    shown = visit("elimination", seed=str(seed), opening=opening)
    for answers in (0, 1):
        scope = shown.drag(answers=answers).scope
        said = follows(shown)
        sure, missed = float(np.max(scope["answer"])), float(scope["missed_share"])
        if answers == 0:
            assert ("is undecided" in said) == (sure <= 0.65 and 0.35 <= missed <= 0.65)
        if "does not come from attending" in said:
            assert scope["on_missed"] <= 0.1
            assert scope["missed_unseen"] >= 0.9
        if "No clue is left" in said:
            assert scope["tellers"] == 0
        if "predicts unclear" in said:
            assert 1 - scope["known_share"] >= 0.9


# 2 · Swap the weights ----------------------------------------------------------------------------------------


def test_the_model_goes_on_from_the_row_in_the_hand():
    shown = visit("swap")
    text = fields.TEXTS["names"]
    run = MODEL.run(text)
    scope = shown.scope
    assert fields.HEAD_NAMES[7 - 1] == shown.values["head"] == "2.2"
    np.testing.assert_allclose(scope["after"].next_word[-1], run.next_word[-1], atol=1e-5)
    row = run.layers[1].heads.weights[1, -1].astype(float)
    shown.drag(shifted=(np.eye(7)[0] - row).round(3)[None].tolist())
    trace, head = run.layers[1], 1
    value = trace.heads.value[head].astype(float) @ MODEL.W_output[1, head]
    last = run.states[-1][-1] + (np.eye(7)[0] - row) @ value  # in the last layer nothing else follows
    logits = last @ MODEL.W_vocabulary + MODEL.bias
    shares = np.exp(logits - logits.max())
    np.testing.assert_allclose(shown.scope["after"].next_word[-1], shares / shares.sum(), atol=2e-3)
    assert grammar.WORDS[int(shown.scope["after"].next_word[-1].argmax())] == "ana" != "eva"


def test_an_answer_needs_a_row_only_where_it_goes_without_it():
    seen = set()
    for head in fields.HEAD_NAMES:
        for way in ("permuted", "flat", "frozen"):
            shown = visit("swap", head=head, swap=way, where="head")
            scope, said_then = shown.scope, follows(shown)
            assert "yours" in shown.badges
            if scope["lead"] <= 0:
                assert ("needs what the head brings" in said_then) == (scope["lead_without"] <= 0)
                seen.add(bool(scope["lead_without"] <= 0))
            else:
                assert "needs" not in said_then
    assert seen


@pytest.mark.parametrize("way", [1, 2, 3])
def test_other_weights_stand_in_one_row_or_in_every_row(way):
    shown = visit("swap", head="1.1")
    for where in (0, 1):
        scope = shown.drag(swap=way, where=where).scope
        looks = scope["looks"]
        np.testing.assert_allclose(looks.sum(axis=1), 1, atol=1e-6)
        assert not np.triu(looks, 1).any(), "nobody looks ahead"
        same = [np.allclose(a, b, atol=1e-6) for a, b in zip(looks, scope["pattern"], strict=True)]
        assert all(same[:-1]) == (where == 0)
        if way == 2:
            np.testing.assert_allclose(looks[-1], 1 / 7)


def test_the_row_most_unlike_is_offered_and_leaves_the_answer():
    guess(shown := visit("swap", head="2.4"))
    button = part(shown, "presets")["buttons"][-1]
    scope = shown.drag(**button["set"]).scope
    assert scope["moved"] >= 0.75
    assert scope["after"].next_word[-1].argmax() == scope["before"].next_word[-1].argmax()


# 3 · Another seed -----------------------------------------------------------------------------------------------


def test_two_seeds_answer_the_same_and_look_elsewhere():
    shown = visit("seeds")
    scope = shown.scope
    one, other = scope["row"][0], scope["row_2"][0]
    assert scope["apart"] == pytest.approx(sum(abs(a - b) for a, b in zip(one, other, strict=True)) / 2)
    assert scope["apart"] > 0.9
    assert scope["answer"].argmax() == scope["answer_2"].argmax() == 1
    found = heads.compared(fields.FIRST_SEED, fields.SECOND_SEED)
    assert found["agree"] == 1
    assert found["apart"] > 0.8
    both = heads.WORDS.index("orange")
    tokens = shown.stage["pose"]["tokens"][0]
    scope = shown.drag(tokens=[[*tokens[:3], both, *tokens[4:]]]).scope
    assert scope["answer"].argmax() != scope["answer_2"].argmax(), "with both words each finds its own"


def test_the_shipped_models_are_compared_head_by_head():
    found = heads.matched("readable", "plain")
    assert sorted(a for a, *_ in found.pairs) == sorted(b for _, b, _ in found.pairs) == sorted(models.HEAD_NAMES)
    assert all(a[0] == b[0] for a, b, _ in found.pairs), "each within its layer"
    plain = load_language_model("plain")
    same = [
        said([MODEL.words[k] for k in text]).argmax()
        == plain.run([MODEL.words[k] for k in text]).next_word[-1].argmax()
        for text in heads.held_out()[:40]
    ]
    some = [
        heads.own_reading("readable", text).next_word[-1].argmax()
        == heads.own_reading("plain", text).next_word[-1].argmax()
        for text in heads.held_out()[:40]
    ]
    assert same == some
    assert 0.5 < found.agree < 1


# 4 · Weight is not effect --------------------------------------------------------------------------------------


def test_weight_size_and_effect_of_each_word():
    shown = visit("deletion", opening="names")
    text = fields.TEXTS["names"]
    run, scope = MODEL.run(text), shown.scope
    answer = run.next_word[-1].argmax()
    weights = np.concatenate([layer.heads.weights[:, -1] for layer in run.layers])
    np.testing.assert_allclose(scope["weight"], weights.mean(axis=0), atol=1e-6)
    handed = sum(
        layer.heads.weights[head, -1, :, None] * (layer.heads.value[head] @ MODEL.W_output[k, head])
        for k, layer in enumerate(run.layers)
        for head in range(5)
    )
    np.testing.assert_allclose(scope["size"], np.linalg.norm(handed, axis=-1), atol=1e-3)
    first = text.index("ben")  # whose second mention stands last
    kept = [[float(place != first) for place in range(len(text))]]
    after = shown.drag(kept=kept).scope
    share = after["after"].next_word[-1][answer]
    assert scope["effect"][first] == pytest.approx(math.log(run.next_word[-1][answer] / share), abs=1e-3)
    assert after["taken"] == pytest.approx(weights.mean(axis=0)[first], abs=1e-6)
    assert after["taken"] < 0.05 < 0.85 < after["lost"]
    assert "attend to the ablated words, too" in follows(shown)


def test_no_prompt_is_the_beginning_of_a_text_that_a_model_was_trained_on():
    prompts = {tuple(MODEL.words[number] for number in text) for text in heads.held_out()}
    for name in ("readable", "plain"):
        record = load_language_model(name).record
        trained = itertools.islice(grammar.texts(record["seed"], held_out=False), record["training_texts"])
        assert not prompts & {text.words[:end] for text in trained for end in range(1, len(text.words))}


def test_no_small_head_was_trained_on_a_held_out_sentence_in_another_order():
    for answers in heads.ANSWERS:
        task = heads.task_of(answers)
        trained, held_out = (
            {frozenset(sentence) for sentence in task.sentences[side].tolist()}
            for side in (~task.held_out, task.held_out)
        )
        assert held_out
        assert not trained & held_out


def test_the_correlations_are_those_over_held_out_texts():
    guess(shown := visit("deletion", model="plain"))
    scope = shown.scope
    assert len(heads.held_out()) == heads.MEASURED
    assert len(set(heads.held_out())) == heads.MEASURED, "no text counts twice"
    assert scope["over_texts"] == pytest.approx(heads.ranked("plain")[0, 10])
    layers = [np.mean(scope["mean_weight"][5 * k : 5 * k + 5]) for k in (0, 1)]
    assert layers[1] > 0.5 > layers[0], "a better guide in the second layer than in the first"
    assert max(scope["felt_texts"][:10]) < heads.MEASURED * 0.8, "the largest weight often has no effect"


@pytest.mark.parametrize("head", fields.HEAD_NAMES)
@pytest.mark.parametrize("opening", fields.TEXTS)
def test_what_is_said_of_one_heads_largest_weight_is_what_its_effect_is(head, opening):
    shown = visit("deletion", head=head, whose="head", opening=opening)
    scope = shown.scope
    heaviest = int(np.argmax(scope["weight"]))
    assert scope["top_word"] == scope["words"][heaviest]
    small = abs(scope["effect"][heaviest]) <= 0.1
    assert ("need not have a large effect" in follows(shown)) == small
    assert (scope["rankable"] == 0) == (np.ptp(np.abs(scope["effect"]).round(2)) == 0)


def test_where_no_effect_is_shown_nothing_is_ranked():
    guess(shown := visit("deletion", head="2.5", whose="head"))
    scope = shown.scope
    assert scope["weight"].max() > 0.7
    assert np.abs(scope["effect"]).max() < 0.005
    assert scope["rankable"] == 0
    ranked = [each for each in shown.parts if each["kind"] == "follows"][1]["cases"]
    assert ranked[0]["when"], "else nothing to rank"
    assert "nothing to rank" in str(ranked[1]["text"])


# 5 · Second hand ------------------------------------------------------------------------------------------


def test_another_word_changes_what_arrives_and_the_weights_stay():
    shown = visit("second_hand")
    text = list(fields.CHAINS["tower"])
    scope = shown.scope
    assert text[int(scope["word"])] == "tower"
    assert scope["parts"].sum() == pytest.approx(1)
    assert scope["parts"][text.index("red")] > 0.5 > abs(scope["parts"][int(scope["word"])])
    tokens = shown.stage["pose"]["tokens"][0]
    tokens[text.index("red")] = grammar.PLACE_OF["black"]
    scope = shown.drag(tokens=[tokens]).scope
    text[text.index("red")] = "black"
    run = MODEL.run(text)
    np.testing.assert_allclose(scope["after"].next_word[-1], run.next_word[-1], atol=1e-5)
    assert MODEL.words[int(run.next_word[-1].argmax())] == "black"
    assert scope["moved"] < 0.1
    assert "finds something else" in follows(shown)


def test_the_question_does_not_follow_the_place_chosen_and_the_goals_stay():
    plain, chosen = visit("second_hand"), visit("second_hand", head="2.3", word="2")

    def asks(shown):
        return next(line.value for line in shown.at.markdown if "What changes?" in line.value)

    assert asks(plain) == asks(chosen)
    offered = [{goal["name"] for goal in part(shown, "goals")["goals"]} for shown in (plain, chosen)]
    assert "own" in offered[0] & offered[1]
    nothing = visit("seeds", seed="30", other_seed="39")
    assert part(nothing, "goals")["none"] == prose.read("misleading")["nothing"]


# 6 · What it does tell ----------------------------------------------------------------------------------------


def test_what_breaks_without_a_head_is_counted_and_held_against_its_sharpness():
    guess(shown := visit("tells"))
    scope = shown.scope
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
    lost = [np.mean(right["whole"][kind]) - np.mean(right["off"][kind]) for kind in right["whole"]]
    assert scope["broken"][0] == pytest.approx(np.mean(lost))
    assert max(scope["broken"]) == scope["broken"][0] > 0.4
    assert min(scope["broken"]) < 0.1
    dimmed = np.zeros((2, 5))
    dimmed[0, 0] = 1
    scope = shown.drag(dimmed=dimmed.tolist()).scope
    np.testing.assert_allclose(scope["after"].next_word[-1], said(fields.TEXTS["names"], [(0, 0)]), atol=1e-5)
    assert scope["cost"] == pytest.approx(np.mean(lost))
    assert scope["points"] == pytest.approx(100 * np.mean(lost))


@pytest.mark.parametrize("model", ["readable", "plain"])
def test_an_order_that_chance_gives_is_said_to_be_chance(model):
    found = heads.necessary(model)
    shown = guess(visit("tells", model=model))
    assert ("this could be chance" in shown.text) == (found.chance >= 0.05)
    assert ("this could be chance" in str(shown.stage["columns"])) == (found.chance >= 0.05)


# What cannot be -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ({"experiment": "none"}, "experiment"),
        ({"tokens": "1_2_3"}, "1 × 6 numbers"),
        ({"tokens": "1_2_3_4_5_99"}, "from 0 to 14"),
        ({"tokens": "9_9_9_9_9_9"}, "The last word must be “apple”"),
        ({"shifted": "2_0_0_0_0_0"}, "out of range"),
        ({"kept": "-1_1_1_1_1_1"}, "Use a number from 0 to 1"),
        ({"seed": "10000"}, "seed"),
        ({"goal": "needed"}, "goal"),
        ({"experiment": "swap", "version": "0123abcd"}, "another version of the model"),
        ({"experiment": "second_hand", "head": "1.1"}, "head"),
    ],
)
def test_what_cannot_be_is_the_default_and_one_line(address, told):
    shown = Visit(PATH, **address)
    assert len(shown.at.warning) == 1
    assert told in as_shown(shown.at.warning[0].value)


@pytest.mark.parametrize("name", ["swap", "deletion", "second_hand", "tells", "seeds", "elimination"])
def test_weights_that_are_missing_are_said_to_be_so(monkeypatch, name):
    def missing(model):
        raise ValueError(f"the weights {model}.npz cannot be read")

    models.fault.cache_clear()
    monkeypatch.setattr(models, "load_language_model", missing)
    try:
        shown = visit(name)
        needed = name not in fields.SMALL
        assert [
            error.value.startswith("The weights of this model, readable.npz") for error in shown.at.error
        ] == ([True] * needed)
        assert ("misleading" in shown.stages) != needed
        if name == "seeds":
            assert "readable.npz, plain.npz" in str(guess(shown).stage["columns"])
    finally:
        models.fault.cache_clear()


def test_a_question_that_hides_nothing_hides_everything_for_who_wants_to_guess_first():
    shown = visit("tells", predict="1")
    assert shown.stage["veil"]
    assert not guess(shown).stage["veil"]
