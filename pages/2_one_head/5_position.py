"""Position.

Does order matter?
"""

from functools import cache

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import dot_product, rotate_by_position, sinusoidal_positions
from charts import places as charts
from controls import furniture, permalink, picture, predict, stage, take_away, vocabulary
from controls.calculation import calculate
from controls.figures import figure
from controls.goals import AT_LEAST, AT_MOST, WITHIN, Condition, Estimate, Goal
from controls.lesson import open_lesson

EXAMPLES = ("dog_bites_man", "man_bites_dog", "orange_apple_phone", "buy_an_apple")
POSITIONS = ("none", "sinusoidal", "rotary")
PLACES = 32
WIDTHS = ("4", "16", "64")
SEED = 7
SAME = 1e-9  # below this two vectors differ by rounding alone

# `order` says which word stands at each place; `stands` is the place of each word.
STEPS = (
    ("x", "rows", ("vectors", "places")),
    ("stands", "by_size", (("order", 0),)),
    ("said", "by_size", ("stands",)),
    ("words_said", "rows", ("words", "said")),
    ("turns", "multiple", ("ordinals", "strength")),
    ("at_strength", "multiple", ("place_vectors", "strength")),
    ("added", "pick", ("positions", "nowhere", "at_strength", "nowhere")),
    # the words as they were given
    ("placed", "sum", ("x", "added")),
    ("placed_turned", "rotate_by_position", ("placed", "turns")),
    ("asks", "pick", ("positions", "placed", "placed", "placed_turned")),
    ("first", "scaled_dot_product_attention", ("asks", "asks", "placed")),
    # the same words in the order of the hand
    ("x_said", "rows", ("x", "said")),
    ("placed_said", "sum", ("x_said", "added")),
    ("placed_said_turned", "rotate_by_position", ("placed_said", "turns")),
    ("asks_said", "pick", ("positions", "placed_said", "placed_said", "placed_said_turned")),
    ("then", "scaled_dot_product_attention", ("asks_said", "asks_said", "placed_said")),
    # put back where they were
    ("now", "rows", ("placed_said", "stands")),
    ("back", "rows", (("then", "context"), "stands")),
    ("changes", "row_changes", (("first", "context"), "back")),
    ("largest", "farthest", (("first", "context"), "back")),
    ("apart", "difference", (("first", "context"), "back")),
    ("how_far", "lengths", ("apart",)),
    ("away", "count_unlike", ("order", "in_order")),
)
GOALS = (
    Goal(
        "shuffle",
        (
            Condition(("positions",), AT_MOST, 0.0),
            Condition(("away",), AT_LEAST, 3.0),
            Condition(("largest",), AT_MOST, SAME),
        ),
    ),
    Goal("tell_apart", (Condition(("how_far", "$word"), AT_LEAST, 0.1),)),
    Goal("far_places", (Condition(("alike",), AT_MOST, 0.75),)),
)
SAME_VECTOR = Estimate(
    "same_vector",
    (
        ("same", Condition(("changes", "$word"), AT_MOST, 1e-12)),
        ("changes", Condition(("changes", "$word"), AT_LEAST, 1e-12)),
    ),
)
SAME_DISTANCE = Estimate(
    "same_distance",
    (
        ("first", Condition(("gap",), AT_LEAST, 1e-12)),
        ("second", Condition(("gap",), AT_MOST, -1e-12)),
        ("equal", Condition(("gap",), WITHIN, 0.0, 1e-12)),
    ),
)


def axes_offered(values) -> list[str]:
    """The pairs of axes that there are; at first those on which the words of the example stand apart."""
    width = values["vectors"].shape[1]
    pairs = [f"{a + 1}-{b + 1}" for a in range(width) for b in range(a + 1, width)]
    return sorted(pairs, key=lambda pair: pair != "2-4")


FIELDS = (
    *vocabulary.fields(EXAMPLES, word=("dog", "apple"), other=("man", "phone", "orange"), sentence=True),
    permalink.order("order", "which word stands at each place, by its number", swapped=True),
    permalink.choice("positions", "how words know their place", POSITIONS, hand=True),
    permalink.number("strength", "how much places count", 0.0, 2.0, 1.0, hand=True),
    permalink.choice("axes", "the two axes the plane shows", axes_offered, hand=True),
    permalink.choice("width", "numbers in a position vector of the table", WIDTHS, "16"),
    permalink.choice("near", "a place in the table", [str(place + 1) for place in range(PLACES)], "1"),
    permalink.choice("far", "another place in the table", [str(place + 1) for place in range(PLACES)], "2"),
    permalink.choice(
        "asks_at", "the place of the query that is turned", [str(p + 1) for p in range(PLACES)], "3"
    ),
    permalink.choice(
        "answers_at", "the place of the key that is turned", [str(p + 1) for p in range(PLACES)], "1"
    ),
    stage.goal_field(GOALS),
)


@st.fragment
def under_the_hand(lesson) -> None:
    """What the hand moves, and what follows it on release."""
    lesson.listen()
    given = reads(lesson)
    scope = calculate(STEPS, lesson.scope() | given)
    hidden = predict.ask(lesson, SAME_DISTANCE if scope["positions"] else SAME_VECTOR, scope)
    above = st.container()
    if not hidden:
        st.markdown(lesson.text.filled("core", largest=figure(scope["largest"])))
        rotary(lesson)
    with above:  # drawn last: the stage has moved already, under the hand
        stage.show(
            lesson,
            [
                stage.Column(
                    [two_orders(lesson), orders(lesson), *how_placed(lesson), goals(lesson, scope, given)],
                    share=1.15,
                ),
                stage.Column([on_the_plane(lesson), *axes(lesson)]),
                stage.Column([stage.beside(*patterns(lesson))], least=stage.WHOLE_WIDTH),
            ],
            STEPS,
            title=lesson.text.plain("figure"),
            given=given,
            veil=hidden,
        )


def reads(lesson) -> dict:
    """What the calculation reads besides what a hand can change."""
    found = vocabulary.lookup(lesson)
    n, d = len(found["words"]), lesson.vectors.shape[1]
    found |= {"ordinals": np.arange(float(n)), "place_vectors": sinusoidal_positions(n, d)}
    found |= {"nowhere": np.zeros((n, d)), "in_order": permalink.in_order(len(lesson.words))}
    alike = similarity(int(lesson.width))
    found["alike"] = alike[int(lesson.near) - 1, int(lesson.far) - 1]
    found["gap"] = (alike[1, 4] - alike[6, 9]) * int(lesson.width) / 2
    return found


@cache
def similarity(width: int) -> np.ndarray:
    """The dot products of all places' vectors, as shares of a place's own."""
    vectors, _ = table(width)
    return dot_product(vectors, vectors) / (width / 2)


@cache
def table(width: int) -> tuple[np.ndarray, list[str]]:
    """The vectors of the places, and their numbers as text."""
    made = sinusoidal_positions(PLACES, width)
    return made, [figure(x) for x in made.ravel()]


def two_orders(lesson) -> dict:
    """The sentence as it was and as the hand has put it, with every word's new vector in both."""
    text = lesson.text
    return stage.order(
        lesson.worked_example.axes,
        title=text["order"],
        heads=[text[f"order/{name}"] for name in ("first", "then", "difference")],
        label=text["order/largest"],
        texts={name: text[f"verdict/{name}"] for name in ("same", "unlike", "as_it_was", "one")},
        limit=3.0,
        least=SAME,
    )


def orders(lesson) -> dict:
    """Orders to try, as buttons."""
    n = len(lesson.words)
    straight = list(range(1, n + 1))
    swapped = [n, *straight[1:-1], 1] if n > 1 else straight
    made = {
        "as_it_was": straight,
        "swap": swapped,
        "reverse": straight[::-1],
        "shift": [*straight[1:], 1],
        "random": shuffled(n),
    }
    # of few words there are few orders: each has one button
    once = {tuple(order): name for name, order in reversed(made.items())}
    buttons = {
        lesson.text[f"orders/{name}"]: {"order": [order]}
        for name, order in made.items()
        if once[tuple(order)] == name
    }
    return stage.presets(buttons, title=lesson.text["orders"])


@cache
def shuffled(n: int) -> list[int]:
    """The numbers 1 to n in a random order, the same each time."""
    return (np.random.default_rng(SEED).permutation(n) + 1).tolist()


def goals(lesson, scope, given) -> dict:
    """The goals of the page."""
    return stage.goals(lesson, GOALS, STEPS, scope, given=given)


def on_the_plane(lesson) -> dict:
    """The words under the hand, and how the place moves each: at first, and in the order of the hand."""
    columns = tuple(int(axis) - 1 for axis in lesson.axes.split("-"))
    return stage.plane(
        lesson,
        lesson.worked_example.axes,
        [
            stage.displacement("x", "placed", tone="ghost", role="context"),
            stage.displacement("x", "now", role="context"),
            stage.vectors(
                "vectors", names="table", handles=True, places=True, focus="word", through="places", little=0.1
            ),
        ],
        low=-2.0,
        high=5.0,
        columns=columns,
        hint="moves" if lesson.positions == "sinusoidal" and lesson.strength else "asks_only",
    )


def how_placed(lesson) -> list[dict]:
    """What tells a word its place, and how much that counts."""
    text = lesson.text
    return [
        stage.options("positions", text["positions"], [text[f"positions/{name}"] for name in POSITIONS]),
        stage.slider("strength", text["strength"], axis="s", low=0.0, high=2.0, ticks=(0.0, 1.0, 2.0)),
    ]


def patterns(lesson) -> list:
    """Who looks at whom: in the first order, and in that of the hand."""

    said = {"rows": "words_said", "columns": "words_said", "through": "said"}
    as_given = stage.weights(lesson, "first", title=lesson.text["pattern"], what="weight")
    in_your_order = stage.weights(
        lesson, "then", title=lesson.text["shuffled"], what="weight in your order", **said
    )
    return [stage.Column(parts, least=300) for parts in (as_given, in_your_order)]


def axes(lesson) -> list[dict]:
    """Which two of more axes the plane shows."""
    names, offered = lesson.worked_example.axes, lesson.options("axes")
    shown = [" and ".join(names[int(axis) - 1] for axis in pair.split("-")) for pair in offered]
    return [stage.options("axes", "The plane shows", shown)] if len(offered) > 1 else []


def the_table(lesson) -> None:
    """The sinusoidal table, and how alike two of its places are."""
    text, width, near, far = lesson.text, int(lesson.width), int(lesson.near), int(lesson.far)
    alike = similarity(width)[near - 1]
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(f"**{text['table']}**")
        picture.draw(charts.table_rows(*table(width), (near, far)), charts.TABLE, key=lesson.key("table"))
        st.segmented_control(text["width"], WIDTHS, key=lesson.key("width"), required=True)
    with right:
        st.markdown(
            text.filled(
                "alike",
                near=str(near),
                far=str(far),
                alike=figure(alike[far - 1] * width / 2),
                own=figure(width / 2),
            )
        )
        marked = {near: str(near), far: str(far)}
        picture.draw(
            charts.curve_rows(alike, [*map(figure, alike)], marked), charts.ALIKE, key=lesson.key("alike")
        )
        one, other = st.columns(2)
        one.select_slider(text["near"], lesson.options("near"), key=lesson.key("near"))
        other.select_slider(text["far"], lesson.options("far"), key=lesson.key("far"))


def rotary(lesson) -> None:
    """Rotary positions, computed only once the fold is open."""
    title, told = lesson.text["further/rotary"].split("\n\n", 1)
    fold = st.expander(title, on_change="rerun", key=lesson.key("rotary"))
    if not fold.open:
        return
    with fold:
        words = permalink.labels(lesson.words)
        names = [lesson.word, lesson.other]
        pair = lesson.vectors[vocabulary.places(lesson.words)][[words.index(name) for name in names]]
        at = [int(lesson.asks_at) - 1, int(lesson.answers_at) - 1]
        turned = rotate_by_position(pair, at)
        scores = dot_product(turned[:1], rotate_by_position(np.repeat(pair[1:], PLACES, 0), np.arange(PLACES)))[0]
        left, right = st.columns(2, gap="large")
        with left:
            stage.still(
                lesson,
                "turned",
                [stage.Column([turning(lesson)])],
                title=title,
                given={"query": pair[:1], "key": pair[1:], "turned_query": turned[:1], "turned_key": turned[1:]}
                | {"asks": [f"q {names[0]}"], "answers": [f"k {names[1]}"], "nobody": [""]},
                provenance=lesson.provenance,
            )
        with right:
            st.markdown(told)
            numbers = {"word": names[0], "other": names[1], "score": figure(scores[at[1]])}
            numbers |= {"distance": str(at[0] - at[1]), "later": figure(float(later(pair, at)))}
            st.markdown(lesson.text.filled("turned", **{k: furniture.as_text(v) for k, v in numbers.items()}))
            one, other = st.columns(2)
            one.select_slider(lesson.text["asks_at"], lesson.options("asks_at"), key=lesson.key("asks_at"))
            other.select_slider(
                lesson.text["answers_at"], lesson.options("answers_at"), key=lesson.key("answers_at")
            )
            marked = {at[0] + 1: "q", at[1] + 1: "k"}
            picture.draw(
                charts.curve_rows(scores, [*map(figure, scores)], marked), charts.SCORE, key=lesson.key("scores")
            )


def later(pair: np.ndarray, at: list[int]) -> float:
    """The same score with both words ten places later."""
    turned = rotate_by_position(pair, [place + 10 for place in at])
    return dot_product(turned[:1], turned[1:])[0, 0]


def turning(lesson) -> dict:
    """Query and key, as they were (dashed) and turned by their places: the first two numbers of each."""
    axes = lesson.worked_example.axes
    return stage.plane(
        lesson,
        axes,
        [
            stage.displacement(None, "query", tone="ghost", role="query"),
            stage.displacement(None, "key", tone="ghost", role="key"),
            {"kind": "angle", "between": [("turned_query", 0), ("turned_key", 0)]},
            stage.vectors("turned_query", names="asks", role="query"),
            stage.vectors("turned_key", names="answers", role="key"),
        ],
        hint="turning",
    )


def tables(lesson) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    scope = calculate(STEPS, lesson.scope() | reads(lesson))
    words, axes = scope["words"], lesson.worked_example.axes
    said = [words[place] for place in scope["said"]]
    vectors, _ = table(int(lesson.width))
    places = [f"place {place + 1}" for place in range(PLACES)]
    return {
        "new vectors as given": pd.DataFrame(scope["first"].context, words, axes),
        "new vectors in the other order": pd.DataFrame(scope["then"].context, said, axes),
        "largest difference": pd.DataFrame({"difference": scope["changes"]}, words),
        "weights": pd.DataFrame(scope["first"].weights, words, words),
        "weights in the other order": pd.DataFrame(scope["then"].weights, said, said),
        "position vectors": pd.DataFrame(vectors, places, [str(k + 1) for k in range(vectors.shape[1])]),
        "likeness of places": pd.DataFrame(
            {f"with place {lesson.near}": similarity(int(lesson.width))[int(lesson.near) - 1]}, places
        ),
    }


def program(lesson) -> dict:
    """What the programs begin with."""
    scope = calculate(STEPS[:3], lesson.scope() | vocabulary.lookup(lesson))
    return {
        "words": list(lesson.words),
        "vectors": scope["x"],
        "order": scope["said"].tolist(),
        "positions": lesson.positions,
        "strength": float(lesson.strength),
    }


furniture.head("position", __doc__)
lesson = open_lesson("position", FIELDS)
furniture.notices(lesson)
with furniture.tools():
    vocabulary.example_picker(lesson, sentence=True)
    vocabulary.word_picker(lesson)
    vocabulary.editor(lesson, sentence=True)
    take_away.menu(lesson, lambda: tables(lesson), program(lesson))
    furniture.reset(lesson)
under_the_hand(lesson)
if lesson.revealed():
    the_table(lesson)
furniture.words(lesson, "equivariant")
