"""Home.

How does a word take in the words around it?
"""

from pathlib import Path

import pandas as pd
import streamlit as st

from attention_core import AttentionHead, load_example
from controls import doors, furniture, permalink, predict, stage, take_away
from controls.calculation import calculate
from controls.goals import AT_MOST, WITHIN, Condition, Goal, Guess
from controls.lesson import open_lesson
from controls.stage import formula as f

EXAMPLE = load_example("one_head")
WORDS, AXES, OWN_AXES = EXAMPLE.words, EXAMPLE.axes, ("1", "2")
MATRICES = {"W_query": EXAMPLE.W_query, "W_key": EXAMPLE.W_key, "W_value": EXAMPLE.W_value}
STEPS = (
    ("query", "product", ("vectors", "W_query")),
    ("key", "product", ("vectors", "W_key")),
    ("value", "product", ("vectors", "W_value")),
    ("attention", "scaled_dot_product_attention", ("query", "key", "value")),
)
WEIGHTS, CONTEXT = ("attention", "weights"), ("attention", "context")
APPLE, PHONE = WORDS.index("apple"), WORDS.index("phone")
GOALS = (
    Goal("turn_away", (Condition((*WEIGHTS, APPLE, PHONE), AT_MOST, 0.1),)),
    Goal("even", tuple(Condition((*WEIGHTS, APPLE, j), WITHIN, 1 / 3, 0.01) for j in range(len(WORDS)))),
)
GUESS = Guess("most", (*WEIGHTS, "$word"))
FIELDS = (
    permalink.choice("example", "the worked example", ["one_head"]),
    permalink.matrix("vectors", "the words' vectors where they were moved", lambda _: EXAMPLE.embeddings),
    permalink.choice("word", "the word that is followed", WORDS, "apple", hand=True),
    permalink.choice("other", "the word it looks at", WORDS, "phone", hand=True),
    stage.goal_field(GOALS),
)
PAGES = Path(__file__).parents[1]
DOORS = {  # which page a station of the path opens, once there is such a page
    "embeddings": "embeddings",
    "queries": "queries_keys",
    "keys": "queries_keys",
    "values": "values",
    "scores": "similarity",
    "weights": "softmax",
    "context": "self_attention",
}
DOWN, ACROSS = (("bottom", 0.5), ("top", 0.5)), (("right", 0.5), ("left", 0.5))
WAYS = (
    stage.way("sentence", "embeddings", DOWN, DOWN),
    stage.way("embeddings", "queries", (("right", 0.4), ("left", 0.5)), DOWN, role="query"),
    stage.way("embeddings", "keys", (("right", 0.5), ("left", 0.5)), DOWN, role="key"),
    stage.way("embeddings", "values", (("right", 0.6), ("left", 0.5)), DOWN, role="value"),
    stage.way(
        "queries", "scores", (("right", 0.5), ("left", 0.35)), (("bottom", 0.5), ("top", 0.35)), role="query"
    ),
    stage.way("keys", "scores", (("right", 0.5), ("left", 0.65)), (("bottom", 0.5), ("top", 0.65)), role="key"),
    stage.way("scores", "weights", DOWN, ACROSS, role="plain"),
    stage.way("weights", "context", ACROSS, (("bottom", 0.5), ("top", 0.76)), role="plain"),
    stage.way(
        "values", "context", (("right", 0.85), ("bottom", 0.5)), (("bottom", 0.97), ("top", 0.99)), role="value"
    ),
)


@st.fragment
def under_the_hand(lesson) -> None:
    """The whole path, following the words that the hand moves."""
    lesson.listen()
    given = {"words": WORDS, "sentence": WORDS, **MATRICES}
    scope = calculate(STEPS, given | lesson.scope())
    hidden = predict.ask(lesson, GUESS, scope)
    stage.show(
        lesson,
        [
            stage.Column([the_path(lesson)], least=2000),
            stage.Column([the_sum(), stage.told(lesson.text.plain("told"))], share=1.4, least=420),
            stage.Column([stage.goals(lesson, GOALS, STEPS, scope, given=given)]),
        ],
        STEPS,
        title=lesson.text["figure"],
        given=given,
        veil=hidden,
        doors={door.page: door.script for door in doors.doors(PAGES)},
    )


def the_path(lesson) -> dict:
    """The stations in their order, each with its numbers."""
    turned = lesson.orientation == "columns"

    def numbers(of, what: str, role: str, made=None, axes=OWN_AXES) -> dict:
        title = f"{what}, as numbers"
        return stage.coordinates(
            of, axes, what=what, title=title, role=role, made=made, turned=turned, result=role == "context"
        )

    def projected(role: str, low=-3.0, high=3.0) -> list[dict]:
        arrows = stage.vectors(role, role=role, focus="word")
        return [
            stage.plane(lesson, ["", ""], [arrows], low=low, high=high, title=role, small=True),
            numbers(role, role, role, ("vectors", f"W_{role}")),
        ]

    words = stage.plane(lesson, AXES, [stage.vectors("vectors", handles=True, focus="word")], small=True)
    mixed = [
        stage.vectors("value", role="value", names=""),
        stage.pulls((*CONTEXT, "$word"), "value", (*WEIGHTS, "$word")),
        stage.vectors(CONTEXT, role="context", focus="word", result=True),
    ]
    return stage.path(
        [
            [
                station(
                    lesson, "sentence", [stage.sentence(head=[], title=lesson.text["stations/sentence"])], ""
                ),
                station(
                    lesson,
                    "embeddings",
                    [
                        words | {"hint": lesson.text.plain("hint"), "badge": True},
                        numbers("vectors", "embedding", "word", axes=AXES),
                    ],
                    "X",
                ),
            ],
            [
                station(lesson, "queries", projected("query"), "Q", role="query"),
                station(lesson, "keys", projected("key"), "K", role="key"),
                station(lesson, "values", projected("value", -4, 5), "V", role="value"),
            ],
            [
                station(
                    lesson, "scores", [table("scores", "score", 8.0, ("query", "key"), turned)], role="plain"
                ),
                station(
                    lesson,
                    "weights",
                    [table("weights", "weight", 1.0, [("attention", "masked_scores")], turned)],
                    role="plain",
                ),
            ],
            [
                station(
                    lesson,
                    "context",
                    [
                        stage.plane(lesson, ["", ""], mixed, low=-4, high=5, title="context", small=True),
                        numbers(CONTEXT, "context", "context", (WEIGHTS, "value")),
                    ],
                    "C",
                    role="context",
                ),
            ],
        ],
        WAYS,
    )


def station(lesson, name: str, parts: list[dict], letter: str = "", role: str = "word") -> dict:
    """One stop on the path, and a door where its page exists."""
    door = next((door for door in doors.doors(PAGES) if door.page == DOORS.get(name)), None)
    opened = {"door": door.page, "promise": door.promise} if door else {}
    title, how = lesson.text[f"stations/{name}"], lesson.text[f"how/{name}"]
    return stage.station(name, title, parts, role=role, letter=letter, how=how, **opened)


def table(of: str, what: str, limit: float, made, turned: bool) -> dict:
    """Scores or weights: rows ask, columns answer."""
    share = {"scale": "share", "form": "percent"} if what == "weight" else {}
    return stage.heatmap(
        ("attention", of), title=of, what=what, limit=limit, made=made, turned=turned, small=True, **share
    )


def the_sum() -> dict:
    """How the new vector of the word that is followed is mixed, in numbers."""
    terms = [
        f.row(
            f.number(
                (*WEIGHTS, "$word", j), ["taken ", ("words", "$word"), f" {word}"], result=True, form="share"
            ),
            "×",
            f.name(("words", j), role="value"),
        )
        for j, word in enumerate(WORDS)
    ]
    made = [
        f.number((*CONTEXT, "$word", k), ["new ", ("words", "$word"), f" {axis}"], result=True)
        for k, axis in enumerate(OWN_AXES)
    ]
    tree = f.row(f.name(("words", "$word"), role="context"), "=", f.joined("+", terms))
    return {
        "kind": "formula",
        "lines": [
            {"name": "mix", "tree": tree},
            {"name": "new", "tree": f.row("=", "(", made[0], ",", made[1], ")")},
        ],
    }


def tables(lesson) -> dict[str, pd.DataFrame]:
    """The numbers behind the picture."""
    made = AttentionHead(**MATRICES).attend(lesson.vectors)
    own = {
        name: pd.DataFrame(getattr(made, name), WORDS, OWN_AXES) for name in ("query", "key", "value", "context")
    }
    square = {name: pd.DataFrame(getattr(made, name), WORDS, WORDS) for name in ("scores", "weights")}
    matrices = {name: pd.DataFrame(matrix, AXES, OWN_AXES) for name, matrix in MATRICES.items()}
    return {"embeddings": pd.DataFrame(lesson.vectors, WORDS, AXES)} | own | square | matrices


furniture.head("home", "Attention Lab.")
lesson = open_lesson("home", FIELDS)
furniture.notices(lesson)
st.markdown(lesson.text["what"])
under_the_hand(lesson)
with furniture.tools():
    take_away.menu(lesson, lambda: tables(lesson), {"words": list(WORDS), "vectors": lesson.vectors, **MATRICES})
    furniture.reset(lesson)
found = doors.doors(PAGES)
doors.cards(found)
words, teaching = st.columns(2, gap="large")
with words:
    st.markdown(lesson.text["text"])
with teaching:
    doors.route(lesson.text, found)
    st.markdown(lesson.text["hosting"])
    furniture.class_notes(lesson)
    doors.links(lesson, found)
