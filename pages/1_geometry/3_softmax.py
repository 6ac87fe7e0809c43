"""Softmax.

How do scores become shares?
"""

import pandas as pd
import streamlit as st

from attention_core import random_scores
from charts import curves, shares, simplex
from controls import furniture, permalink, picture, predict, scores, stage, take_away, vocabulary
from controls.calculation import calculate
from controls.figures import figure, power
from controls.goals import AT_LEAST, AT_MOST, WITHIN, Condition, Estimate, Goal
from controls.lesson import OWN, open_lesson
from controls.stage import formula as f

EXAMPLES = ("an_apple_and_an_orange", "an_apple_phone")
COUNTED = ("counted", "out")  # what becomes of words whose score is zero
COLDEST, HOTTEST = 0.05, 20.0
WIDTHS = tuple(str(2**power_of_two) for power_of_two in range(11))
STEPS = (
    ("x", "rows", ("vectors", "places")),
    ("cosine", "cosine_similarity", ("x", "x")),
    ("cosines", "row", ("cosine", "word")),
    ("score", "first_given", ("scores", "cosines")),
    ("all", "without_undefined", ("score",)),
    ("nonzero", "without_zeros", ("score",)),
    ("counted", "pick", ("zeros", "all", "nonzero")),
    ("exponent", "quotient", ("counted", "temperature")),
    ("total", "log_sum_exp", ("exponent",)),
    ("weights_all", "softmax", ("all", "temperature")),
    ("weights_nonzero", "softmax", ("nonzero", "temperature")),
    ("weights", "pick", ("zeros", "weights_all", "weights_nonzero")),
    ("weights_otherwise", "pick", ("zeros", "weights_nonzero", "weights_all")),
    ("entropy", "entropy", ("weights",)),
    ("most", "most_bits", ("counted",)),
    ("inputs", "counted_rows", ("x", "counted")),
    ("context", "product", ("weights", "x")),
    ("context_otherwise", "product", ("weights_otherwise", "x")),
    # what the goals ask for
    ("largest", "largest", (("weights", 0),)),
    ("largest_other", "largest_but", ("weights", "word")),
    ("bits_missing", "difference", ("most", "entropy")),
    ("home_x", "rows", ("home", "places")),
    ("home_cosine", "cosine_similarity", ("home_x", "home_x")),
    ("home_score", "row", ("home_cosine", "word")),
    ("moved", "farthest", ("score", "home_score")),
)
LIFTED = (
    ("lifted", "difference", ("all", "lift")),
    ("lifted_weights", "softmax", ("lifted", "temperature")),
    ("lifted_largest", "largest", (("lifted_weights", 0),)),
    ("largest_before", "largest", (("weights_all", 0),)),
    ("change", "difference", ("lifted_largest", "largest_before")),
)
UNTOUCHED = Condition(("moved",), AT_MOST, 1e-9)
GOALS = (
    Goal(
        "eighty", (Condition(("temperature",), WITHIN, 1.0, 1e-9), Condition(("largest_other",), AT_LEAST, 0.8))
    ),
    Goal(
        "cold",
        (UNTOUCHED, Condition(("temperature",), AT_MOST, 0.999), Condition(("largest",), AT_LEAST, 0.95)),
    ),
    Goal(
        "even",
        (UNTOUCHED, Condition(("temperature",), AT_LEAST, 1.001), Condition(("bits_missing", 0), AT_MOST, 0.01)),
    ),
)
FIRST = ("weights_all", 0, 0)  # the share of the sentence's first word: in the examples, an
ZERO_SCORE = Estimate(
    "zero_score",
    (
        ("nothing", Condition(FIRST, AT_MOST, 0.0)),
        ("little", Condition(FIRST, AT_MOST, 0.1)),
        ("more", Condition(FIRST, AT_LEAST, 0.1)),
    ),
)
LIFT_ALL = Estimate(
    "lift_all",
    (
        ("grows", Condition(("change",), AT_LEAST, 1e-9)),
        ("stays", Condition(("change",), WITHIN, 0.0, 1e-9)),
        ("shrinks", Condition(("change",), AT_MOST, -1e-9)),
    ),
)
FIELDS = (
    *vocabulary.fields(EXAMPLES, word="apple", other="orange", sentence=True),
    scores.field(),
    permalink.number("temperature", "what the scores are divided by", COLDEST, HOTTEST, 1.0, hand=True),
    permalink.choice("zeros", "what becomes of words whose score is zero", COUNTED, hand=True),
    stage.goal_field(GOALS),
    permalink.choice("d", "√d: the width of the random queries and keys", WIDTHS, "64"),
    permalink.choice("seed", "√d: the seed of the random numbers", [str(seed) for seed in range(8)]),
)


@st.fragment
def under_the_hand(lesson) -> None:
    """What the hand moves, and what follows it on release."""
    lesson.listen()
    given = what_is_given(lesson)
    scope = calculate(STEPS, lesson.scope() | given)
    hidden = predict.ask(lesson, *guess(lesson, scope))
    above = st.container()
    if not hidden:
        further(lesson, scope)
    with above:  # drawn last: the stage has moved already, under the hand
        stage.show(
            lesson,
            [
                stage.Column([as_bars(lesson)], share=1.25, least=400),
                stage.Column(
                    [
                        temperature(lesson),
                        zero_terms(lesson),
                        how_undecided(lesson),
                        with_numbers(lesson),
                        stage.goals(lesson, GOALS, STEPS, scope, given=given),
                    ],
                    least=330,
                ),
                stage.Column(attention_step(lesson), least=700),
            ],
            STEPS,
            title=lesson.text.plain("figure"),
            given=given,
            veil=hidden,
        )


def what_is_given(lesson) -> dict:
    """What the calculation reads and no hand can change."""
    known = vocabulary.lookup(lesson)
    if lesson.example == OWN:
        known["home"] = lesson.vectors
    return known | {"no_bits": 0.0, "called": ["", " without zeros"]}


def guess(lesson, scope) -> tuple:
    """What to ask, and in which numbers the answer lies: a word with a score of zero is worth asking about."""
    if lesson.example != OWN and scope["score"][0, 0] == 0:
        return ZERO_SCORE, scope
    return LIFT_ALL, calculate(LIFTED, scope | {"lift": -2.0})


def as_bars(lesson) -> dict:
    """Scores under the hand, their exponentials, and their shares both ways."""
    text = lesson.text
    one_of_many = "one row" if lesson.orientation == "rows" else "one column"
    return stage.bars(
        [
            stage.panel(
                "score",
                "scores",
                sub=one_of_many if lesson.scores.size else "cosines",
                span=(-2.0, 4.0),
                ticks=(-2, 0, 2, 4),
                height=204,
                what="score",
                pull="scores",
                axis="score",
                counted="counted",
            ),
            stage.panel(
                "exponent",
                "e",
                raised="score ÷ T",
                span=(0.0, 8.0),
                ticks=(0, 4, 8),
                height=88,
                form="power",
                what="exp",
            ),
            stage.panel(
                "weights",
                "shares",
                span=(0.0, 1.0),
                ticks=(0, 0.5, 1),
                height=100,
                form="share",
                ghost="weights_otherwise",
                result=True,
                leading="zeros",
                lines=[
                    {"of": "weights_all", "head": text["lines/all"], "what": "weight"},
                    {
                        "of": "weights_nonzero",
                        "head": text["lines/nonzero"],
                        "what": "weight",
                        "suffix": " without zeros",
                    },
                ],
            ),
        ],
        title=text.plain("figure"),
        asks=text["asks"],
        hint=text["hint"],
        undefined=text["undefined"],
        back=text["back"],
    )


def temperature(lesson) -> dict:
    """The temperature, from cold to hot, by equal ratios."""
    return stage.slider(
        "temperature",
        lesson.text["temperature"],
        axis="T",
        low=COLDEST,
        high=HOTTEST,
        ticks=(COLDEST, 0.2, 1, 5, HOTTEST),
        ends=(lesson.text["cold"], lesson.text["hot"]),
        logarithmic=True,
    )


def zero_terms(lesson) -> dict:
    """Whether words with a score of zero take part."""
    return stage.options("zeros", lesson.text["zeros"], [lesson.text[f"zeros/{name}"] for name in COUNTED])


def how_undecided(lesson) -> dict:
    """The shares as a ring around their entropy, and the entropy between its bounds."""
    text = lesson.text
    asked = ("words", "$word")
    return stage.beside(
        stage.Column(
            [
                stage.ring(
                    "weights",
                    title=text["ring"],
                    inside=("entropy", 0),
                    what=["entropy ", asked],
                    unit=text["bits"],
                )
            ],
            share=1.15,
            least=220,
        ),
        stage.Column(
            [
                stage.bounds(
                    ("entropy", 0),
                    text["entropy"],
                    stage.bound("no_bits", "least bits", text["entropy/least"]),
                    stage.bound(("most", 0), "most bits", text["entropy/most"]),
                    counted="counted",
                    nothing=text["impossible_row"],
                )
            ],
            least=180,
        ),
    )


def with_numbers(lesson) -> dict:
    """The formula of one share, with its present numbers."""
    n = len(lesson.words)
    shown = range(n) if n <= 5 else (0, 1, None, n - 1)

    def term(place: int | None) -> f.Tree:
        if place is None:
            return "⋯"
        return f.power("e", f.number(("exponent", 0, place), ["exponent ", ("words", place)], signed=False))

    score = f.number(("counted", 0, "$other"), "line score", signed=False)
    above = f.power("e", f.row(score, "/", f.number("temperature", "line temperature")))
    pair = f.row(f.name(("words", "$word")), "→", f.name(("words", "$other")))
    number = f.number(("exponent", 0, "$other"), "line exp", form="power", signed=False)
    total = f.number(("total", 0), "line total", form="power", result=True, role="")
    share = f.number(("weights", 0, "$other"), "line weight", form="share", result=True)
    below = f.joined("+", [term(place) for place in shown])
    exponents = {"name": "exponents", "tree": f.row(pair, "=", f.fraction(above, below))}
    shared = {"name": "share", "tree": f.row("=", f.fraction(number, total), "=", share), "when": "largest"}
    return {"kind": "formula", "lines": [exponents, shared]}


def attention_step(lesson) -> list[dict]:
    """The shares used: the word of interest moves, seen from above and from the side."""
    text, axes = lesson.text, lesson.worked_example.axes
    start, arrow = ("x", "$word"), {"label": f"{lesson.word}′", "result": True}
    moves = [
        {"kind": "hull", "of": "inputs"},
        stage.displacement(start, ("context_otherwise", 0), tone="ghost", result=True),
        stage.displacement(start, ("context", 0), **arrow),
    ]
    known = {"names": "table", "focus": "word", "through": "places", "little": 0.3}
    plane = {"low": -1.0, "high": 5.0}
    above = stage.plane(
        lesson,
        axes,
        [*moves[:1], stage.vectors("vectors", handles=True, handle="vector", **known), *moves[1:]],
        title=text["above"],
        **plane,
    )
    side = stage.plane(
        lesson,
        axes,
        [*moves[:1], stage.vectors("vectors", **known), *moves[1:]],
        columns=(0, 2),
        title=text["side"],
        **plane,
    )
    table = stage.mixture(
        "x",
        "weights",
        "context",
        axes,
        title=text["mixture"],
        head=[text["mixture/word"], text["mixture/share"]],
        sum=f"{lesson.word}′",
        suffix=("called", "$zeros"),
        moves=text.parts("moves"),
    )
    views = [above | {"hint": "", "caption": text["above"]}]
    if lesson.vectors[:, 2].any():  # else there is nothing to see from the side
        views.append(side | {"hint": "", "caption": text["side"], "badge": False})
    return [
        stage.heading(text["attention_step_title"]),
        stage.beside(
            *(stage.Column([view], least=270) for view in views), stage.Column([table], least=290, share=1.1)
        ),
    ]


def further(lesson, scope) -> None:
    """The two experiments, computed only once their fold is open."""
    titles = {name: text.split("\n\n", 1) for name, text in lesson.text.parts("further").items()}
    for name, draw in (("triangle", in_the_triangle), ("root_d", why_root_d)):
        title, text = titles[name]
        fold = st.expander(title, on_change="rerun", key=lesson.key(name))
        if fold.open:
            with fold:
                draw(lesson, scope, text)


def in_the_triangle(lesson, scope, text: str) -> None:
    """Three scores as a point among all shares of three, with the path that temperature draws."""
    chart, beside = st.columns([3, 2], gap="large")
    three = simplex.three(scope["counted"][0], scope["word"], scope["other"])
    with beside:
        st.markdown(text)
        if three:
            st.caption(
                lesson.text.filled("three", words=furniture.as_text(", ".join(scope["words"][j] for j in three)))
            )
        furniture.badge(lesson, "scores")
    if not three:
        chart.info(lesson.text["too_few"])
        return
    with chart:
        data = simplex.rows(scope["counted"][0, three], [scope["words"][j] for j in three], lesson.temperature)
        picture.draw(data, simplex.TRIANGLE, key=lesson.key("triangle_chart"))


def why_root_d(lesson, scope, text: str) -> None:
    """Random queries and keys: what their width does to softmax, with the scores divided and not."""
    samples = [random_scores(int(d), int(lesson.seed)) for d in WIDTHS]
    now = samples[WIDTHS.index(lesson.d)]
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown(text)
        st.select_slider("d", WIDTHS, key=lesson.key("d"))
        st.selectbox("Seed", lesson.options("seed"), key=lesson.key("seed"), width=110)
        furniture.badge(now)
    with right:
        st.caption(lesson.text["root_d/sample"])
        picture.draw(shares.rows(now), shares.BOTH, key=lesson.key("sample"))
    for column, (name, spec) in zip(st.columns(3), curves.OVER_D.items(), strict=True):
        with column:
            told = {"plain": figure(getattr(now.plain, name)), "divided": figure(getattr(now.divided, name))}
            st.caption(lesson.text.filled(f"root_d/{name}", **told))
            picture.draw(curves.rows(samples, name, now.d_k), spec, key=lesson.key(name))


def tables(lesson) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    scope = calculate(STEPS, lesson.scope() | what_is_given(lesson))
    by_word = {
        "score": scope["score"][0],
        "e^(score ÷ T)": [power(x) for x in scope["exponent"][0]],
        "share": scope["weights"][0],
        "share, all words": scope["weights_all"][0],
        "share, zeros left out": scope["weights_nonzero"][0],
    }
    whole = {
        "entropy": scope["entropy"][0],
        "largest entropy": scope["most"][0],
        "temperature": lesson.temperature,
    }
    axes = lesson.worked_example.axes
    return {
        "shares": pd.DataFrame(by_word, scope["words"]),
        "entropy": pd.DataFrame(whole, [lesson.word]),
        "vectors": pd.DataFrame(lesson.vectors, scope["table"], axes),
        "context": pd.DataFrame(scope["context"], [lesson.word], axes),
    }


def program(lesson) -> dict:
    """What the programs begin with."""
    known = vocabulary.lookup(lesson)
    return {
        "words": list(lesson.words),
        "vectors": lesson.vectors[known["places"]],
        "word": known["words"].index(lesson.word),
        "scores": lesson.scores[0].tolist() if len(lesson.scores) else None,
        "temperature": lesson.temperature,
        "leave_zeros_out": lesson.zeros == "out",
    }


def on_screen(lesson):
    """The scores as they are now, for the editor."""
    return calculate(STEPS[:4], lesson.scope() | vocabulary.lookup(lesson))["score"][0]


furniture.head("softmax", __doc__)
lesson = open_lesson("softmax", FIELDS)
furniture.notices(lesson)
with furniture.tools():
    vocabulary.example_picker(lesson)
    vocabulary.word_picker(lesson, on_change=lambda: scores.give_back(lesson))
    vocabulary.editor(lesson, sentence=True)
    scores.editor(lesson, lambda: on_screen(lesson), lesson.text.filled("scores", word=lesson.word))
    take_away.menu(lesson, lambda: tables(lesson), program(lesson))
    furniture.reset(lesson)
under_the_hand(lesson)
furniture.words(
    lesson,
    "zero_is_not_nothing",
    *(["an_apple_phone"] if lesson.example == "an_apple_phone" else []),
    "attention_step",
    "large_scores",
)
