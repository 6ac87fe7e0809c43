"""The recorded runs hold what SmolLM2 computes, and the figures that the course states."""

from itertools import combinations

import numpy as np
import pytest

from attention_core import MayAttend, load_recorded_runs, read_model
from attention_core.models.weights import FOLDER
from tools.training import record_smollm2 as making

RECORDED, RUNS = load_recorded_runs(), load_recorded_runs().runs
EFFECTS = {name: run.answers[0].effects.ravel() for name, run in RUNS.items()}


def test_every_text_has_patterns_next_tokens_and_effects_in_a_small_file():
    assert RUNS.keys() == making.TEXTS.keys()
    assert (FOLDER / "smollm2.npz").stat().st_size <= 2_500_000
    for name, run in RUNS.items():
        n = len(run.tokens)
        assert (run.weights.shape, run.value_lengths.shape) == ((30, 9, n, n), (30, 3, n)), name
        np.testing.assert_allclose(run.weights.sum(axis=-1), 1, atol=1e-5)
        assert run.top_probabilities.shape == run.top_numbers.shape == (n - run.start, 50)
        assert run.continuation == tuple(row[0] for row in run.top_tokens)  # greedy
        for answer in run.answers:
            (place,) = np.flatnonzero(run.top_numbers[answer.step] == answer.number)
            assert answer.probability == run.top_probabilities[answer.step, place], name
        assert run.answers[0].token == run.continuation[run.answers[0].step]


def test_no_reader_changes_what_all_readers_share():
    for shared in (RECORDED.runs, RECORDED.measures, RECORDED.window_perplexities, RECORDED.record):
        with pytest.raises(TypeError, match="does not support item assignment"):
            shared["new"] = 1
    assert {type(value) for value in RECORDED.record.values()} == {str, int}
    assert max(len(repr(each)) for each in (RECORDED, *RUNS.values())) < 3000


def test_one_head_carries_paris_and_none_carries_mary():
    head = RECORDED.head_names.index("24.5")
    assert EFFECTS["france"][head] == EFFECTS["france"].min() == pytest.approx(-1.7, abs=0.1)
    assert RUNS["france"].weights_by_head[head, 4, 3] > 0.85  # of the last token on France
    assert EFFECTS["mary"].min() == pytest.approx(-0.34, abs=0.01)


def test_some_answers_need_the_first_token_and_others_do_not():
    assert RUNS["france"].weights[:, :, 1:5, 0].mean() == pytest.approx(0.74, abs=0.01)
    for name, *expected in (("france", 0.773, 0.024), ("mary", 0.923, 0.063), ("germany", 0.974, 0.938)):
        answer = RUNS[name].answers[0]
        assert [answer.probability, answer.first_closed] == pytest.approx(expected, abs=0.005), name
    assert [answer.token for answer in RUNS["australia"].answers] == [" Sydney", " Canberra"]  # wrong, right
    of = RECORDED.window_perplexities
    assert all(of[window, 0] > 1.5 * of[window, 1] > 1.5 * of[None, 0] for window in (16, 32, 64))


def test_closing_the_first_token_leaves_a_distribution_that_has_the_answers():
    for name, run in RUNS.items():
        assert len(run.closed_tokens) == len(run.closed_probabilities) == 50
        assert (np.diff(run.closed_probabilities) <= 0).all()
        assert run.closed_probabilities.sum() <= 1
        for answer in run.answers:
            place = run.closed_tokens.index(answer.token)
            assert run.closed_probabilities[place] == pytest.approx(answer.first_closed, rel=1e-6), name
    assert RUNS["france"].closed_tokens[0] == " the"  # no longer Paris


def test_heads_are_known_by_what_they_copy():
    for name, head in (("previous", "17.1"), ("same", "9.1"), ("induction", "19.7")):
        assert RECORDED.head_names[RECORDED.measures[name].argmax()] == head


def test_every_choice_of_six_induction_heads_and_of_six_others_was_measured():
    of = {frozenset(each.heads): each.perplexity for each in RECORDED.ablations}
    order = np.argsort(-RECORDED.measures["induction"], axis=None)[:6]
    six = [RECORDED.head_names[index] for index in order]
    assert set(six[:3]) == {"19.7", "18.4", "18.5"}
    (others,) = (heads for heads in of if len(heads) == 6 and heads != frozenset(six))
    layers = [sorted(name.split(".")[0] for name in heads) for heads in (six, others)]
    assert layers[0] == layers[1]
    assert not others & set(six)
    choices = {frozenset(off) for group in (six, others) for n in range(7) for off in combinations(group, n)}
    assert of.keys() == choices
    assert of[frozenset(six)] > 50 * of[frozenset(six[:3])] > 300 * of[others] > 300 * of[frozenset()]
    assert of[frozenset()] == pytest.approx(1.75, abs=0.005)


def test_prose_hardly_needs_the_heads_that_copy():
    whole, controls = RECORDED.window_perplexities[None, 0], RECORDED.controls
    assert whole < controls["others_off"] < controls["induction_off"] < 1.15 * whole


def test_only_weight_on_earlier_occurrences_counts_and_never_that_on_the_first_token():
    def attending_to(key):
        return np.eye(making.ONCE * making.TIMES)[np.broadcast_to(key, making.ONCE * making.TIMES)]

    query = np.arange(making.ONCE * making.TIMES)
    heads = {"first": attending_to(0), "same": attending_to(query - making.ONCE)}
    heads["induction"] = attending_to(query - making.ONCE + 1)
    for name, of_same, of_induction in (("first", 0, 0), ("same", 1, 0), ("induction", 0, 1)):
        assert [making.on_earlier(heads[name], after) for after in (0, 1)] == [of_same, of_induction], name


def test_the_model_computes_what_is_recorded():
    model, run = read_model(making.shipped_file()), RUNS["australia"]
    assert model.sha256 == RECORDED.record["sha256"]
    for each in RUNS.values():
        weights, lengths = making.patterns(model, each.numbers)
        np.testing.assert_allclose(each.weights, weights, rtol=0, atol=1e-4)
        np.testing.assert_allclose(each.value_lengths, lengths, rtol=1e-3)
    off = making.log_probabilities(model, run.numbers[: run.start], [(23, 4)])
    for answer in run.answers:
        effect = off[answer.number] - np.log(answer.probability)
        assert effect == pytest.approx(answer.effects[23, 4], abs=1e-3)
    lengths = [len(model.tokeniser.encode(part)[0]) for part in making.PARAGRAPHS]
    assert (min(lengths), max(lengths)) == (101, 115)  # a page says what uniform attention would give in these
    controls = making.measure_controls(model, RECORDED.measures["induction"])
    assert controls == pytest.approx(dict(RECORDED.controls), rel=1e-2)
    closed = making.log_probabilities(model, run.numbers[: run.start], may_attend=MayAttend(closed=(0,)))
    most = np.argsort(-closed)[:3]
    assert run.closed_tokens[:3] == tuple(map(model.tokeniser.text, most))
    np.testing.assert_allclose(run.closed_probabilities[:3], np.exp(closed[most]), rtol=1e-3)
    measured = next(each for each in RECORDED.ablations if each.heads == ("19.7", "19.8"))
    texts = [making.repeated(model, seed) for seed in making.SEEDS["ablated"]]
    last = [
        making.log_probabilities(model, text, [(18, 6), (18, 7)], every=True)[-making.ONCE :] for text in texts
    ]
    assert np.exp(-np.mean(last)) == pytest.approx(measured.perplexity, rel=1e-3)
