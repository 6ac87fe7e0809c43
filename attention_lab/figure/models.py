"""Parts that show what a trained model does: a head's pattern, what it was measured to do, senses of a word."""

from collections.abc import Mapping, Sequence
from typing import Any

from attention_lab.calculation import Expression, name_of
from attention_lab.state.state import State
from attention_lab.text import Text

from .choices import slider
from .parts import WORDS, Part, part
from .planes import plane
from .words import heatmap


def rebuild_on(inner: Part, of: Expression = WORDS) -> Part:
    """A part that is rebuilt whenever the words `of` change."""
    return part("rebuild_on", of=of, part=inner)


def pattern(state: State, weights: Expression, scores: Expression, **more: Any) -> Part:
    """The pattern of one head, large: who looks at whom, and how the weight pointed at came from its `scores`.

    Its words are the page's sections ``pattern`` and ``pattern/idle``; `more` are further settings of a heatmap.
    """
    return heatmap(
        weights,
        title=state.text["pattern"],
        what="weight",
        limit=1.0,
        scale="share",
        form="percent",
        computed_from=[scores],
        idle=state.text["pattern/idle"],
        turned=state.orientation == "columns",
        **more,
    )


def measured(
    head: Expression,
    heads: Sequence[str],
    kinds: Mapping[str, str],
    shares: Sequence[Sequence[float]],
    *,
    title: str,
    texts: Mapping[str, str],
    counts: Mapping[str, int] | None = None,
    own: Sequence[int | None] | None = None,
    without: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> Part:
    """What the head shown does, as bars: of each head its share of each of the `kinds`, by name and label.

    `counts` says on how many answers each kind's shares rest. `own` is of each head the place of the kind that it
    was asked for in training, if any. `texts` has a sentence for a `head`, and one for a head with its `own`
    question. `without` says what breaks without which head, and `says` it in a sentence; `notes` are remarks on
    the bars of each head.
    """
    return part(
        "measured",
        title=title,
        head=name_of(head),
        names=list(heads),
        kinds=[
            {"name": name, "label": label, "count": (counts or {}).get(name)} for name, label in kinds.items()
        ],
        shares=[list(map(float, of_head)) for of_head in shares],
        own=[None] * len(heads) if own is None else list(own),
        without=without,
        notes=list(notes) or None,
        texts=texts,
    )


def senses(
    states: Expression,
    at: Expression,
    sense: Expression,
    *,
    hints: Expression,
    groups: Expression,
    axes: Expression | None = None,
) -> Part:
    """A mark on a plane: each word of the choice `sense` in several texts, layer by layer, and where it is `at`.

    Of each word, `hints` are its texts' labels and `groups` say which sense. Without `axes` of each word, the
    `states` are places on the plane.
    """
    return part(
        "senses",
        states=states,
        at=at,
        axes=axes,
        sense=name_of(sense),
        hints=hints,
        groups=groups,
    )


def cosines(
    sense: Expression,
    rows: Sequence[tuple[str, Expression, Expression]],
    names: Sequence[Sequence[str]],
    *,
    title: str,
    texts: Mapping[str, Any],
) -> Part:
    """How alike a word's vectors are: rows of a layer's name, within one sense and between senses.

    `names` are those of each word's senses.
    """
    return part(
        "cosines",
        title=title,
        sense=name_of(sense),
        rows=[{"name": name, "same": same, "unlike": unlike} for name, same, unlike in rows],
        names=[list(of_word) for of_word in names],
        texts=texts,
    )


def states(text: Text, layers: int) -> list[str]:
    """What each state of a word is called: at the start, and after each layer."""
    after = [text.filled("states/after", layer=str(layer + 1)) for layer in range(layers)]
    return [text["states/start"], *after]


def depth(state: State, of: Expression, layers: int) -> Part:
    """After how many of the `layers` the senses of a word are shown, as a slider."""
    text, ticks = state.text, list(range(layers + 1))
    return slider(of, text["senses/depth"], axis=text["senses/layers"], low=0, high=layers, ticks=ticks)


def plane_of_senses(state: State, mark: Part, far: float, **spread: str) -> Part:
    """Where a word's senses part: the mark `senses` on its plane, and how much of the spread that shows."""
    return plane(
        state,
        [state.text["senses/first"], state.text["senses/second"]],
        [mark],
        low=-far,
        high=far,
        title=state.text.plain("senses/figure"),
        hint="",
        caption=state.text.plain("senses/spread", **spread),
    )
