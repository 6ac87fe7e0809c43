"""Worksheets: a thousand of them solved by plain loops, and what is said of any answer."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_lab.text.languages import speaking
from attention_lab.worksheets import LAST_SEED, WORKSHEET_TOPICS, answers, check_answer, make_worksheet

SEEDS = range(1, 73)  # of 15 topics: more than a thousand sheets


# The sheets' tasks once more, by loops and the school's formulas, without the core. `g` is what is given.


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def size(a):
    return math.sqrt(dot(a, a))


def add(*vectors):
    return [sum(numbers) for numbers in zip(*vectors, strict=True)]


def times(k, vector):
    return [k * x for x in vector]


def applied(vector, matrix):
    """A row vector times a matrix."""
    return [sum(vector[i] * matrix[i][j] for i in range(len(vector))) for j in range(len(matrix[0]))]


def shares(scores, open_=None):
    powers = [math.exp(s) if open_ is None or open_[k] else 0.0 for k, s in enumerate(scores)]
    return [power / sum(powers) for power in powers]


def mixed(weights, vectors):
    return add(*(times(w, v) for w, v in zip(weights, vectors, strict=True)))


def cosine(a, b):
    return dot(a, b) / (size(a) * size(b))


def largest(numbers):
    """The name whose number is largest."""
    return max(numbers, key=numbers.get)


def ranks(numbers):
    return [1 + sum(other > number for other in numbers) for number in numbers]


def vector(g, name):
    return g["vectors"][g[name]]


def query(g, word):
    return applied(g["vectors"][word], g["W_query"])


def key(g, word):
    return applied(g["vectors"][word], g["W_key"])


def value(g, word):
    return applied(g["vectors"][word], g["W_value"])


def handed_over(g):
    return mixed(g["shares"].values(), [value(g, word) for word in g["shares"]])


def row_of_keys(g):
    return {word: dot(g["query"], k) for word, k in g["keys"].items()}


def weights_of_keys(g):
    return shares([score / 2 for score in row_of_keys(g).values()])  # √4 = 2


def masked(g):
    """The third of four words asks; it sees itself and what is before it."""
    return shares(list(g["scores"].values()), [True, True, True, False])


def place(p):
    return [math.sin(p), math.cos(p)]


def deltas(g):
    return [applied(g[f"context_{k}"], g[f"W_output_{k}"]) for k in (1, 2)]


def totals(g, off=None):
    heads = [g[f"head_{k}"] for k in (1, 2, 3) if k != off]
    return {word: g["start"][word] + sum(head[word] for head in heads) for word in g["start"]}


def slope(g):
    found = dict(zip(g["scores"], shares(list(g["scores"].values())), strict=True))
    return {word: share - (word == g["right"]) for word, share in found.items()}


def turning(g):
    return next(k for k in (1, 2, 3) if largest(totals(g, k)) != largest(totals(g)))


def share_of(totals, word):
    return shares(list(totals.values()))[list(totals).index(word)]


def parts(g):
    return {word: share * (g["handed"][word][0] - g["handed"][word][1]) for word, share in g["shares"].items()}


def without(g):
    rest = 1 - g["shares"][g["first"]]
    return [0 if word == g["first"] else share / rest for word, share in g["shares"].items()]


def exchanged(g):
    shares = dict(g["shares"])
    shares[g["first"]], shares[g["second"]] = shares[g["second"]], shares[g["first"]]
    return list(shares.values())


def says(g, weights):
    one, other = mixed(weights, g["handed"].values())
    return g["one"] if one > other else g["other"]


SOLVED = {
    "home": {
        "most": lambda g: largest(g["shares"]),
        "third": lambda g: [1 - sum(g["two"].values())],
        "part": lambda g: times(g["shares"][g["second"]], g["values"][g["second"]]),
        "average": lambda g: mixed(g["shares"].values(), g["values"].values()),
        "equal": lambda g: [1 / len(g["values"])],
        "hidden": lambda g: [0],
    },
    "embeddings": {
        "arrow": lambda g: add(g["moved"], times(-1, vector(g, "word"))),
        "how_far": lambda g: [size(add(g["moved"], times(-1, vector(g, "word"))))],
        "mixed": lambda g: mixed(g["shares"].values(), g["vectors"].values()),
        "pull": lambda g: times(g["share"], add(vector(g, "puller"), times(-1, vector(g, "word")))),
        "chain": lambda g: add(g["start"], g["first"], g["second"]),
        "pulls_most": lambda g: largest(
            {w: dot(v, vector(g, "word")) for w, v in g["vectors"].items() if w != g["word"]}
        ),
    },
    "similarity": {
        "dot": lambda g: [dot(vector(g, "first"), vector(g, "second"))],
        "length": lambda g: [size(vector(g, "first"))],
        "cosine": lambda g: [cosine(vector(g, "first"), vector(g, "second"))],
        "angle": lambda g: [math.degrees(math.acos(cosine(vector(g, "first"), vector(g, "second"))))],
        "scaled": lambda g: [dot(vector(g, "first"), vector(g, "second")) / math.sqrt(2)],
        "stretched": lambda g: [dot(vector(g, "first"), times(g["times"], vector(g, "second")))],
        "right_angle": lambda g: [-vector(g, "first")[0] * g["across"] / vector(g, "first")[1]],
        "largest_dot": lambda g: largest(
            {w: dot(v, vector(g, "first")) for w, v in g["vectors"].items() if w != g["first"]}
        ),
        "largest_cosine": lambda g: largest(
            {w: cosine(v, vector(g, "first")) for w, v in g["vectors"].items() if w != g["first"]}
        ),
    },
    "softmax": {
        "shares": lambda g: shares(g["scores"].values()),
        "lifted": lambda g: [share_of({w: s + g["lift"] for w, s in g["scores"].items()}, g["first"])],
        "hot": lambda g: [share_of({w: s / g["temperature"] for w, s in g["higher"].items()}, g["first"])],
        "closed": lambda g: shares(g["scores"].values(), [word != g["first"] for word in g["scores"]]),
        "how_much_more": lambda g: [math.log(g["times"])],
        "entropy": lambda g: [-sum(p * math.log2(p) for p in g["spread"] if p)],
    },
    "queries_keys": {
        "query": lambda g: query(g, g["first"]),
        "key": lambda g: key(g, g["first"]),
        "score": lambda g: [dot(query(g, g["first"]), key(g, g["second"]))],
        "row": lambda g: [dot(query(g, g["first"]), key(g, word)) for word in g["vectors"]],
        "finds": lambda g: largest({word: dot(query(g, g["first"]), key(g, word)) for word in g["vectors"]}),
    },
    "values": {
        "value": lambda g: value(g, g["first"]),
        "context": handed_over,
        "added": lambda g: add(vector(g, "first"), handed_over(g)),
        "longest_arrow": lambda g: largest({w: share * size(value(g, w)) for w, share in g["shares"].items()}),
    },
    "self_attention": {
        "scores": lambda g: list(row_of_keys(g).values()),
        "scaled": lambda g: [score / 2 for score in row_of_keys(g).values()],
        "weights": weights_of_keys,
        "most": lambda g: largest(row_of_keys(g)),
        "context": lambda g: mixed(weights_of_keys(g), g["values"].values()),
        "new": lambda g: add(g["x"], mixed(weights_of_keys(g), g["values"].values())),
    },
    "masking": {
        "weights": masked,
        "first_row": lambda g: [1, 0, 0, 0],
        "closed_after": lambda g: [sum(shares(g["scores"].values())[:3])],
        "causal": lambda g: [sum(1 for i in range(g["n"]) for j in range(g["n"]) if j <= i)],
        "window": lambda g: [sum(1 for i in range(g["n"]) for j in range(g["n"]) if abs(i - j) <= g["width"])],
        "padding": lambda g: [sum(1 for i in range(g["n"]) for j in range(g["n"]) if j < g["n"] - g["filler"])],
    },
    "position": {
        "table": lambda g: place(g["place"]),
        "placed": lambda g: add(g["x"], place(g["place"])),
        "between": lambda g: [dot(place(g["one"]), place(g["other"]))],
        "turned": lambda g: [g["along"] * math.cos(g["place"]), g["along"] * math.sin(g["place"])],
        "same_turn": lambda g: f"{g['one']} and {g['other']}",  # by how far apart: see `same_distance`
        "shuffled": lambda g: g["contexts"][g["first"]],
    },
    "multi_head": {
        "delta": lambda g: deltas(g)[g["head"] - 1],
        "joined": lambda g: applied(g["joined"], [*g["W_output_1"], *g["W_output_2"]]),
        "new": lambda g: add(g["x"], *deltas(g)),
        "one_off": lambda g: add(g["x"], deltas(g)[2 - g["head"]]),
        "farthest": lambda g: [largest({k + 1: size(delta) for k, delta in enumerate(deltas(g))})],
    },
    "cross_attention": {
        "scores": lambda g: list(row_of_keys(g).values()),
        "weights": weights_of_keys,
        "most": lambda g: largest(row_of_keys(g)),
        "how_many_weights": lambda g: [len(g["asking"]) * (len(g["answering"]) + g["more"])],
        "how_many_vectors": lambda g: [len(g["asking"])],
        "mixed": lambda g: mixed(g["shares"].values(), g["values"].values()),
    },
    "scale": {
        "per_matrix": lambda g: [g["d_model"] * g["d_k"]],
        "per_head": lambda g: [4 * g["d_model"] * g["d_k"]],
        "per_layer": lambda g: [g["heads"] * 4 * g["d_model"] * g["d_k"]],
        "attention": lambda g: [g["layers"] * g["heads"] * 4 * g["d_model"] * g["d_k"]],
        "feed_forward": lambda g: [g["layers"] * 2 * g["d_model"] * g["d_ff"]],
        "pattern": lambda g: [g["context"] ** 2],
        "longer": lambda g: [g["times"] ** 2],
        "cache": lambda g: [g["context"] * 2 * g["d_k"] * g["heads"] * g["layers"]],
    },
    "train_a_head": {
        "share": lambda g: [share_of(g["scores"], g["right"])],
        "loss": lambda g: [-math.log(share_of(g["scores"], g["right"]))],
        "slope": lambda g: list(slope(g).values()),
        "step": lambda g: [g["scores"][g["right"]] - g["rate"] * slope(g)[g["right"]]],
        "chance": lambda g: [math.log(g["answers"])],
        "accuracy": lambda g: [g["got"] / g["of"]],
    },
    "trained_model": {
        "totals": lambda g: list(totals(g).values()),
        "next": lambda g: largest(totals(g)),
        "share": lambda g: [share_of(totals(g), g["first"])],
        "off": lambda g: list(totals(g, g["head"]).values()),
        "turning": lambda g: [turning(g)],
        "share_off": lambda g: [share_of(totals(g, g["head"]), g["first"])],
    },
    "misleading": {
        "added": lambda g: mixed(g["shares"].values(), g["handed"].values()),
        "parts": lambda g: list(parts(g).values()),
        "tells_most": lambda g: largest({word: abs(part) for word, part in parts(g).items()}),
        "taken_out": lambda g: mixed(without(g), g["handed"].values()),
        "exchanged": lambda g: says(g, exchanged(g)),
        "evenly_says": lambda g: says(g, [1, 1, 1]),
        "apart": lambda g: [sum(abs(a - b) for a, b in zip(g["shares"].values(), g["apart"], strict=True)) / 2],
    },
    "real_model": {
        "ranks": lambda g: ranks(g["weights"].values()),
        "ranks_of_effects": lambda g: ranks(g["effects"].values()),
        "squares": lambda g: [squares(g)],
        "together": lambda g: [1 - 6 * squares(g) / (5 * (25 - 1))],
        "cosine": lambda g: [cosine(g["one"], g["other"])],
        "which_head": lambda g: [(g["layer"] - 1) * g["heads"] + g["head"]],
        "others": lambda g: [(100 - g["rest"]) / g["others"]],
    },
}


def squares(g):
    pairs = zip(ranks(g["weights"].values()), ranks(g["effects"].values()), strict=True)
    return sum((a - b) ** 2 for a, b in pairs)


def same_distance(task):
    """The pair of places that are as far apart as those given."""

    def apart(pair):
        a, b = map(int, pair.split(" and "))
        return b - a

    (found,) = [pair for pair in task.options if apart(pair) == task.givens["other"] - task.givens["one"]]
    return found


def written(answer, task):
    """An answer as a person writes it down, rounded as it is asked."""
    if isinstance(answer, str):
        return answer
    places = 6 if task.places is None else task.places
    return "(" + ", ".join(f"{number:.{places}f}" for number in answer) + ")"


@pytest.mark.parametrize("topic", WORKSHEET_TOPICS)
def test_every_sheet_is_solved_by_hand_and_the_key_agrees(topic):
    solved = SOLVED[topic]
    for seed in SEEDS:
        sheet = make_worksheet(topic, seed)
        assert {task.name for task in sheet.tasks} == set(solved)
        for task in sheet.tasks:
            given_here = {**sheet.givens, **task.givens}
            found = same_distance(task) if task.name == "same_turn" else solved[task.name](given_here)
            about = (topic, seed, task.name)
            assert check_answer(task, written(found, task)).right, (about, found, task.answer)
            key = check_answer(task, written(task.answer, task))
            assert key.right, (about, key)
            if not isinstance(found, str):
                assert task.answer == pytest.approx(list(found), abs=max(task.tolerance, 1e-9)), about


def test_these_are_more_than_a_thousand():
    assert len(SEEDS) * len(WORKSHEET_TOPICS) > 1000


@pytest.mark.parametrize("topic", WORKSHEET_TOPICS)
def test_twenty_seeds_make_twenty_sheets_and_the_same_one_the_same(topic):
    sheets = [make_worksheet(topic, seed) for seed in range(1, 21)]
    assert len({repr([dict(sheet.givens), sheet.tasks]) for sheet in sheets}) == 20
    assert make_worksheet(topic, 7) == sheets[6]


@pytest.mark.parametrize("topic", WORKSHEET_TOPICS)
def test_a_slip_is_called_by_its_name_and_never_right(topic):
    for seed in SEEDS:
        for task in make_worksheet(topic, seed).tasks:
            for name, made in task.slips.items():
                if made == task.answer:  # of words, what was overlooked may lead to the right one
                    continue
                verdict = check_answer(
                    task, made if isinstance(made, str) else " ".join(f"{number:.9f}" for number in made)
                )
                assert not verdict.right, (topic, seed, task.name, name)
                assert verdict.why == "slip"


def task_named(topic, name, seed=1):
    return next(task for task in make_worksheet(topic, seed).tasks if task.name == name)


def test_numbers_are_read_as_people_write_them():
    read = answers.read_numbers
    assert read("(3, −1/2)", 2) == ([3.0, -0.5], None)
    assert read("3;4", 2) == read("3 4", 2) == read("[ 3,4 ]", 2) == ([3.0, 4.0], None)
    assert read("0,67", 1) == ([0.67], None)
    assert read("0,67; 0,24; 0,09", 3) == ([0.67, 0.24, 0.09], None)
    assert read("0,67, 0,24, 0,09", 3) == ([0.67, 0.24, 0.09], None)
    assert read("- 2", 1) == ([-2.0], None)
    assert read("67 %, 33%", 2) == ([0.67, 0.33], None)
    assert read("131,072", 1) == read("131 072", 1) == ([131072.0], None)
    assert read("1,2,3", 3) == ([1.0, 2.0, 3.0], None)
    assert read("three", 1) == ([None], "three")
    assert read("1/0", 1)[1] == "1/0"
    assert read("nan inf 1e999", 3)[1] == "nan"


@pytest.mark.parametrize(
    ("code", "typed", "numbers"),
    [
        ("de", "65.536", [65536]),
        ("es", "−1.234.567; 2", [-1234567, 2]),
        ("de", "65.536,5", [65536.5]),
        ("de", "0.123 12.5 1.2345", [0.123, 12.5, 1.2345]),
        ("en", "65.536", [65.536]),
        ("ar", "٦٥٬٥٣٦", [65536]),
        ("ar", "٠٫٥، ٦٧٪", [0.5, 0.67]),
        ("zh", "０．５，２", [0.5, 2]),
    ],
)
def test_an_answer_is_read_as_the_language_writes_numbers(code, typed, numbers):
    with speaking(code):
        assert answers.read_numbers(typed, len(numbers)) == (numbers, None)


def test_what_is_wrong_is_said():
    arrow = task_named("embeddings", "arrow")
    x, y = arrow.answer
    assert check_answer(arrow, "  ").why == "empty"
    assert check_answer(arrow, "to the right").details == {"text": "to"}
    assert check_answer(arrow, f"{x}").details == {"count": "1", "wanted": "2"}
    assert check_answer(arrow, f"{x} {y + 9}").details == {"which": "2", "count": "1"}
    assert check_answer(arrow, f"{-x} {-y}").details == {"slip": "turned_round"}
    assert check_answer(arrow, f"{x + 20} {y + 20}").why == "wrong"
    dot_of = task_named("similarity", "dot")
    assert check_answer(dot_of, repr(-dot_of.answer[0])).why == "sign"
    of_three = task_named("queries_keys", "row")
    assert check_answer(of_three, " ".join(map(repr, reversed(of_three.answer)))).why == "order"
    cosine_of = task_named("similarity", "cosine")
    assert check_answer(cosine_of, f"{cosine_of.answer[0] + 0.012:.4f}").details == {"places": "2"}
    word = task_named("similarity", "largest_dot")
    assert check_answer(word, "pear").why == "no_option"
    other = next(option for option in word.options if option != word.answer)
    assert not check_answer(word, other).right
    assert check_answer(word, f" “{word.answer.upper()}”. ").right


ALL = [task for topic in WORKSHEET_TOPICS for task in make_worksheet(topic, 3).tasks]


@settings(max_examples=300)
@given(st.sampled_from(ALL), st.text() | st.text("0123456789.,;-/% ()e∞√"))
def test_nothing_that_is_typed_raises(task, text):
    verdict = check_answer(task, text)
    assert verdict.right == (verdict.why == "right")
    assert re.fullmatch(r"right|empty|no_number|count|no_option|slip|sign|order|nearly|some|wrong", verdict.why)


@pytest.mark.parametrize(
    ("topic", "seed"), [("cooking", 1), ("scale", 0), ("scale", 1.5), ("scale", LAST_SEED + 1)]
)
def test_another_topic_or_seed_is_refused_by_name(topic, seed):
    with pytest.raises(ValueError, match=r"no worksheet|seed"):
        make_worksheet(topic, seed)
