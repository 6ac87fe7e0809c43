"""What lies on the stage: a sentence in all heads and in one, a word in its senses, *it*, weight and deletion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from attention_lab import figure as stage
from attention_lab.calculation import Results, name_of
from attention_lab.lesson import Hidden
from attention_lab.state.state import State

from . import galleries
from .calculation import CALCULATION as s
from .calculation import chosen
from .fields import HIGHEST
from .galleries import IT, KINDS, PAIRS, Shown
from .goals import ALWAYS, GOALS, LESS, LITTLE, MOSTLY, NOTEWORTHY

OWN_PARTS = stage.OwnParts("real_model", Path(__file__).parent)
MOST_NUMBERS = 24  # tokens: of a larger pattern no numbers can be read


def figure_columns(state: State, now: Results, _: Hidden) -> list[stage.Column]:
    """A sentence in all heads and in one, and how its numbers are made; senses; *it*; weight and deletion."""
    shown, text = galleries.shown(state.model), state.text
    return [
        stage.goals(state, suiting(shown), now, names=named()),
        stage.Column(
            [
                stage.pictured(arcs(state)),
                stage.pictured(all_heads(state, shown)),
                measured(state, shown),
                *sinks(state, shown),
            ],
            share=1.6,
            least=560,
        ),
        stage.Column([*large(state), raised(state)], share=1.15, least=330),
        *(parting(state, shown) if shown.senses else []),
        *([pronoun(state, shown)] if shown.knows_it else []),
        stage.Column([stage.heading(text["deletion"]), against_deletion(state, shown)], share=1, least=400),
    ]


def suiting(shown: Shown) -> list[stage.Part]:
    """The goals that the model leaves to be reached."""
    reachable = {
        "look_back": shown.does[:, KINDS.index("previous")].max() >= ALWAYS,
        "rests": shown.does[:, KINDS.index("first")].max() >= MOSTLY,
        "noun": shown.moves.min(axis=0).max() >= NOTEWORTHY,
    }
    return [goal for goal in GOALS if reachable.get(goal.name, True)]


def named() -> dict[str, str]:
    """What goals call by name: their bounds."""
    bounds = {"always": ALWAYS, "mostly": MOSTLY, "little": LITTLE}
    return {name: f"{100 * bound:.0f}" for name, bound in bounds.items()} | {"moved": f"{NOTEWORTHY:g}"}


# The sentence in all heads and in one ---------------------------------------------------------------------


def arcs(state: State) -> stage.Part:
    """Whom the chosen token looks at in the head shown."""
    return stage.anew(stage.arcs({"": s.pattern}, title=state.text["arcs"]))


def kinds(state: State, *, long: bool = False) -> dict[str, str]:
    """What a head can do, in words; in a model without marks the ends are tokens."""
    marks = galleries.shown(state.model).runs[0].marks
    found = {kind: f"kinds/{kind}{'_long' if long else ''}" for kind in KINDS}
    return {
        kind: state.text.plain(name if marks or f"{name}_plain" not in state.text else f"{name}_plain")
        for kind, name in found.items()
    }


def all_heads(state: State, shown: Shown) -> stage.Part:
    """Every head of every layer, small."""
    labels = list(kinds(state).values())
    heads = [
        {"name": name, "label": labels[most], "share": float(shown.does[head, most])}
        for head, name in enumerate(shown.head_names)
        for most in [shown.does_most(head)]
    ]
    return stage.part(
        "head_grid",
        title=state.text.filled("heads", count=str(len(heads))),
        head=name_of(s.head),
        scores=s.real["scores"],
        turned=state.orientation == "columns",
        layers=[state.text.filled("heads/layer", layer=str(layer + 1)) for layer in range(shown.layers)],
        heads=heads,
        texts=state.text.parts("heads"),
    )


def large(state: State) -> list[stage.Part]:
    """The pattern of the head shown, large, and how the number pointed at is made."""
    count = len(galleries.sentence_of(state.values).names)
    pattern = stage.pattern(state, s.pattern, s.scores, quiet=count > MOST_NUMBERS)
    return [stage.heading(state.text["pattern"]), stage.pictured(stage.anew(pattern))]


def raised(state: State) -> stage.Part:
    """What is added to the score of the pair."""
    return stage.slider(
        s.raised,
        state.text["raised"],
        axis=state.text["raised/axis"],
        low=-HIGHEST,
        high=HIGHEST,
        ticks=[0],
    )


def measured(state: State, shown: Shown) -> stage.Part:
    """What the head shown does, over all sentences."""
    return stage.measured(
        s.head,
        shown.head_names,
        kinds(state, long=True),
        shown.does,
        title=state.text["measured"],
        texts={"head": state.text.filled("measured/head", count=str(len(shown.runs)))},
    )


def sinks(state: State, shown: Shown) -> list[stage.Part]:
    """How many heads are attention sinks, and the evidence for it: how short the values there are."""
    ratios = shown.value_ratios[shown.sinks]
    if not len(ratios):
        return []
    least, most = (f"{100 * ratio:.0f}" for ratio in (ratios.min(), ratios.max()))
    counts = {"count": str(len(ratios)), "heads": str(len(shown.sinks)), "sentences": str(len(shown.runs))}
    return [stage.remark(state.text.plain("measured/sinks", least=least, most=most, **counts))]


# A word in its senses -------------------------------------------------------------------------------------


def parting(state: State, shown: Shown) -> list[stage.Column]:
    """The plane of a word in its senses, and beside it its layers and texts."""
    drawn = [stage.heading(state.text["senses"]), which_sense(state, shown), in_senses(state, shown)]
    beside = [depth(state, shown), alike(state, shown), baseline(state, shown), sense_texts(state, shown)]
    return [stage.Column(drawn, share=1.1, least=400), stage.Column(beside, share=1, least=330)]


def states(state: State, shown: Shown) -> list[str]:
    """What each state of a token is called."""
    after = [state.text.filled("states/after", layer=str(layer + 1)) for layer in range(shown.layers)]
    return [state.text["states/start"], *after]


def which_sense(state: State, shown: Shown) -> stage.Part:
    """The word shown in its senses, and how far these part, said from the numbers."""
    same, unlike = (cosines[:, -1] for cosines in shown.cosines)
    gaps = same - unlike
    says = [
        state.text.filled(
            "senses/hardly" if gap <= LESS * gaps.max() else "senses/parts",
            same=f"{one:.3f}",
            unlike=f"{other:.3f}",
            gap=f"{gap:.3f}",
            times=f"{gaps.max() / gap:.1f}",
            layers=str(shown.layers),
        )
        for one, other, gap in zip(same, unlike, gaps, strict=True)
    ]
    return stage.options(s.sense, state.text["senses/which"], list(shown.senses), says=says)


def in_senses(state: State, shown: Shown) -> stage.Part:
    """Where its senses part."""
    mark = stage.senses(s.in_senses, s.in_senses_at, s.sense, hints=s.sense_hints, groups=s.sense_groups)
    spread = [f"{word} {100 * each.spread:.0f} %" for word, each in shown.partings.items()]
    far = max(each.reach for each in shown.partings.values())
    return stage.plane(
        state,
        [state.text["senses/first"], state.text["senses/second"]],
        [mark],
        low=-far,
        high=far,
        title=state.text.plain("senses/figure"),
        hint="",
        caption=state.text.plain("senses/spread", spread=", ".join(spread)),
    )


def depth(state: State, shown: Shown) -> stage.Part:
    """After how many layers the senses are shown."""
    return stage.slider(
        s.depth,
        state.text["senses/depth"],
        axis=state.text["senses/layers"],
        low=0,
        high=shown.layers,
        ticks=list(range(shown.layers + 1)),
    )


def alike(state: State, shown: Shown) -> stage.Part:
    """How alike the word's vectors are, layer by layer."""
    return stage.cosines(
        s.sense,
        [
            (name, s.same[s.sense, layer], s.unlike[s.sense, layer])
            for layer, name in enumerate(states(state, shown))
        ],
        [list(dict.fromkeys(each.senses)) for each in shown.senses.values()],
        title=state.text["cosines"],
        texts=state.text.parts("cosines"),
    )


def baseline(state: State, shown: Shown) -> stage.Part:
    """What the cosine of unrelated words is, to read the others against."""
    before, after = (f"{shown.baseline[layer]:.2f}" for layer in (0, -1))
    most = f"{shown.baseline.max():.2f}"
    layers = {"layer": str(shown.baseline.argmax()), "layers": str(shown.layers)}
    return stage.remark(state.text.plain("cosines/baseline", before=before, after=after, most=most, **layers))


def sense_texts(state: State, shown: Shown) -> stage.Part:
    """The texts by their numbers on the plane."""
    words = [
        [
            {"text": text, "group": group}
            for text, group in zip(each.texts, galleries.groups_of(each.senses), strict=True)
        ]
        for each in shown.senses.values()
    ]
    return stage.part("sense_texts", title=state.text["senses/texts"], sense=name_of(s.sense), words=words)


# Where *it* looks, and what weight says --------------------------------------------------------------------


def pronoun(state: State, shown: Shown) -> stage.Column:
    """Where *it* looks, under its heading."""
    return stage.Column([stage.heading(state.text["it"]), where_it_looks(state, shown)], least=400)


def where_it_looks(state: State, shown: Shown) -> stage.Part:
    """The weight from *it* to the two nouns in the head shown; below, what can be said of all heads."""
    names, text = list(IT), state.text
    rows = [
        {
            "last": shown.gallery.runs[name].text.split()[-1],
            "nouns": sorted(IT[name]),
            "right": sorted(IT[name]).index(IT[name][0]),
            "shares": shares if IT[name][0] == min(IT[name]) else shares[:, ::-1],
        }
        for name, shares in zip(names, shown.it, strict=True)
    ]
    return stage.part(
        "where_it_looks",
        title=text["it"],
        head=name_of(s.head),
        names=list(shown.head_names),
        rows=[row | {"shares": row["shares"].tolist()} for row in rows],
        texts=text.parts("it") | {"says": text.plain("it/says", **what_it_shows(shown))},
    )


def what_it_shows(shown: Shown) -> dict[str, str]:
    """The figures of *it*, over all heads: how often each claim holds."""
    right_way = (shown.moves > 0).all(axis=0)
    counts = {
        "heads": len(shown.head_names),
        "first": (shown.moves[0] > 0).sum(),
        "second": (shown.moves[1] > 0).sum(),
        "both": right_way.sum(),
        "chance": len(shown.head_names) // 2 ** len(PAIRS),
        "sentences": len(IT),
        "lead": (shown.right_leads == len(IT)).sum(),
        "halves": (shown.right_leads == len(IT) // 2).sum(),
    }
    return {name: str(int(count)) for name, count in counts.items()}


def against_deletion(state: State, shown: Shown) -> stage.Part:
    """Of each token the weight it is given, by all heads and by the one shown, and what its deletion changes."""
    sentence, text = galleries.sentence_of(state.values), state.text
    run, here = sentence.run, galleries.agreement(sentence.run, sentence.received)
    mean, least, most = shown.agreement
    figures: dict[str, Any] = {"mean": mean, "least": least, "most": most, "here": here}
    sizes = [len(each.deletion) for each in shown.runs]
    counts = {"n": len(run.deletion), "fewest": min(sizes), "largest": max(sizes), "count": len(sizes)}
    counts = {name: str(count) for name, count in counts.items()}
    return stage.part(
        "against_deletion",
        title=text["deletion"],
        head=name_of(s.head),
        names=list(shown.head_names),
        words=s.sentence,
        labels=list(sentence.names),
        received=s.received,
        weights=s.unraised,
        marks=run.marks,
        deletion=run.deletion.astype(float).tolist(),
        of_heads=[None if np.isnan(each) else float(each) for each in shown.agreement_of_heads],
        texts=text.parts("deletion")
        | {
            "head": text.plain("deletion/head", **counts),
            "says": text.plain(
                "deletion/says", **counts, **{name: signed(figure) for name, figure in figures.items()}
            ),
        },
        of=chosen(state),
    )


def signed(number: float) -> str:
    """A correlation as it is written."""
    return "–" if np.isnan(number) else f"{number:.2f}".replace("-", "−")
