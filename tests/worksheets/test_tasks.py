"""Worksheets: answers solved a second time without the core, and the verdict on anything that is typed."""

import re
from collections.abc import Mapping
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_lab.text.languages import speaking
from attention_lab.worksheets import LAST_SEED, WORKSHEET_TOPICS, answers, check_answer, make_worksheet

SEEDS = range(1, 51)


@cache
def every_task():
    sheets = [make_worksheet(topic, seed) for topic in WORKSHEET_TOPICS for seed in SEEDS]
    return [(sheet.topic, sheet, task) for sheet in sheets for task in sheet.tasks]


def task_named(topic, name):
    return next(task for task in make_worksheet(topic, 1).tasks if task.name == name)


# The tasks once more, by the formulas of a textbook. `g` has what a task gives: arrays, and words by their place.

norm = np.linalg.norm


def softmax(scores, mask=True):
    powers = np.where(mask, np.exp(scores), 0)
    return powers / powers.sum()


def cosine(a, b):
    return a @ b / norm(a) / norm(b)


def largest_but(numbers, place):
    """Return the place of the largest number, another than this."""
    return np.where(np.arange(len(numbers)) == place, -np.inf, numbers).argmax()


def ranks(numbers):
    return (numbers > numbers[:, None]).sum(axis=1) + 1


def squares(g):
    return ((ranks(g.weights) - ranks(g.effects)) ** 2).sum()


def position(p):
    return np.array([np.sin(p), np.cos(p)])


def same_distance(g):
    pairs = [map(int, option.split(" and ")) for option in g.options]
    return [b - a for a, b in pairs].index(g.other - g.one)


def updates(g):
    return np.array([g.context_1 @ g.W_output_1, g.context_2 @ g.W_output_2])


def logits(g, off=None):
    return g.start + sum([g.head_1, g.head_2, g.head_3][k] for k in range(3) if k + 1 != off)


def gradient(g):
    return softmax(g.scores) - (np.arange(len(g.scores)) == g.right)


def weights(g):
    return softmax(g.keys @ g.query / 2)  # √4 = 2


def verdict(g, weights):
    one, other = weights @ g.handed
    return g.one if one > other else g.other


def swapped(g):
    weights = g.shares.copy()
    weights[[g.first, g.second]] = weights[[g.second, g.first]]
    return weights


def without_first(g):
    return np.where(np.arange(3) == g.first, 0, g.shares / (1 - g.shares[g.first]))


def parts(g):
    return g.shares * (g.handed[:, 0] - g.handed[:, 1])


SOLUTIONS = {
    "home/most": lambda g: g.shares.argmax(),
    "home/third": lambda g: 1 - g.two.sum(),
    "home/part": lambda g: g.shares[g.second] * g.values[g.second],
    "home/average": lambda g: g.shares @ g.values,
    "home/equal": lambda g: 1 / len(g.values),
    "home/hidden": lambda g: 0,
    "embeddings/arrow": lambda g: g.moved - g.vectors[g.word],
    "embeddings/how_far": lambda g: norm(g.moved - g.vectors[g.word]),
    "embeddings/mixed": lambda g: g.shares @ g.vectors,
    "embeddings/pull": lambda g: g.share * (g.vectors[g.puller] - g.vectors[g.word]),
    "embeddings/chain": lambda g: g.start + g.first + g.second,
    "embeddings/pulls_most": lambda g: largest_but(g.vectors @ g.vectors[g.word], g.word),
    "similarity/dot": lambda g: g.vectors[g.first] @ g.vectors[g.second],
    "similarity/length": lambda g: norm(g.vectors[g.first]),
    "similarity/cosine": lambda g: cosine(g.vectors[g.first], g.vectors[g.second]),
    "similarity/angle": lambda g: np.degrees(np.arccos(cosine(g.vectors[g.first], g.vectors[g.second]))),
    "similarity/scaled": lambda g: g.vectors[g.first] @ g.vectors[g.second] / 2**0.5,
    "similarity/stretched": lambda g: g.vectors[g.first] @ (g.times * g.vectors[g.second]),
    "similarity/right_angle": lambda g: -g.vectors[g.first][0] * g.across / g.vectors[g.first][1],
    "similarity/largest_dot": lambda g: largest_but(g.vectors @ g.vectors[g.first], g.first),
    "similarity/largest_cosine": lambda g: largest_but(
        g.vectors @ g.vectors[g.first] / norm(g.vectors, axis=1), g.first
    ),
    "softmax/shares": lambda g: softmax(g.scores),
    "softmax/lifted": lambda g: softmax(g.scores + g.lift)[g.first],
    "softmax/hot": lambda g: softmax(g.higher / g.temperature)[g.first],
    "softmax/closed": lambda g: softmax(g.scores, np.arange(len(g.scores)) != g.first),
    "softmax/how_much_more": lambda g: np.log(g.times),
    "softmax/entropy": lambda g: -sum(p * np.log2(p) for p in g.spread if p),
    "queries_keys/query": lambda g: g.vectors[g.first] @ g.W_query,
    "queries_keys/key": lambda g: g.vectors[g.first] @ g.W_key,
    "queries_keys/score": lambda g: (g.vectors[g.first] @ g.W_query) @ (g.vectors[g.second] @ g.W_key),
    "queries_keys/row": lambda g: (g.vectors @ g.W_key) @ (g.vectors[g.first] @ g.W_query),
    "queries_keys/finds": lambda g: ((g.vectors @ g.W_key) @ (g.vectors[g.first] @ g.W_query)).argmax(),
    "values/value": lambda g: g.vectors[g.first] @ g.W_value,
    "values/context": lambda g: g.shares @ (g.vectors @ g.W_value),
    "values/added": lambda g: g.vectors[g.first] + g.shares @ (g.vectors @ g.W_value),
    "values/longest_arrow": lambda g: (g.shares * norm(g.vectors @ g.W_value, axis=1)).argmax(),
    "self_attention/scores": lambda g: g.keys @ g.query,
    "self_attention/scaled": lambda g: g.keys @ g.query / 2,
    "self_attention/weights": weights,
    "self_attention/most": lambda g: (g.keys @ g.query).argmax(),
    "self_attention/context": lambda g: weights(g) @ g.values,
    "self_attention/new": lambda g: g.x + weights(g) @ g.values,
    "masking/weights": lambda g: softmax(g.scores, [True, True, True, False]),  # the third of four words asks
    "masking/first_row": lambda g: [1, 0, 0, 0],
    "masking/closed_after": lambda g: softmax(g.scores)[:3].sum(),
    "masking/causal": lambda g: np.tri(g.n).sum(),
    "masking/window": lambda g: sum(abs(i - j) <= g.width for i in range(g.n) for j in range(g.n)),
    "masking/causal_window": lambda g: sum(0 <= i - j <= g.width for i in range(g.n) for j in range(g.n)),
    "masking/padding": lambda g: g.n * (g.n - g.filler),
    "position/table": lambda g: position(g.place),
    "position/placed": lambda g: g.x + position(g.place),
    "position/between": lambda g: position(g.one) @ position(g.other),
    "position/turned": lambda g: g.along * position(g.place)[::-1],
    "position/same_turn": same_distance,
    "position/shuffled": lambda g: g.contexts[g.first],
    "multi_head/delta": lambda g: updates(g)[g.head - 1],
    "multi_head/joined": lambda g: g.joined @ np.vstack([g.W_output_1, g.W_output_2]),
    "multi_head/new": lambda g: g.x + updates(g).sum(axis=0),
    "multi_head/one_off": lambda g: g.x + updates(g)[2 - g.head],
    "multi_head/farthest": lambda g: 1 + norm(updates(g), axis=1).argmax(),
    "cross_attention/scores": lambda g: g.keys @ g.query,
    "cross_attention/weights": weights,
    "cross_attention/most": lambda g: (g.keys @ g.query).argmax(),
    "cross_attention/how_many_weights": lambda g: len(g.asking) * (len(g.answering) + g.more),
    "cross_attention/how_many_vectors": lambda g: len(g.asking),
    "cross_attention/mixed": lambda g: g.shares @ g.values,
    "scale/per_matrix": lambda g: g.d_model * g.d_k,
    "scale/per_head": lambda g: 4 * g.d_model * g.d_k,
    "scale/per_layer": lambda g: g.heads * 4 * g.d_model * g.d_k,
    "scale/attention": lambda g: g.layers * g.heads * 4 * g.d_model * g.d_k,
    "scale/feed_forward": lambda g: g.layers * 2 * g.d_model * g.d_ff,
    "scale/pattern": lambda g: g.context**2,
    "scale/longer": lambda g: g.times**2,
    "train_a_head/share": lambda g: softmax(g.scores)[g.right],
    "train_a_head/loss": lambda g: -np.log(softmax(g.scores)[g.right]),
    "train_a_head/slope": gradient,
    "train_a_head/step": lambda g: (g.scores - g.rate * gradient(g))[g.right],
    "train_a_head/chance": lambda g: np.log(g.answers),
    "train_a_head/accuracy": lambda g: g.got / g.of,
    "trained_model/totals": logits,
    "trained_model/next": lambda g: logits(g).argmax(),
    "trained_model/share": lambda g: softmax(logits(g))[g.first],
    "trained_model/off": lambda g: logits(g, g.head),
    "trained_model/turning": lambda g: next(k for k in (1, 2, 3) if logits(g, k).argmax() != logits(g).argmax()),
    "trained_model/share_off": lambda g: softmax(logits(g, g.head))[g.first],
    "misleading/added": lambda g: g.shares @ g.handed,
    "misleading/parts": parts,
    "misleading/tells_most": lambda g: abs(parts(g)).argmax(),
    "misleading/taken_out": lambda g: without_first(g) @ g.handed,
    "misleading/exchanged": lambda g: verdict(g, swapped(g)),
    "misleading/evenly_says": lambda g: verdict(g, np.ones(3)),
    "misleading/apart": lambda g: abs(g.shares - g.apart).sum() / 2,
    "real_model/ranks": lambda g: ranks(g.weights),
    "real_model/ranks_of_effects": lambda g: ranks(g.effects),
    "real_model/squares": squares,
    "real_model/together": lambda g: 1 - 6 * squares(g) / (5 * (25 - 1)),
    "real_model/cosine": lambda g: cosine(g.one, g.other),
    "real_model/which_head": lambda g: (g.layer - 1) * g.heads + g.head,
    "real_model/others": lambda g: (100 - g.rest) / g.others,
    "generating/share": lambda g: softmax(g.scores)[g.first],
    "generating/cooled": lambda g: softmax(g.scores / g.temperature)[g.first],
    "generating/top_two": lambda g: softmax(g.scores, g.scores > g.scores.min())[g.first],
    "generating/drawn": lambda g: next(k for k in range(3) if g.tenths[: k + 1].sum() / 10 > g.draw),
    "generating/rows_cached": lambda g: g.start + g.more,
    "generating/rows_again": lambda g: sum(g.start + k for k in range(g.more + 1)),
    "modern_model/root": lambda g: np.sqrt((g.x**2).mean()),
    "modern_model/normed": lambda g: g.x / np.sqrt((g.x**2).sum() / 2),
    "modern_model/head_off": lambda g: g.percent * np.exp(g.effect),
    "modern_model/cached": lambda g: g.layers * g.kv_heads * (g.d_k + g.d_k),
    "modern_model/times": lambda g: g.heads / g.kv_heads,
    "modern_model/perplexity": lambda g: np.exp(-(np.log(1 / g.one_in) + np.log(1 / g.other_in)) / 2),
    "long_texts/first_sum": lambda g: np.exp(g.tile_1 - g.tile_1.max()).sum(),
    "long_texts/factor": lambda g: np.exp(g.tile_1.max() - g.tile_2.max()),
    "long_texts/second_sum": lambda g: np.exp(np.append(g.tile_1, g.tile_2) - g.tile_2.max()).sum(),
    "long_texts/context": lambda g: softmax(np.append(g.tile_1, g.tile_2)) @ np.append(g.values_1, g.values_2),
    "long_texts/kept": lambda g: 3 * g.tokens,
    "long_texts/reach": lambda g: g.layers * (g.window - 1),
    "long_texts/cache": lambda g: 2 * g.layers * g.kv_heads * g.d_k * 2,
}


def solve(topic, sheet, task):
    """Return the solution of a task: a word, or an array of numbers."""
    given = {**sheet.givens, **task.givens}
    words = [*next((value for value in given.values() if isinstance(value, Mapping)), ())]

    def prepare(value):
        if isinstance(value, Mapping):
            return np.array([*value.values()])
        if isinstance(value, tuple):
            return np.array(value)
        return words.index(value) if value in words else value

    g = SimpleNamespace(options=task.options, **{name: prepare(value) for name, value in given.items()})
    solution = SOLUTIONS[f"{topic}/{task.name}"](g)
    if not isinstance(task.answer, str):
        return np.atleast_1d(solution).tolist()
    return solution if isinstance(solution, str) else (words or task.options)[solution]


def write(answer, task):
    """Return an answer as a person writes it, rounded as the task asks."""
    if isinstance(answer, str):
        return answer
    places = 6 if task.places is None else task.places
    return "(" + ", ".join(f"{number:.{places}f}" for number in answer) + ")"


def test_every_answer_is_the_one_of_a_textbooks_formula():
    assert {f"{topic}/{task.name}" for topic, _, task in every_task()} == {*SOLUTIONS}
    offenders = []
    for topic, sheet, task in every_task():
        solution, answer = solve(topic, sheet, task), task.answer
        wanted = answer if isinstance(answer, str) else pytest.approx(answer, rel=0, abs=task.tolerance)
        if solution != wanted:
            offenders.append((topic, sheet.seed, task.name, solution, answer))
        if not all(check_answer(task, write(each, task)).right for each in (solution, answer)):
            offenders.append((topic, sheet.seed, task.name, "is not right as a person writes it"))
    assert offenders == []


def test_attention_weights_in_percent_sum_to_a_hundred():
    for seed in range(1, 51):
        assert sum(make_worksheet("real_model", seed).givens["weights"].values()) == 100


def test_seeds_make_different_sheets_and_one_seed_the_same():
    for topic in WORKSHEET_TOPICS:
        sheets = [make_worksheet(topic, seed) for seed in range(1, 21)]
        assert len({repr([dict(sheet.givens), sheet.tasks]) for sheet in sheets}) == 20, topic
        assert make_worksheet(topic, 7) == sheets[6]


def test_a_slip_is_named_and_never_right():
    offenders = []
    for topic, sheet, task in every_task():
        for name, answer in task.slips.items():
            typed = answer if isinstance(answer, str) else " ".join(f"{number:.9f}" for number in answer)
            if (
                answer != task.answer and check_answer(task, typed).why != "slip"
            ):  # a slip may lead to the right word
                offenders.append((topic, sheet.seed, task.name, name))
    assert offenders == []


def test_numbers_are_read_as_people_write_them():
    read = answers.read_numbers
    assert read("(3, −1/2)", 2) == ([3.0, -0.5], None)
    assert read("3;4", 2) == read("3 4", 2) == read("[ 3,4 ]", 2) == ([3.0, 4.0], None)
    assert read("0,67", 1) == ([0.67], None)
    assert read("0,67; 0,24; 0,09", 3) == read("0,67, 0,24, 0,09", 3) == ([0.67, 0.24, 0.09], None)
    assert read("- 2", 1) == ([-2.0], None)
    assert read("67 %, 33%", 2) == ([0.67, 0.33], None)
    assert read("131,072", 1) == read("131 072", 1) == ([131072.0], None)
    assert read("1,2,3", 3) == ([1.0, 2.0, 3.0], None)
    assert read("three", 1) == ([None], "three")
    assert read("1/0", 1)[1] == "1/0"
    assert read("nan inf 1e999", 3)[1] == "nan"
    assert read("（－３，１／２）", 2) == ([-3, 0.5], None)
    assert read("６７％。", 1) == ([0.67], None)
    assert read("【３、４】．", 2) == ([3, 4], None)


def test_numbers_are_read_as_the_language_writes_them():
    for code, typed, numbers in (
        ("de", "65.536", [65536]),
        ("es", "−1.234.567; 2", [-1234567, 2]),
        ("de", "65.536,5", [65536.5]),
        ("de", "0.123 12.5 1.2345", [0.123, 12.5, 1.2345]),
        ("en", "65.536", [65.536]),
        ("ar", "٦٥٬٥٣٦", [65536]),
        ("ar", "٠٫٥، ٦٧٪", [0.5, 0.67]),
        ("zh", "０．５，２", [0.5, 2]),
    ):
        with speaking(code):
            assert answers.read_numbers(typed, len(numbers)) == (numbers, None)


def test_a_verdict_names_what_is_wrong():
    arrow = task_named("embeddings", "arrow")
    x, y = arrow.answer
    assert check_answer(arrow, "  ").why == "empty"
    assert check_answer(arrow, "to the right").details == {"text": "to"}
    assert check_answer(arrow, f"{x}").details == {"count": "1", "wanted": "2"}
    assert check_answer(arrow, f"{x} {y + 9}").details == {"which": "2", "count": "1"}
    assert check_answer(arrow, f"{-x} {-y}").details == {"slip": "turned_round"}
    assert check_answer(arrow, f"{x + 20} {y + 20}").why == "wrong"
    dot = task_named("similarity", "dot")
    assert check_answer(dot, repr(-dot.answer[0])).why == "sign"
    row = task_named("queries_keys", "row")
    assert check_answer(row, " ".join(map(repr, reversed(row.answer)))).why == "order"
    rounded = task_named("similarity", "cosine")
    assert check_answer(rounded, f"{rounded.answer[0] + 0.012:.4f}").details == {"places": "2"}
    angle = task_named("similarity", "angle")
    assert all(check_answer(angle, f"{angle.answer[0]:.0f}{sign}").right for sign in ("°", " °", "º"))
    assert check_answer(rounded, f"{rounded.answer[0]:.2f}°").why == "no_number"
    word = task_named("similarity", "largest_dot")
    assert check_answer(word, "pear").why == "no_option"
    assert not check_answer(word, next(option for option in word.options if option != word.answer)).right
    for typed in (
        f" “{word.answer.upper()}”. ",
        f"{word.answer}。",
        f"（{word.answer}\u200e）",
        f"«{word.answer}»…",
    ):
        assert check_answer(word, typed).right, typed


@settings(max_examples=100)
@given(
    st.sampled_from([task for topic in WORKSHEET_TOPICS for task in make_worksheet(topic, 3).tasks]),
    st.text() | st.text("0123456789.,;-/% ()e∞√"),
)
def test_nothing_that_is_typed_raises(task, text):
    verdict = check_answer(task, text)
    assert verdict.right == (verdict.why == "right")
    assert re.fullmatch(r"right|empty|no_number|count|no_option|slip|sign|order|nearly|some|wrong", verdict.why)


def test_an_unknown_topic_or_seed_is_refused_by_name():
    for topic, seed in (("cooking", 1), ("scale", 0), ("scale", 1.5), ("scale", LAST_SEED + 1)):
        with pytest.raises(ValueError, match=r"no worksheet|seed"):
            make_worksheet(topic, seed)
