"""Multi-head attention.

Why look more than once?
"""

from functools import cache

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import (
    SHAPES,
    MultiHeadAttention,
    block_steps,
    dial_positions,
    load_example,
    low_rank,
    random_feed_forward,
)
from controls import furniture, permalink, predict, stage, take_away, vocabulary
from controls.calculation import calculate
from controls.figures import share
from controls.goals import AT_LEAST, AT_MOST, WITHIN, Condition, Estimate, Goal
from controls.lesson import base_example, open_lesson
from controls.permalink import Field, RefusedError
from controls.stage import heads

EXAMPLES = ("creature_until_it_slept", "animal_tired", "harry_wizard", "harry_queen_sussex_william")
BESIDE = ("verdant_words", "animal_words")  # words for sentences of one's own
MATRICES = ("W_query", "W_key", "W_value", "W_output")
HEADS = 4
# For each table of words: its heads, the planes of two features, how far these go, and where colour is full.
TABLES = {
    load_example(made).axes[:-2]: (load_example(made), planes, frame, full)
    for made, planes, frame, full in (
        ("creature_heads", ("noun-adjective", "soft-blue"), [[-0.5, 2.5], [-0.5, 2.5]], 1.5),
        ("animal_heads", ("alive-extent", "noun-alive"), [[-0.5, 2.5], [-0.5, 2.5]], 1.5),
        ("harry_heads", ("magic-royalty",), [[-1.0, 8.0], [-1.0, 8.0]], 5.0),
    )
}
DIAL, DIAL_FRAME = "dial", [[-1.4, 1.4], [-1.4, 1.4]]
LONG = 6  # in a longer sentence the cells are too small for numbers
RANDOM, SEED = "random", 5
NORMS = ("after", "before")

X = (("features", "rows", ("vectors", "places")), ("x", "side_by_side", ("features", "dial")))
STEPS = (
    *X,
    *heads.attention(HEADS),
    ("row", "pick", ("first", ("places", "$word"))),
    # what the goals ask for
    ("count", "row_sums", ("heads",)),
    ("sizes", "gathered", tuple((f"length_{k}", "$word") for k in range(1, HEADS + 1))),
    ("longest", "largest_places", ("sizes",)),
    ("greatest", "pick", ("first", ("longest", 0))),
)
ASKED = (  # through which head the creature takes most from its adjectives
    *(
        step
        for k in range(1, HEADS + 1)
        for step in (
            (f"asked_{k}", "where_open", ((f"head_{k}", "weights"), "asked")),
            (f"taken_{k}", "row_sums", (f"asked_{k}",)),
        )
    ),
    ("shares", "gathered", tuple((f"taken_{k}", "$asks") for k in range(1, HEADS + 1))),
    ("most", "largest_places", ("shares",)),
    ("best", "pick", ("first", ("most", 0))),
)
GUESSED = (  # every head off, whichever are on now
    ("nothing_added", "multiple", ("added", "first")),
    ("all_off", "sum", ("x", "nothing_added")),
    ("off_moves", "farthest", ("all_off", "x")),
    ("off_lengths", "lengths", ("all_off",)),
    ("off_length", "smallest", ("off_lengths",)),
)
ON = ("heads", 0)
GOALS = {
    "only_adjectives": Goal(
        "only_adjectives", (Condition(("count", 0), WITHIN, 1), Condition((*ON, "$best"), AT_LEAST, 1))
    ),
    "greatest_loss": Goal(
        "greatest_loss",
        (Condition(("count", 0), WITHIN, HEADS - 1), Condition((*ON, "$greatest"), AT_MOST, 0)),
    ),
}
ALL_OFF = Estimate(
    "all_off",
    (
        ("zero", Condition(("off_length",), AT_MOST, 0)),
        ("old", Condition(("off_moves",), AT_MOST, 0)),
        ("average", Condition(("off_moves",), AT_LEAST, 0)),
    ),
)
TWO_WAYS = Estimate(
    "two_ways",
    (
        ("equal", Condition(("apart",), AT_MOST, 1e-12)),
        ("different", Condition(("apart",), AT_LEAST, 1e-12)),
    ),
)
ADJECTIVES = ("creature", ("fluffy", "blue"))
WORDS = vocabulary.fields(
    EXAMPLES,
    word=("creature", "it", "Harry"),
    other=("fluffy", "animal", "wizard", "Queen"),
    sentence=True,
    beside=BESIDE,
    features=True,
)


def has_adjectives(words) -> bool:
    """Whether the creature and both its adjectives are there, each once."""
    asks, among = ADJECTIVES
    return all(words.count(word) == 1 for word in (asks, *among))


def goals(values) -> list[str]:
    """The goals that suit the sentence."""
    return [name for name in GOALS if name != "only_adjectives" or has_adjectives(values["words"])]


def planes_offered(values) -> list[str]:
    """Pairs of features, and the dial on which the words stand."""
    _, planes, *_ = TABLES[base_example(WORDS, values).axes]
    return [*planes, DIAL]


def maps_offered(values) -> list[str]:
    """The square matrices to look at: a random one, and each head's own."""
    of_example, *_ = TABLES[base_example(WORDS, values).axes]
    return [RANDOM, *of_example.heads]


def sizes_offered(values) -> list[str]:
    """The inner dimensions that there may be."""
    return [str(inner + 1) for inner in range(len(base_example(WORDS, values).axes) + 2)]


def a_third(values) -> str:
    """A third of all dimensions."""
    return str(max(1, len(sizes_offered(values)) // 3))


def read_heads(text: str, _) -> np.ndarray:
    """Which heads are on: ones and zeros and nothing else."""
    row = permalink.read_matrix(text, (1, HEADS), 1)
    if not np.isin(row, (0, 1)).all():
        raise RefusedError("a head is 1, on, or 0, off")
    return row


FIELDS = (
    *WORDS,
    permalink.matrix(
        "dial", "where the words stand on the dial", lambda values: dial_positions(len(values["words"]))
    ),
    Field(
        "heads",
        "the heads that are on: 1, or 0 for off",
        lambda _: np.ones((1, HEADS)),
        read_heads,
        permalink.write_matrix,
        hand=True,
    ),
    permalink.choice("plane", "the two features the plane shows, or the dial", planes_offered, hand=True),
    permalink.choice("map", "the square matrix that goes through two steps", maps_offered),
    permalink.choice("inner", "the inner dimension of the two steps", sizes_offered, a_third),
    permalink.choice("norm", "layer norm after adding, as in 2017, or before each part", NORMS),
    permalink.choice("goal", "the goal set", goals, hand=True),
)


@st.fragment
def under_the_hand(lesson) -> None:
    """The stage; all of it follows the hand."""
    lesson.listen()
    given, calculation = what_is_given(lesson), calculation_of(lesson)
    scope = calculate((*calculation, *GUESSED), lesson.scope() | given)
    hidden = predict.ask(lesson, ALL_OFF, scope)
    unsure = hidden or predict.ask(lesson, TWO_WAYS, scope)
    without_features(lesson)
    among = [GOALS[name] for name in lesson.options("goal")]
    stage.show(
        lesson,
        [
            stage.Column([side_by_side(lesson), stage.told(lesson.text["told"])], share=1.6, least=600, turn=1),
            stage.Column(
                [
                    which_plane(lesson),
                    on_the_plane(lesson),
                    stage.goals(lesson, among, calculation, scope, given=given),
                ],
                least=300,
            ),
            stage.Column([added_up(lesson)], share=1.1, least=340, turn=2),
            stage.Column(every_word(lesson), share=0.95, least=300, turn=3),
            stage.Column([two_ways(lesson, unsure)], share=1.1, least=330, turn=4),
        ],
        calculation,
        title=lesson.text.plain("figure"),
        given=given,
        veil=hidden,
    )
    further(lesson, scope)


def made_for(lesson):
    """The heads made for the words on the page."""
    of_example, *_ = TABLES[lesson.worked_example.axes]
    return of_example


def full(lesson) -> float:
    """Where the colour of an added number is full."""
    return TABLES[lesson.worked_example.axes][-1]


def calculation_of(lesson) -> tuple:
    """The steps for the sentence at hand."""
    return (*STEPS, *ASKED) if has_adjectives(lesson.words) else STEPS


def what_is_given(lesson) -> dict:
    """What the calculation reads and no hand can change."""
    made, n = made_for(lesson), len(lesson.words)
    given = vocabulary.lookup(lesson, BESIDE) | {"axes": made.axes, "zeros": np.zeros((n, len(made.axes)))}
    given |= {"first": 0, "W_O": output_matrix(made)}
    given |= {f"{W}_{k + 1}": getattr(made, W)[k] for W in MATRICES for k in range(HEADS)}
    if has_adjectives(lesson.words):
        asks, among = ADJECTIVES
        asked = np.zeros((n, n), dtype=bool)
        given["asks"] = lesson.words.index(asks)
        asked[given["asks"], [lesson.words.index(word) for word in among]] = True
        given["asked"] = asked
    return given


def output_matrix(made) -> np.ndarray:
    """The heads' slices below one another."""
    return made.W_output.reshape(-1, made.W_output.shape[-1])


def label(lesson, name: str) -> str:
    """What a head is called."""
    return lesson.text.plain(f"heads/{name}")


def without_features(lesson) -> None:
    """A word that nobody has said anything about."""
    words = vocabulary.without_features(lesson, BESIDE)
    if words:
        st.info(lesson.text.filled("unknown", words=furniture.as_text(", ".join(words))), icon=":material/edit:")


def side_by_side(lesson) -> dict:
    """The heads: their patterns, their questions and their switches."""
    cards = [
        heads.card(name, label(lesson, name), lesson.text[f"heads/{name}_asks"], pattern(lesson, name, k + 1))
        for k, name in enumerate(made_for(lesson).heads)
    ]
    return heads.heads("heads", cards, title=lesson.text["side_by_side"])


def pattern(lesson, name: str, k: int) -> dict:
    """One head's pattern, small."""
    return stage.heatmap(
        (f"head_{k}", "weights"),
        title=label(lesson, name),
        what=f"{name} weight",
        limit=1.0,
        scale="share",
        form="share",
        small=True,
        quiet=len(lesson.words) > LONG,
        turned=lesson.orientation == "columns",
        made=[(f"head_{k}", "masked_scores")],
        idle=lesson.text["told"],
        badge=k == 1,
    )


def which_plane(lesson) -> dict:
    """The plane's two features, or the dial."""
    shown = [pair.replace("-", " × ") for pair in lesson.options("plane")[:-1]]
    return stage.options("plane", lesson.text["plane"], [*shown, lesson.text["plane/dial"]])


def on_the_plane(lesson) -> dict:
    """The chosen word's vector under the hand, and what each head adds to it, tip to tail."""
    text, axes = lesson.text, made_for(lesson).axes
    if lesson.plane == DIAL:
        marks = [stage.vectors("dial", handles=True, places=True, focus="word", takes=True)]
        caption = {"caption": text["plane/on_the_dial"]}
        return stage.plane(lesson, axes[-2:], marks, ranges=DIAL_FRAME, hint="") | caption
    columns = tuple(axes.index(axis) for axis in lesson.plane.split("-"))
    _, _, frame, _ = TABLES[lesson.worked_example.axes]
    word = "$word"
    arrows = [
        stage.displacement(
            ("x" if k == 1 else f"after_{k - 1}", word),
            (f"after_{k}", word),
            label=str(k),
            halfway=True,
            result=True,
        )
        for k in range(1, HEADS + 1)
    ]
    missing = stage.displacement(
        ("new", word), ("whole", word), label=text["plane/missing"], tone="ghost", result=True
    )
    new = stage.displacement(None, ("new", word), label=text["plane/new"], role="word", result=True)
    held = stage.vectors("vectors", names="table", handles=True, focus="word", through="places", only="row")
    return stage.plane(lesson, axes, [held, new, missing, *arrows], ranges=frame, columns=columns)


def added_up(lesson) -> dict:
    """The chosen word's vector, each head's Δx, and the new vector, feature by feature."""
    text, made = lesson.text, made_for(lesson)
    own = [heads.column("x", "x", what="x", role="word")]
    added = [
        heads.column(
            f"delta_{k + 1}",
            str(k + 1),
            what=f"{name} delta",
            sign="+",
            role="context",
            head=k,
            name=label(lesson, name),
            result=True,
        )
        for k, name in enumerate(made.heads)
    ]
    ends = [
        heads.column("new", text["added/new"], what="new", sign="=", role="new", result=True),
        heads.column("missing", text["added/missing"], what="missing", role="missing", result=True),
    ]
    told = {name: text[f"added/{name}_told"] for name in ("whole", "missing", "off")}
    columns, title = [*own, *added, *ends], text["added"]
    return heads.addends(columns, made.axes, title=title, full=full(lesson), of="heads", told=told)


def every_word(lesson) -> list[dict]:
    """What the heads that are on add to every word's vector."""
    text = lesson.text
    changes = stage.heatmap(
        "added",
        title=text["every_word"],
        what="added",
        limit=full(lesson),
        columns="axes",
        row_title="",
        column_title="",
        column="",
        form="tenths",
        small=True,
    )
    return [stage.heading(text["every_word"]), changes]


def two_ways(lesson, veiled: bool) -> dict:
    """All contexts times one matrix, or a sum of slices."""
    text, made = lesson.text, made_for(lesson)
    names = [label(lesson, name) for name in made.heads]
    more = {"title": text["two_ways"], "full": full(lesson), "of": "heads", "veiled": veiled}
    return heads.join(names, made.axes, text.parts("two_ways"), **more)


def further(lesson, scope) -> None:
    """What is computed only once its fold is open."""
    if lesson.memory.veiled:
        return
    for name, icon, draw in (
        ("low_rank", ":material/compress:", in_two_steps),
        ("block", ":material/layers:", rest_of_block),
    ):
        title = lesson.text[f"folds/{name}"]
        fold = st.expander(title, icon=icon, on_change="rerun", key=lesson.key(name))
        if fold.open:
            with fold:
                draw(lesson, scope)


def in_two_steps(lesson, scope) -> None:
    """A square matrix, down to a few numbers and up again."""
    text, made, inner = lesson.text, made_for(lesson), int(lesson.inner)
    matrix = square(len(made.axes)) if lesson.map == RANDOM else value_map(made, lesson.map)
    halves = low_rank(matrix, inner)
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown(text["further/low_rank"].split("\n\n", 1)[1])
        named = {RANDOM: text["low_rank/random"]} | {name: label(lesson, name) for name in made.heads}
        st.selectbox(text["low_rank/map"], lesson.options("map"), format_func=named.get, key=lesson.key("map"))
        st.select_slider(text["low_rank/inner"], lesson.options("inner"), key=lesson.key("inner"))
        d, gpt = len(matrix), SHAPES["gpt3"]
        told = {
            "kept": share(halves.kept),
            "square": f"{d * d:,}",
            "steps": f"{2 * d * inner:,}",
            "d": str(d),
            "inner": str(inner),
            "rank": str(int((halves.singular_values > 1e-9).sum())),
            "gpt3_square": f"{gpt.d_model**2:,}",
            "gpt3_step": f"{gpt.d_model * gpt.d_k:,}",
            "gpt3_less": str(gpt.d_model // (2 * gpt.d_k)),
        }
        st.markdown(text.filled("low_rank/told", **told))
    with right:
        maps = [
            stage.Column([stage.heading(text[f"low_rank/{of}"]), map_of(lesson, of, what)], least=240)
            for of, what in (("matrix", "one step"), ("through", "two steps"))
        ]
        sizes = heads.through("sizes", inner, title=text["low_rank/sizes"], what="singular value")
        given = {
            "axes": made.axes,
            "matrix": matrix,
            "through": halves.through,
            "sizes": halves.singular_values,
        }
        provenance = "random" if lesson.map == RANDOM else made.provenance
        columns = [*maps, stage.Column([sizes], least=300)]
        title = text["folds/low_rank"]
        stage.still(lesson, "two_steps", columns, title=title, given=given, provenance=provenance)


def map_of(lesson, of: str, what: str) -> dict:
    """A square matrix from features to features."""
    more = {"row_title": "", "column_title": "", "row": "", "column": "", "form": "hundredths", "small": True}
    title = lesson.text[f"low_rank/{of}"]
    return stage.heatmap(of, title=title, what=what, limit=1.0, rows="axes", columns="axes", badge=True, **more)


@cache
def square(d: int) -> np.ndarray:
    """One large square matrix with nothing to say."""
    return np.random.default_rng(SEED).standard_normal((d, d)) / d**0.5


def value_map(made, name: str) -> np.ndarray:
    """What a head does to a word's vector besides weighing it: value down, value up."""
    k = made.heads.index(name)
    return np.matmul(made.W_value[k], made.W_output[k])


def rest_of_block(lesson, scope) -> None:
    """The chosen word's way through a whole block."""
    text, made, norm_first = lesson.text, made_for(lesson), lesson.norm == "before"
    st.markdown(text["block"])
    st.segmented_control(
        text["norm"],
        NORMS,
        format_func=lambda which: text[f"norm/{which}"],
        key=lesson.key("norm"),
        required=True,
    )
    slices = made.W_output * lesson.heads[0][:, None, None]
    attention = MultiHeadAttention(made.W_query, made.W_key, made.W_value, slices)
    feed_forward = random_feed_forward(len(made.axes), seed=SEED)
    steps = block_steps(scope["x"], attention, feed_forward, norm_first)
    signs = dict.fromkeys(("attention", "feed_forward"), "+") | dict.fromkeys(("sum", "second_sum"), "=")
    signs |= dict.fromkeys(("norm", "second_norm"), "→")
    roles = {"attention": "context", "feed_forward": "context", "x": "word"}
    columns = [
        heads.column(name, text[f"block/{name}"], what=name, sign=signs.get(name, ""), role=roles.get(name, ""))
        for name in steps
    ]
    title = text.plain("block/title", word=lesson.word)
    kept = [(0, 3), (3, 6)] if norm_first else [(0, 2), (3, 5)]  # what goes past attention and feed-forward
    arcs = [(start, end, text["block/kept"]) for start, end in kept]
    table = heads.addends(columns, made.axes, title=title, full=full(lesson), arcs=arcs)
    given = steps | {"words": scope["words"], "word": scope["word"]}
    stage.still(
        lesson, "steps", [stage.Column([table])], title=text["folds/block"], given=given, provenance="random"
    )
    furniture.badge(feed_forward)
    st.caption(text["block/and_again"])


def tables(lesson) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    scope = calculate(STEPS, lesson.scope() | what_is_given(lesson))
    made, names = made_for(lesson), scope["words"]
    found = {"words": pd.DataFrame(scope["x"], names, made.axes)}
    for k, name in enumerate(made.heads, 1):
        found[f"weights of {name}"] = pd.DataFrame(scope[f"head_{k}"].weights, names, names)
        found[f"delta of {name}"] = pd.DataFrame(scope[f"delta_{k}"], names, made.axes)
    on = [("on" if on else "off") for on in lesson.heads[0]]
    found["heads"] = pd.DataFrame({"head": made.heads, "is": on}).set_index("head")
    found["added"] = pd.DataFrame(scope["added"], names, made.axes)
    found["new vectors"] = pd.DataFrame(scope["new"], names, made.axes)
    found["two ways, largest difference"] = pd.DataFrame({"difference": [scope["apart"]]}, ["all words"])
    return found


def program_given(lesson) -> dict:
    """The lines that the programs begin with."""
    made = made_for(lesson)
    x = calculate(X, lesson.scope() | what_is_given(lesson))["x"]
    given = {"words": list(lesson.words), "x": x, "on": lesson.heads[0].tolist()}
    return given | {W: getattr(made, W) for W in MATRICES}


furniture.head("multi_head", __doc__)
lesson = open_lesson("multi_head", FIELDS)
furniture.notices(lesson)
with furniture.tools():
    vocabulary.example_picker(lesson, sentence=True, width=450)
    vocabulary.word_picker(lesson)
    vocabulary.editor(lesson, sentence=True, beside=BESIDE, features=True)
    take_away.menu(lesson, lambda: tables(lesson), program_given(lesson))
    furniture.reset(lesson)
under_the_hand(lesson)
furniture.words(lesson)
