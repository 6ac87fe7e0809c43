"""Masking.

Who may look at whom?
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import SHAPES, pattern_bytes, pattern_entries
from controls import furniture, permalink, predict, stage, take_away, vocabulary
from controls.calculation import calculate
from controls.figures import count, memory
from controls.goals import AT_LEAST, AT_MOST, WITHIN, Condition, Estimate, Goal
from controls.lesson import base_example, open_lesson

EXAMPLES = ("buy_an_apple", "knight_in_shining", "fluffy_blue_creature", "animal_tired")
BESIDE = ("fruit_and_tech", "animal_words")  # words that may stand in the last place, on the same axes
INSTEAD = ("phone", "wide", "creature", "knight")  # what the last word is replaced by at first
MASKS = ("none", "causal", "window", "padding", "own")
COUNTS = tuple(str(count) for count in range(permalink.MOST_WORDS + 1))
LENGTHS = (1_000, 10_000, 100_000, 1_000_000)
FRAME = [[-1, 6], [-1, 6]]
FULL, LONGEST = 6.0, {True: 5.0, False: 1.0}  # where the colour of a score and the bar of a change are full

MASK = (
    ("x", "rows", ("vectors", "places")),
    ("everything", "is_open", ("open",)),
    ("causal", "causal_mask", ("n",)),
    ("windowed", "window_mask", ("n", "width")),
    ("padded", "padding_mask", (("fillers", "$padding"),)),
    ("drawn", "first_given", ("own", "open")),
    ("by_hand", "is_open", ("drawn",)),
    ("may_look", "pick", ("mask", "everything", "causal", "windowed", "padded", "by_hand")),
)
STEPS = (
    *MASK,
    ("looks_at", "row_sums", ("may_look",)),
    ("query", "product", ("x", "W_query")),
    ("key", "product", ("x", "W_key")),
    ("value", "product", ("x", "W_value")),
    # −∞ before the softmax against zero after it
    ("trace", "scaled_dot_product_attention", ("query", "key", "value", "may_look")),
    ("sums", "row_sums", (("trace", "weights"),)),
    ("unmasked", "softmax", (("trace", "scaled_scores"),)),
    ("cut", "where_open", ("unmasked", "may_look")),
    ("cut_sums", "row_sums", ("cut",)),
    # the same sentence with another last word
    ("last_word", "row", ("x", "last")),
    ("later_x", "exchange", ("x", "last", "later")),
    ("later_query", "product", ("later_x", "W_query")),
    ("later_key", "product", ("later_x", "W_key")),
    ("later_value", "product", ("later_x", "W_value")),
    ("later_trace", "scaled_dot_product_attention", ("later_query", "later_key", "later_value", "may_look")),
    ("moved", "row_changes", (("trace", "context"), ("later_trace", "context"))),
    # what the goals ask for, of one's own mask
    ("open_cells", "row_sums", ("by_hand",)),
    ("fewest", "smallest", ("open_cells",)),
    ("unlike_causal", "count_unlike", ("by_hand", "causal")),
    ("to_close", "left_to_close", ("by_hand",)),
)
GUESSED = (  # about the causal mask, whichever is shown
    ("causal_trace", "scaled_dot_product_attention", ("query", "key", "value", "causal")),
    ("causal_later", "scaled_dot_product_attention", ("later_query", "later_key", "later_value", "causal")),
    ("causal_moved", "row_changes", (("causal_trace", "context"), ("causal_later", "context"))),
    ("earlier_moved", "but_last", ("causal_moved",)),
    ("least_moved", "smallest", ("earlier_moved",)),
    ("causal_before", "but_last", (("causal_trace", "context"),)),
    ("causal_after", "but_last", (("causal_later", "context"),)),
    ("most_moved", "farthest", ("causal_before", "causal_after")),
    ("causal_cut", "where_open", ("unmasked", "causal")),
    ("causal_sums", "row_sums", ("causal_cut",)),
)

OWN = Condition(("mask",), AT_LEAST, MASKS.index("own"))
GOALS = (
    Goal("alone", (OWN, Condition(("to_close",), AT_MOST, 0))),
    Goal("causal_by_hand", (OWN, Condition(("unlike_causal",), AT_MOST, 0))),
    Goal("dark_row", (OWN, Condition(("fewest",), AT_MOST, 0))),
)
LATER_WORD = Estimate(
    "later_word",
    (
        ("none", Condition(("most_moved",), AT_MOST, 0)),
        ("all", Condition(("least_moved",), AT_LEAST, 1e-300)),
        ("some", Condition(("most_moved",), AT_LEAST, 0)),
    ),
)
ROW_SUM = Estimate(
    "row_sum",
    (
        ("first", Condition(("causal_sums", 0), WITHIN, 1, 1e-12)),
        ("last", Condition(("causal_sums", -1), WITHIN, 1, 1e-12)),
        ("none", Condition(("causal_sums", -1), AT_LEAST, 0)),
    ),
)
WORDS = vocabulary.fields(
    EXAMPLES,
    word=("apple", "it", "creature", "knight"),
    other=("orange",),
    sentence=True,
    beside=BESIDE,
    features=True,
)


def all_words(values) -> tuple[str, ...]:
    """The words that have a vector: any of them may stand in the last place."""
    return vocabulary.table(values["words"], vocabulary.neighbours(BESIDE, base_example(WORDS, values)))


def another_word(values) -> str:
    """What stands in the last place instead."""
    others = [word for word in all_words(values) if word != values["words"][-1]]
    return next((word for word in INSTEAD if word in others), next(iter(others), values["words"][-1]))


def vector_instead(values) -> np.ndarray:
    """Its vector, until a hand moves it."""
    words, word = all_words(values), values["instead"]
    return values["vectors"][[words.index(word if word in words else another_word(values))]]


def square(values) -> tuple[int, int]:
    """One cell for each pair of words."""
    return len(values["words"]), len(values["words"])


def read_grid(text: str, values) -> np.ndarray:
    """One's own mask from the address: ones and zeros and nothing else."""
    grid = permalink.read_matrix(text, square(values), 1)
    if not np.isin(grid, (0, 1)).all():
        raise permalink.RefusedError("a mask holds only 1, open, and 0, closed")
    return grid


FIELDS = (
    *WORDS,
    permalink.choice("mask", "who may look at whom", MASKS, "causal", hand=True),
    permalink.choice("width", "how many places a window goes either way", COUNTS, "1", hand=True),
    permalink.choice("padding", "how many words at the end are filler", COUNTS, "2", hand=True),
    replace(
        permalink.own_matrix("own", "one's own mask, 1 for open and 0 for closed", square, 1), read=read_grid
    ),
    permalink.choice("instead", "the word that replaces the last one", all_words, another_word, hand=True),
    permalink.matrix("later", "the vector of that word, where it was moved", vector_instead),
    stage.goal_field(GOALS),
)


@st.fragment
def under_the_hand(lesson) -> None:
    """The stage; all of it follows the hand."""
    lesson.listen()
    given = what_is_given(lesson)
    scope = calculate((*STEPS, *GUESSED), lesson.scope() | given)
    hidden = predict.ask(lesson, LATER_WORD, scope)
    unsure = hidden or predict.ask(lesson, ROW_SUM, scope)
    without_features(lesson)
    goals = stage.goals(lesson, GOALS, STEPS, scope, given=given)
    stage.show(
        lesson,
        [
            stage.Column([choose_mask(lesson)], least=900),
            grid(lesson),
            pattern(lesson, "before", ("trace", "weights"), "weight", "sums"),
            pattern(lesson, "after", "cut", "cut weight", "cut_sums", veiled=unsure),
            stage.Column([outputs(lesson)], share=1.5, least=330),
            *last_word_on_the_plane(lesson),
            stage.Column([goals], least=240),
        ],
        STEPS,
        title=lesson.text.plain("figure"),
        given=given,
        veil=hidden,
    )


def what_is_given(lesson) -> dict:
    """What the calculation reads and no hand can change."""
    n, example = len(lesson.words), lesson.worked_example
    given = vocabulary.lookup(lesson, BESIDE)
    for name in ("W_query", "W_key", "W_value"):
        matrix = getattr(example, name)
        given[name] = np.eye(len(example.axes)) if matrix is None else matrix
    fillers = [[place >= n - count for place in range(n)] for count in range(len(COUNTS))]
    return given | {
        "n": n,
        "last": n - 1,
        "open": np.ones((n, n)),
        "fillers": fillers,
        "last_name": lesson.words[-1:],
    }


def without_features(lesson) -> None:
    """A word that nobody has said anything about."""
    words = vocabulary.without_features(lesson, BESIDE)
    if words:
        st.info(lesson.text.filled("unknown", words=furniture.as_text(", ".join(words))), icon=":material/edit:")


def choose_mask(lesson) -> dict:
    """The masks, and what some of them still need."""
    text, n = lesson.text, len(lesson.words)
    on = text.parts("notes_on")

    def counted(name: str, label: str, notes: list[str], most: int) -> dict:
        return {
            "of": name,
            "label": text[label],
            "texts": COUNTS[: max(most, int(getattr(lesson, name))) + 1],
            "notes": notes,
        }

    windows = [on["window_0"], *[on["window"]] * (n - 2), on["window_all"]] if n > 1 else [on["window_0"]]
    filled = [on["padding_0"], *[on["padding"]] * (n - 1), on["padding_all"]]
    further = {
        "window": counted("width", "width", windows, n - 1),
        "padding": counted("padding", "filler", filled, n),
    }
    return stage.masks(
        "mask",
        text["mask"],
        [text[f"mask/{name}"] for name in MASKS],
        [on[name] for name in MASKS],
        [further.get(name) for name in MASKS],
        grid="own",
        opens=text["open_all"],
        counts="looks_at",
        nothing=text["nothing_to_look_at"],
    )


def grid(lesson) -> stage.Column:
    """Who may look at whom, cell by cell, with the scores: the mask under the hand."""
    text = lesson.text
    own = {"grid": "own", "choice": "mask", "own": MASKS.index("own"), "idle": text["hint"]}
    more = {"limit": FULL, "form": "tenths", "badge": True, "toggle": own | text.parts("grid")}
    return matrix_of(lesson, "grid", ("trace", "masked_scores"), "masked score", **more)


def pattern(lesson, name: str, of, what: str, sums: str, **more) -> stage.Column:
    """One of two patterns: with −∞ before the softmax, or with zeros after it, each row with its sum."""
    added = {"of": sums, "what": f"sum of {what}", "title": lesson.text["sum"]}
    more |= {
        "limit": 1.0,
        "scale": "share",
        "form": "hundredths",
        "sums": added,
        "closed": lesson.text["grid/closed"],
    }
    return matrix_of(lesson, name, of, what, **more)


def matrix_of(lesson, name: str, of, what: str, **more) -> stage.Column:
    """A live matrix under its heading."""
    title, turned = lesson.text[name], lesson.orientation == "columns"
    more |= {"mask": "may_look", "column": "", "small": True, "turned": turned}
    return stage.Column([stage.heading(title), stage.heatmap(of, title=title, what=what, **more)], least=300)


def outputs(lesson) -> dict:
    """All outputs as numbers, with their changes."""
    text, axes = lesson.text, lesson.worked_example.axes
    written = lesson.worked_example.W_output
    names = axes if written is None else [axes[int(np.argmax(row))] for row in written]
    raw = len(axes) == 2
    return stage.outputs(
        "looks_at",
        ("trace", "context"),
        "moved",
        names,
        limit=LONGEST[raw],
        replace={
            "label": text.plain("outputs/replace", last=lesson.words[-1]),
            "words": list(lesson.options("instead")),
            "of": "instead",
            "later": "later",
            "vectors": "vectors",
        },
        texts={
            "of": text["outputs/of"],
            "nothing": text["outputs/nothing"],
            "replaced": text["outputs/replaced"],
            "still": text["outputs/still"],
            "moves": text["outputs/shifts"],
            "alone": text["outputs/alone"],
        },
        title=text["outputs"],
        heads=[text["outputs/asks"], text["outputs/looks"], text["outputs/moves"]],
    )


def last_word_on_the_plane(lesson) -> list[stage.Column]:
    """The last word's vector under the hand, and the output of the word of interest, before and now."""
    axes, text = lesson.worked_example.axes, lesson.text
    if len(axes) != 2:
        return []
    before, now = ("trace", "context", "$word"), ("later_trace", "context", "$word")
    marks = [
        stage.vectors("last_word", names="last_name"),
        stage.displacement(None, before, label=text["plane/before"], tone="ghost", result=True),
        stage.displacement(None, now, label=text["plane/output"], result=True),
        stage.vectors("later", names="", label=text["plane/last"], handles=True),
    ]
    plane = stage.plane(lesson, axes, marks, ranges=FRAME, small=True, hint="")
    return [stage.Column([plane | {"caption": text.plain("plane", word=lesson.word)}], least=230)]


def growth(lesson) -> None:
    """How the pattern grows with the square of the context."""
    text, gpt = lesson.text, SHAPES["gpt3"]
    lines = [text["growth_table"], "---:|---:|---:|---:"]
    for tokens in (len(lesson.words), *LENGTHS):
        cells, one = count(pattern_entries(tokens)), memory(pattern_bytes(tokens))
        every = memory(pattern_bytes(tokens, gpt.num_heads, gpt.num_layers))
        lines.append(f"{count(tokens)} | {cells} | {one} | {every}")
    st.markdown("\n\n".join([text["growth"], "\n".join(lines)]))


def tables(lesson) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    scope = calculate(STEPS, lesson.scope() | what_is_given(lesson))
    names, trace = scope["words"], scope["trace"]

    def pairs(matrix, **sums) -> pd.DataFrame:
        return pd.DataFrame(matrix, names, names).assign(**sums)

    shown = outputs(lesson)["axes"]
    got = pd.DataFrame(trace.context, names, shown).assign(moves_by=scope["moved"])
    return {
        "mask": pairs(np.asarray(scope["may_look"], dtype=int)),
        "scores": pairs(trace.masked_scores),
        "weights, −∞ before": pairs(trace.weights, **{"Σ": scope["sums"]}),
        "weights, zero after": pairs(scope["cut"], **{"Σ": scope["cut_sums"]}),
        "outputs": got,
    }


def program_given(lesson) -> dict:
    """The lines that the programs begin with."""
    scope = calculate(MASK, lesson.scope() | what_is_given(lesson))
    given = {"words": list(lesson.words)} | {name: scope[name] for name in ("x", "W_query", "W_key", "W_value")}
    return given | {"may_look": np.asarray(scope["may_look"]).tolist(), "later": lesson.later[0]}


furniture.head("masking", __doc__)
lesson = open_lesson("masking", FIELDS)
furniture.notices(lesson)
with furniture.tools():
    vocabulary.example_picker(lesson, sentence=True)
    vocabulary.word_picker(lesson)
    vocabulary.editor(lesson, sentence=True, beside=BESIDE, features=True)
    take_away.menu(lesson, lambda: tables(lesson), program_given(lesson))
    furniture.reset(lesson)
under_the_hand(lesson)
furniture.words(lesson, "zero_after", "why")
growth(lesson)
