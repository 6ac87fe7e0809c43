"""What lies on the stage: a sentence in all heads and in one, a word in its senses, *it*, weight and deletion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from attention_lab import figure as stage
from attention_lab.calculation import Results, name_of
from attention_lab.state.page_state import PageState

from . import galleries
from .calculation import CALCULATION as s
from .calculation import chosen
from .fields import HIGHEST
from .galleries import IT, KINDS, PAIRS, Shown
from .goals import ALWAYS, GOALS, LESS, LITTLE, MOSTLY, NOTEWORTHY

OWN_PARTS = stage.OwnParts("real_model", Path(__file__).parent)
MOST_NUMBERS = 24  # tokens: of a larger pattern no numbers can be read


def on_stage(page: PageState, now: Results) -> list[stage.Column]:
    """A sentence in all heads and in one, and how its numbers are made; senses; *it*; weight and deletion."""
    shown, text = galleries.shown(page.model), page.text
    return [
        stage.goals(page, suiting(shown), now, names=named()),
        stage.Column(
            [
                stage.pictured(arcs(page)),
                stage.pictured(all_heads(page, shown)),
                measured(page, shown),
                *sinks(page, shown),
            ],
            share=1.6,
            least=560,
        ),
        stage.Column([*large(page), raised(page)], share=1.15, least=330),
        *(parting(page, shown) if shown.senses else []),
        *([pronoun(page, shown)] if shown.knows_it else []),
        stage.Column([stage.heading(text["deletion"]), against_deletion(page, shown)], share=1, least=400),
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


def arcs(page: PageState) -> stage.Part:
    """Whom the chosen token looks at in the head shown."""
    return stage.anew(stage.arcs({"": s.pattern}, title=page.text["arcs"]))


def kinds(page: PageState, *, long: bool = False) -> dict[str, str]:
    """What a head can do, in words; in a model without marks the ends are tokens."""
    marks = galleries.shown(page.model).runs[0].marks
    found = {kind: f"kinds/{kind}{'_long' if long else ''}" for kind in KINDS}
    return {
        kind: page.text.plain(name if marks or f"{name}_plain" not in page.text else f"{name}_plain")
        for kind, name in found.items()
    }


def all_heads(page: PageState, shown: Shown) -> stage.Part:
    """Every head of every layer, small."""
    labels = list(kinds(page).values())
    heads = [
        {"name": name, "label": labels[most], "share": float(shown.does[head, most])}
        for head, name in enumerate(shown.head_names)
        for most in [shown.does_most(head)]
    ]
    return stage.part(
        "head_grid",
        title=page.text.filled("heads", count=str(len(heads))),
        head=name_of(s.head),
        scores=s.real["scores"],
        turned=page.orientation == "columns",
        layers=[page.text.filled("heads/layer", layer=str(layer + 1)) for layer in range(shown.layers)],
        heads=heads,
        texts=page.text.parts("heads"),
    )


def large(page: PageState) -> list[stage.Part]:
    """The pattern of the head shown, large, and how the number pointed at is made."""
    count = len(galleries.sentence_of(page.memory.values).names)
    pattern = stage.pattern(page, s.pattern, s.scores, quiet=count > MOST_NUMBERS)
    return [stage.heading(page.text["pattern"]), stage.pictured(stage.anew(pattern))]


def raised(page: PageState) -> stage.Part:
    """What is added to the score of the pair."""
    return stage.slider(
        s.raised,
        page.text["raised"],
        axis=page.text["raised/axis"],
        low=-HIGHEST,
        high=HIGHEST,
        ticks=[0],
    )


def measured(page: PageState, shown: Shown) -> stage.Part:
    """What the head shown does, over all sentences."""
    return stage.measured(
        s.head,
        shown.head_names,
        kinds(page, long=True),
        shown.does,
        title=page.text["measured"],
        texts={"head": page.text.filled("measured/head", count=str(len(shown.runs)))},
    )


def sinks(page: PageState, shown: Shown) -> list[stage.Part]:
    """How many heads are attention sinks, and the evidence for it: how short the values there are."""
    ratios = shown.value_ratios[shown.sinks]
    if not len(ratios):
        return []
    least, most = (f"{100 * ratio:.0f}" for ratio in (ratios.min(), ratios.max()))
    counts = {"count": str(len(ratios)), "heads": str(len(shown.sinks)), "sentences": str(len(shown.runs))}
    return [stage.remark(page.text.plain("measured/sinks", least=least, most=most, **counts))]


# A word in its senses -------------------------------------------------------------------------------------


def parting(page: PageState, shown: Shown) -> list[stage.Column]:
    """The plane of a word in its senses, and beside it its layers and texts."""
    drawn = [stage.heading(page.text["senses"]), which_sense(page, shown), in_senses(page, shown)]
    beside = [depth(page, shown), alike(page, shown), baseline(page, shown), sense_texts(page, shown)]
    return [stage.Column(drawn, share=1.1, least=400), stage.Column(beside, share=1, least=330)]


def states(page: PageState, shown: Shown) -> list[str]:
    """What each state of a token is called."""
    after = [page.text.filled("states/after", layer=str(layer + 1)) for layer in range(shown.layers)]
    return [page.text["states/start"], *after]


def which_sense(page: PageState, shown: Shown) -> stage.Part:
    """The word shown in its senses, and how far these part, said from the numbers."""
    same, unlike = (cosines[:, -1] for cosines in shown.cosines)
    gaps = same - unlike
    says = [
        page.text.filled(
            "senses/hardly" if gap <= LESS * gaps.max() else "senses/parts",
            same=f"{one:.3f}",
            unlike=f"{other:.3f}",
            gap=f"{gap:.3f}",
            times=f"{gaps.max() / gap:.1f}",
            layers=str(shown.layers),
        )
        for one, other, gap in zip(same, unlike, gaps, strict=True)
    ]
    return stage.options(s.sense, page.text["senses/which"], list(shown.senses), says=says)


def in_senses(page: PageState, shown: Shown) -> stage.Part:
    """Where its senses part."""
    mark = stage.senses(s.in_senses, s.in_senses_at, s.sense, hints=s.sense_hints, groups=s.sense_groups)
    spread = [f"{word} {100 * each.spread:.0f} %" for word, each in shown.partings.items()]
    far = max(each.reach for each in shown.partings.values())
    return stage.plane(
        page,
        [page.text["senses/first"], page.text["senses/second"]],
        [mark],
        low=-far,
        high=far,
        title=page.text.plain("senses/figure"),
        hint="",
        caption=page.text.plain("senses/spread", spread=", ".join(spread)),
    )


def depth(page: PageState, shown: Shown) -> stage.Part:
    """After how many layers the senses are shown."""
    return stage.slider(
        s.depth,
        page.text["senses/depth"],
        axis=page.text["senses/layers"],
        low=0,
        high=shown.layers,
        ticks=list(range(shown.layers + 1)),
    )


def alike(page: PageState, shown: Shown) -> stage.Part:
    """How alike the word's vectors are, layer by layer."""
    return stage.cosines(
        s.sense,
        [
            (name, s.same[s.sense, layer], s.unlike[s.sense, layer])
            for layer, name in enumerate(states(page, shown))
        ],
        [list(dict.fromkeys(each.senses)) for each in shown.senses.values()],
        title=page.text["cosines"],
        texts=page.text.parts("cosines"),
    )


def baseline(page: PageState, shown: Shown) -> stage.Part:
    """What the cosine of unrelated words is, to read the others against."""
    before, after = (f"{shown.baseline[layer]:.2f}" for layer in (0, -1))
    most = f"{shown.baseline.max():.2f}"
    layers = {"layer": str(shown.baseline.argmax()), "layers": str(shown.layers)}
    return stage.remark(page.text.plain("cosines/baseline", before=before, after=after, most=most, **layers))


def sense_texts(page: PageState, shown: Shown) -> stage.Part:
    """The texts by their numbers on the plane."""
    words = [
        [
            {"text": text, "group": group}
            for text, group in zip(each.texts, galleries.groups_of(each.senses), strict=True)
        ]
        for each in shown.senses.values()
    ]
    return stage.part("sense_texts", title=page.text["senses/texts"], sense=name_of(s.sense), words=words)


# Where *it* looks, and what weight says --------------------------------------------------------------------


def pronoun(page: PageState, shown: Shown) -> stage.Column:
    """Where *it* looks, under its heading."""
    return stage.Column([stage.heading(page.text["it"]), where_it_looks(page, shown)], least=400)


def where_it_looks(page: PageState, shown: Shown) -> stage.Part:
    """The weight from *it* to the two nouns in the head shown; below, what can be said of all heads."""
    names, text = list(IT), page.text
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


def against_deletion(page: PageState, shown: Shown) -> stage.Part:
    """Of each token the weight it is given, by all heads and by the one shown, and what its deletion changes."""
    sentence, text = galleries.sentence_of(page.memory.values), page.text
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
        of=chosen(page),
    )


def signed(number: float) -> str:
    """A correlation as it is written."""
    return "–" if np.isnan(number) else f"{number:.2f}".replace("-", "−")
