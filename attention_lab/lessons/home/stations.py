"""The path of the sentence: what stands at each station, the arrows between them, and the pages they open."""

from collections.abc import Sequence
from typing import Any

from attention_lab import course, figure
from attention_lab.calculation import Expression
from attention_lab.root import ROOT
from attention_lab.state.state import State
from attention_lab.text import ui_text

from .calculation import AXES, CALCULATION, OWN_AXES
from .parts import way

s = CALCULATION
PAGES = ROOT / "pages"
PAGE_LINKS = course.page_links(PAGES)
CARDS = tuple(link for link in course.every_link(PAGES) if link.page != "home")
OPENS = {  # which page a station opens, once there is such a page
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
    way("sentence", "embeddings", DOWN, DOWN),
    way("embeddings", "queries", (("right", 0.4), ("left", 0.5)), DOWN, role="query"),
    way("embeddings", "keys", (("right", 0.5), ("left", 0.5)), DOWN, role="key"),
    way("embeddings", "values", (("right", 0.6), ("left", 0.5)), DOWN, role="value"),
    way("queries", "scores", (("right", 0.5), ("left", 0.35)), (("bottom", 0.5), ("top", 0.35)), role="query"),
    way("keys", "scores", (("right", 0.5), ("left", 0.65)), (("bottom", 0.5), ("top", 0.65)), role="key"),
    way("scores", "weights", DOWN, DOWN, role="plain"),
    way("weights", "context", ACROSS, (("bottom", 0.5), ("top", 0.76)), role="plain"),
    way("values", "context", (("right", 0.85), ("bottom", 0.5)), (("bottom", 0.97), ("top", 0.99)), role="value"),
)


def the_path(state: State) -> figure.Part:
    """The stations in their order, each with its numbers."""
    sentence = figure.sentence(head="", title=state.text["stations/sentence"])
    groups = [
        [stop(state, "sentence", [sentence]), stop(state, "embeddings", embeddings(state), letter="X")],
        [
            stop(state, "queries", projected(state, s.query, s.W_query, "query"), role="query", letter="Q"),
            stop(state, "keys", projected(state, s.key, s.W_key, "key"), role="key", letter="K"),
            stop(
                state,
                "values",
                projected(state, s.value, s.W_value, "value", low=-4, high=5),
                role="value",
                letter="V",
            ),
        ],
        [
            stop(state, "scores", [scores(state)], role="plain"),
            stop(state, "weights", [weights(state)], role="plain"),
        ],
        [stop(state, "context", mixed(state), role="context", letter="C")],
    ]
    return figure.part("path", groups=groups, ways=WAYS)  # on a phone, groups stand below one another


def stop(
    state: State, name: str, parts: Sequence[figure.Part], *, role: str = "word", letter: str = ""
) -> dict[str, Any]:
    """A station: its `parts` under its title and how they are made. The title opens a page where that exists."""
    title, how = state.text[f"stations/{name}"], state.text[f"how/{name}"]
    told = {"name": name, "title": title, "parts": parts, "role": role, "letter": letter, "how": how}
    link = next((link for link in PAGE_LINKS if link.page == OPENS.get(name)), None)
    return told | ({"page_link": link.page, "promise": link.promise} if link else {})


def embeddings(state: State) -> list[figure.Part]:
    """Return the words as arrows under the hand, and their numbers."""
    arrows = figure.vectors(s.vectors, handles=True, focus=s.word)
    title = state.text["names/embeddings"]
    plane = figure.plane(state, AXES, [arrows], title=title, small=True, hint="hint")
    return [plane, numbers(state, s.vectors, "embedding", role="word", axes=AXES)]


def projected(
    state: State, of: Expression, matrix: Expression, name: str, *, low: float = -3.0, high: float = 3.0
) -> list[figure.Part]:
    """Queries, keys or values as arrows, and their numbers."""
    arrows = figure.vectors(of, role=name, focus=s.word)
    title = state.text[f"names/{name}"]
    plane = figure.plane(state, ["", ""], [arrows], low=low, high=high, title=title, small=True)
    return [plane, numbers(state, of, name, role=name, computed_from=(s.vectors, matrix))]


def scores(state: State) -> figure.Part:
    """Every query times every key."""
    return figure.heatmap(
        s.trace.scores,
        title=state.text["names/scores"],
        what="score",
        limit=8.0,
        computed_from=(s.query, s.key),
        turned=state.orientation == "columns",
        small=True,
    )


def weights(state: State) -> figure.Part:
    """The scores as shares."""
    return figure.heatmap(
        s.trace.weights,
        title=state.text["names/weights"],
        what="weight",
        limit=1.0,
        scale="share",
        form="share",
        computed_from=[s.trace.scaled_scores],
        sentence=ui_text("share_of"),
        turned=state.orientation == "columns",
        small=True,
    )


def mixed(state: State) -> list[figure.Part]:
    """The values, how hard each pulls the word that is followed, and the new vectors."""
    context = s.trace.context
    marks = [
        figure.vectors(s.value, role="value", names=None),
        figure.pulls(context[s.word], s.value, s.trace.weights[s.word]),
        figure.vectors(context, role="context", focus=s.word),
    ]
    title = state.text["stations/context"]
    plane = figure.plane(state, ["", ""], marks, low=-4, high=5, title=title, small=True)
    return [
        plane,
        numbers(state, context, "context", role="context", computed_from=(s.trace.weights, s.value), result=True),
    ]


def numbers(
    state: State,
    of: Expression,
    what: str,
    *,
    role: str,
    axes: Sequence[str] = OWN_AXES,
    computed_from: tuple[Expression, Expression] | None = None,
    result: bool = False,
) -> figure.Part:
    """Vectors as a small table of numbers, a word a line, or a word a column where queries stand in columns.

    `what` names its live numbers (``query apple 1``). They are the product of two matrices, `computed_from`:
    an `explanation` part then explains the number under the pointer. A `result` waits for the reader's guess.
    """
    called = state.text[f"names/{what}"]
    return figure.part(
        "coordinates",
        of=of,
        names=figure.WORDS,
        axes=axes,
        what=what,
        called=called,
        title=state.text.plain("as_numbers", vector=called),
        role=role,
        chosen=figure.WORD,
        computed_from=computed_from,
        turned=state.orientation == "columns",
        result=result,
    )
