"""What lies on the stage: a sentence in all heads and in one, a word in its senses, *it*, weight and deletion."""

from collections.abc import Sequence

import numpy as np

from attention_lab import figure as stage
from attention_lab.calculation import Results, name_of
from attention_lab.figure import models
from attention_lab.lesson import Hidden
from attention_lab.state.state import State
from attention_lab.text import listed
from attention_lab.text.number_format import format_fixed, format_percent, format_percentage

from . import galleries
from .calculation import CALCULATION as s
from .fields import GOAL_NAMES, HIGHEST
from .galleries import IT, KINDS, PAIRS, MeasuredGallery
from .goals import ALWAYS, GOALS, LESS, LITTLE, MOSTLY, NOTEWORTHY

SINK = "sink"
MOST_NUMBERS = 24  # tokens: of a larger pattern no numbers can be read


def draw(state: State, now: Results, hidden: Hidden) -> list[stage.Column]:
    """A sentence in all heads and in one; folded: one head in detail, senses, *it*, deletion."""
    gallery = galleries.measured_gallery(state.model)
    first = "first" if names_sinks(gallery) else "first_plain"
    arcs = stage.rebuild_on(stage.arcs({"": s.pattern}, title=state.text["arcs"], upright=True))
    told = [] if hidden[0] else sinks(state, gallery)  # which token they name is asked
    # what the signs in the tokens mean, of a model that has such signs
    pieces = [stage.remark(state.text.plain("pieces"))] if gallery.has_special_tokens else []
    return [
        stage.goals(state, reachable_goals(gallery), now, names=named(gallery), first=first),
        stage.Column([stage.pictured(all_heads(state, gallery)), *told], share=4, least=560),
        stage.Column([stage.pictured(arcs), *pieces], share=1, least=300),
        stage.Column(folds(state, gallery), least=stage.WHOLE_WIDTH),
    ]


def names_sinks(gallery: MeasuredGallery) -> bool:
    """Whether the model has attention sinks that are special tokens."""
    return bool(gallery.sinks.any() and gallery.has_special_tokens)


def folds(state: State, gallery: MeasuredGallery) -> list[stage.Part]:
    """What a reader opens, or a goal."""
    text, place = state.text, GOAL_NAMES.index
    closer = [
        stage.Column([*large(state), raised(state)], share=1.15, least=330),
        stage.Column([measured(state, gallery)], share=1, least=330),
    ]
    deletion = stage.Column([against_deletion(state, gallery)], least=330)
    result = [stage.fold(text["closer"], *closer, goals=[place("half")])]
    if gallery.senses:
        result.append(stage.fold(text["senses"], *parting(state, gallery), goals=[place("together")]))
    if gallery.knows_it:
        column = stage.Column([where_it_looks(state, gallery)], least=330)
        result.append(stage.fold(text["it"], column, goals=[place("noun")]))
    return [*result, stage.fold(text["deletion"], deletion)]


def reachable_goals(gallery: MeasuredGallery) -> list[stage.Part]:
    """The goals that the model leaves to be reached."""
    reachable = {
        "look_back": gallery.does[:, KINDS.index("previous")].max() >= ALWAYS,
        "rests": gallery.does[:, KINDS.index("first")].max() >= MOSTLY,
        "noun": gallery.moves.min(axis=0).max() >= NOTEWORTHY,
    }
    return [goal for goal in GOALS if reachable.get(goal.name, True)]


def named(gallery: MeasuredGallery) -> dict[str, str]:
    """What goals call by name: their bounds."""
    bounds = {"always": ALWAYS, "mostly": MOSTLY, "little": LITTLE}
    same, unlike = (cosines[0, -1] for cosines in gallery.cosines)
    least = {"moved": format_fixed(100 * NOTEWORTHY, 0), "most_gap": format_fixed(LESS * (same - unlike), 4)}
    return {name: format_percentage(bound) for name, bound in bounds.items()} | least


# The sentence in all heads and in one ---------------------------------------------------------------------


def kinds(state: State, of: str = "kinds", more: Sequence[str] = ()) -> dict[str, str]:
    """What a head can do, in words; in a model without special tokens the ends are tokens like others."""
    marks = galleries.measured_gallery(state.model).has_special_tokens
    result = {kind: f"{of}/{kind}" for kind in (*KINDS, *more)}
    return {
        kind: state.text[name if marks or f"{name}_plain" not in state.text else f"{name}_plain"]
        for kind, name in result.items()
    }


def all_heads(state: State, gallery: MeasuredGallery) -> stage.Part:
    """Every head of every layer, small, and what the one pointed at does most."""
    heads = [
        {
            "name": name,
            "kind": SINK if gallery.sinks[head] else KINDS[most],
            "share": float(gallery.does[head, most]),
            "ratio": float(gallery.value_ratios[head]),
        }
        for head, name in enumerate(gallery.head_names)
        for most in [int(gallery.does[head].argmax())]
    ]
    return stage.part(
        "head_grid",
        title=state.text.filled("heads", count=str(len(heads))),
        axes=state.text.plain("heads/axes"),
        head=name_of(s.head),
        scores=s.real["scores"],
        turned=state.orientation == "columns",
        layers=[state.text.filled("heads/layer", layer=str(layer + 1)) for layer in range(gallery.layers)],
        heads=heads,
        texts=kinds(state, "attends", [SINK]),
    )


def large(state: State) -> list[stage.Part]:
    """The pattern of the head shown, large, and how the number pointed at is made."""
    count = len(galleries.sentence_of(state.values).names)
    pattern = stage.pattern(state, s.pattern, s.scores, quiet=count > MOST_NUMBERS)
    return [stage.heading(state.text["pattern"]), stage.rebuild_on(pattern)]


def raised(state: State) -> stage.Part:
    """What is added to the score of the pair."""
    return stage.slider(
        s.raised,
        state.text.around("raised", word=s.words[s.word], other=s.words[s.other]),
        axis=state.text["raised/axis"],
        low=-HIGHEST,
        high=HIGHEST,
        ticks=[0],
    )


def measured(state: State, gallery: MeasuredGallery) -> stage.Part:
    """What the head shown does, over all sentences."""
    return stage.measured(
        s.head,
        gallery.head_names,
        kinds(state),
        gallery.does,
        title=state.text["measured"],
        texts={"head": state.text.filled("measured/head", count=str(len(gallery.runs)))},
    )


def sinks(state: State, gallery: MeasuredGallery) -> list[stage.Part]:
    """How many heads are attention sinks, and the evidence for it: how short the values there are."""
    ratios = gallery.value_ratios[gallery.sinks]
    if not len(ratios):
        return []
    least, most = (format_fixed(100 * ratio, 0) for ratio in (ratios.min(), ratios.max()))
    counts = {"count": str(len(ratios)), "heads": str(len(gallery.sinks)), "sentences": str(len(gallery.runs))}
    section = "sinks" if names_sinks(gallery) else "sinks_plain"
    return [stage.remark(state.text.plain(section, least=least, most=most, **counts))]


# A word in its senses -------------------------------------------------------------------------------------


def parting(state: State, gallery: MeasuredGallery) -> list[stage.Column]:
    """The plane of a word in its senses, and beside it its layers and texts."""
    drawn = [which_sense(state, gallery), in_senses(state, gallery)]
    beside = [
        models.depth(state, s.depth, gallery.layers),
        alike(state, gallery),
        baseline(state, gallery),
        sense_texts(state, gallery),
    ]
    return [stage.Column(drawn, share=1.1, least=400), stage.Column(beside, share=1, least=330)]


def which_sense(state: State, gallery: MeasuredGallery) -> stage.Part:
    """The word shown in its senses, and how far these part, said from the numbers."""
    same, unlike = (cosines[:, -1] for cosines in gallery.cosines)
    gaps = same - unlike
    descriptions = [
        state.text.filled(
            "senses/hardly" if gap <= LESS * gaps.max() else "senses/parts",
            same=format_fixed(one, 3),
            unlike=format_fixed(other, 3),
            gap=format_fixed(gap, 3),
            times=format_fixed(gaps.max() / gap, 1),
            layers=str(gallery.layers),
        )
        for one, other, gap in zip(same, unlike, gaps, strict=True)
    ]
    return stage.options(s.sense, state.text["senses/which"], list(gallery.senses), descriptions=descriptions)


def in_senses(state: State, gallery: MeasuredGallery) -> stage.Part:
    """Where its senses part."""
    mark = stage.senses(s.in_senses, s.in_senses_at, s.sense, hints=s.sense_hints, groups=s.sense_groups)
    spread = [f"{word} {format_percent(round(100 * each.spread))}" for word, each in gallery.partings.items()]
    far = max(each.reach for each in gallery.partings.values())
    return models.plane_of_senses(state, mark, far, spread=listed(spread))


def alike(state: State, gallery: MeasuredGallery) -> stage.Part:
    """How alike the word's vectors are, layer by layer."""
    return stage.cosines(
        s.sense,
        [
            (name, s.same[s.sense, layer], s.unlike[s.sense, layer])
            for layer, name in enumerate(models.states(state.text, gallery.layers))
        ],
        [list(dict.fromkeys(each.senses)) for each in gallery.senses.values()],
        title=state.text["cosines"],
        texts=state.text.parts("cosines"),
    )


def baseline(state: State, gallery: MeasuredGallery) -> stage.Part:
    """What the cosine of unrelated words is, to read the others against."""
    before, after = (format_fixed(gallery.baseline[layer]) for layer in (0, -1))
    most = format_fixed(gallery.baseline.max())
    layers = {"layer": str(gallery.baseline.argmax()), "layers": str(gallery.layers)}
    return stage.remark(state.text.plain("cosines/baseline", before=before, after=after, most=most, **layers))


def sense_texts(state: State, gallery: MeasuredGallery) -> stage.Part:
    """The texts by their numbers on the plane."""
    words = [
        [
            {"text": text, "group": group}
            for text, group in zip(each.texts, galleries.groups_of(each.senses), strict=True)
        ]
        for each in gallery.senses.values()
    ]
    return stage.part("sense_texts", title=state.text["senses/texts"], sense=name_of(s.sense), words=words)


# Where *it* looks, and what weight says --------------------------------------------------------------------


def where_it_looks(state: State, gallery: MeasuredGallery) -> stage.Part:
    """The weight from *it* to the two nouns in the head shown; below, what can be said of all heads."""
    rows = [
        {
            "last": gallery.gallery.runs[name].text.split()[-1],
            "nouns": sorted(nouns),
            "right": sorted(nouns).index(nouns[0]),
            "shares": (shares if nouns[0] == min(nouns) else shares[:, ::-1]).tolist(),
        }
        for (name, nouns), shares in zip(IT.items(), gallery.it, strict=True)
    ]
    text = state.text
    return stage.part(
        "where_it_looks",
        title=text["it"],
        head=name_of(s.head),
        names=list(gallery.head_names),
        rows=rows,
        texts=text.parts("it") | {"says": text.plain("it/says", **what_it_shows(gallery))},
    )


def what_it_shows(gallery: MeasuredGallery) -> dict[str, str]:
    """The figures of *it*, over all heads: how often each claim holds."""
    right_way = (gallery.moves > 0).all(axis=0)
    counts = {
        "heads": len(gallery.head_names),
        "first": (gallery.moves[0] > 0).sum(),
        "second": (gallery.moves[1] > 0).sum(),
        "both": right_way.sum(),
        "chance": len(gallery.head_names) // 2 ** len(PAIRS),
        "sentences": len(IT),
        "lead": gallery.right_leads.all(axis=0).sum(),
        "same": gallery.same_leads.sum(),
    }
    return {name: str(int(count)) for name, count in counts.items()}


def against_deletion(state: State, gallery: MeasuredGallery) -> stage.Part:
    """Of each token the weight it is given, by all heads and by the one shown, and what its deletion changes."""
    sentence, text = galleries.sentence_of(state.values), state.text
    run, here = sentence.run, galleries.agreement(sentence.run, sentence.received)
    mean, least, most = gallery.agreement
    correlations = {"mean": mean, "least": least, "most": most, "here": here}
    signed = {name: "–" if np.isnan(each) else format_fixed(each) for name, each in correlations.items()}
    sizes = [len(each.deletion) for each in gallery.runs]
    counts = {"n": len(run.deletion), "fewest": min(sizes), "largest": max(sizes), "count": len(sizes)}
    counts = {name: str(count) for name, count in counts.items()}
    return stage.part(
        "against_deletion",
        title=text["deletion"],
        head=name_of(s.head),
        names=list(gallery.head_names),
        words=s.sentence,
        labels=list(sentence.names),
        received=s.received,
        weights=s.unraised,
        marks=run.marks,
        deletion=run.deletion.astype(float).tolist(),
        of_heads=[None if np.isnan(each) else float(each) for each in gallery.agreement_of_heads],
        texts=text.parts("deletion")
        | {
            "head": text.plain("deletion/head", **counts),
            "says": text.plain("deletion/says", **counts, **signed),
        },
        of=state.values["text"],
    )
