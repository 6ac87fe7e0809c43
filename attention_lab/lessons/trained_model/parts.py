"""What lies on the stage: the text, one head large, all heads small, the next word, what an exchange changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attention_core.models import grammar
from attention_core.models.language_model import QUESTIONS
from controls import stage
from controls.calculation import Results, name_of
from controls.page_state import PageState

from . import models
from .calculation import CALCULATION as s
from .calculation import HALF, does, given
from .fields import LONGEST, OPENINGS, numbers_of
from .goals import suiting
from .models import HEAD_NAMES, HEADS, KINDS, LAYERS, SENSES

OWN_PARTS = stage.OwnParts("trained_model", Path(__file__).parent)
FEW = 3  # answers that are named one by one
LEFT, RIGHT = 630, 345  # pixels at least, of two columns: never three


def on_stage(page: PageState, now: Results) -> list[stage.Column]:
    """The text; one head large beside what is said next, all heads small; below, what an exchange changes."""
    text = page.text
    return [
        stage.goals(page, suiting(page), now, begin=before_anything(page), names=named(page)),
        stage.Column([written(page)], least=stage.WHOLE_WIDTH),
        stage.Column([stage.pictured(arcs(page))], share=2, least=LEFT, turn=3),
        stage.Column([next_words(page)], share=1, least=RIGHT, turn=2),
        stage.Column([stage.pictured(all_heads(page))], share=2, least=LEFT, turn=1),
        stage.Column([measured(page)], share=1, least=RIGHT, turn=4),
        stage.Column([stage.heading(text["ripple"]), ripple(page)], share=2, least=LEFT, turn=5),
        stage.Column(large(page), share=1, least=RIGHT, turn=6),
        stage.Column([stage.heading(text["senses"]), which_sense(page), in_senses(page)], least=400, turn=7),
        stage.Column([depth(page), alike(page), stage.remark(text["senses/remark"])], least=330, turn=8),
    ]


def before_anything(page: PageState) -> dict[str, Any]:
    """How things were before a hand changed them, for the progress towards a goal."""
    begun = numbers_of(OPENINGS[page.opening][0])
    return {"tokens": begun, "before": begun}


def named(page: PageState) -> dict[str, str]:
    """What goals and guesses call by name: the answers of both openings, the heads to be left."""
    known = given(page.model, page.opening)
    words = {"answer": grammar.WORDS[known["answer"]], "twin": grammar.WORDS[known["twin_answer"]]}
    return words | {"count": str(known["heads_to_keep"]), "least": f"{100 * HALF:.0f}"}


def written(page: PageState) -> stage.Part:
    """The text under the hand, and the pair that it begins with."""
    text = page.text
    twins = []
    for words in OPENINGS[page.opening]:
        tokens = [int(number) for number in numbers_of(words)[0]]
        said = grammar.WORDS[int(models.says(page.model, tuple(tokens)).argmax())]
        twins.append({"tokens": tokens, "text": " ".join(words), "says": said})
    return stage.part(
        "written",
        title=text["written"],
        tokens=name_of(s.tokens),
        before=name_of(s.before),
        word=name_of(s.word),
        vocabulary=s.vocabulary,
        next=s.now.next_word,
        longest=LONGEST,
        kin=s.kin,
        twins=twins,
        texts=text.parts("written"),
    )


def arcs(page: PageState) -> stage.Part:
    """Whom the chosen word looks at in the head shown."""
    return stage.anew(
        stage.arcs(
            {"": s.pattern},
            title=page.text["arcs"],
            on=s.strengths,
            which=s.head,
            whichever=[page.text.plain("arcs/head", head=name) for name in HEAD_NAMES],
        )
    )


def all_heads(page: PageState) -> stage.Part:
    """Every head of every layer, small, with its dimmer."""
    text = page.text
    heads = []
    for head, name in enumerate(HEAD_NAMES):
        share = models.does_most(page.model, head)[1]
        mixed = True if share < HALF else None
        heads.append({"name": name, "label": does(page.model, head), "share": share, "mixed": mixed})
    return stage.part(
        "all_heads",
        title=text["heads"],
        dimmed=name_of(s.dimmed),
        head=name_of(s.head),
        weights=s.now.weights,
        turned=page.orientation == "columns",
        layers=[text.filled("heads/layer", layer=str(layer + 1)) for layer in range(LAYERS)],
        heads=heads,
        texts=text.parts("heads"),
    )


def states(page: PageState) -> list[str]:
    """What each state of a word is called."""
    text = page.text
    after = [text.filled("states/after", layer=str(layer + 1)) for layer in range(LAYERS)]
    return [text["states/start"], *after]


def next_words(page: PageState) -> stage.Part:
    """What is said next, state by state."""
    text = page.text
    return stage.part(
        "next_words",
        title=text["next"],
        shares=s.now.next_word,
        vocabulary=s.vocabulary,
        tokens=name_of(s.tokens),
        before=name_of(s.before),
        word=name_of(s.word),
        longest=LONGEST,
        states=states(page),
        texts=text.parts("next"),
    )


def measured(page: PageState) -> stage.Part:
    """What the head shown was measured to do."""
    text = page.text
    found = models.shown(page.model).measured
    own = {layer * HEADS + head: place for place, (layer, head) in enumerate(QUESTIONS.values())}
    asked = page.model == "readable"
    told = {"count": str(models.MEASURED), "tried": str(models.SWITCHED)}
    return stage.measured(
        s.head,
        HEAD_NAMES,
        {kind: text.plain(f"kinds/{kind}_long") for kind in KINDS},
        [[float(found[kind][head]) for kind in KINDS] for head in range(len(HEAD_NAMES))],
        title=text["measured"],
        own=[own.get(head) if asked else None for head in range(len(HEAD_NAMES))],
        without=without(page),
        notes=[one_below(page, head) for head in range(len(HEAD_NAMES))],
        texts={name: text.plain(f"measured/{name}", **told) for name in text.parts("measured")},
    )


def without(page: PageState) -> dict[str, Any]:
    """How many next words are right without the head shown: counted once it is asked for."""
    head = HEAD_NAMES.index(page.head)
    whole, off = (models.answers_without(page.model, each) for each in (None, head))
    rows = [
        {
            "name": kind,
            "label": page.text.plain(f"answers/{kind}"),
            "whole": whole[kind],
            "off": off[kind],
            "broken": whole[kind] - off[kind] > models.LOST,
        }
        for kind in sorted(whole)
    ]
    return {"head": head, "rows": rows, "says": verdict(page, head, rows)}


def verdict(page: PageState, head: int, rows: list[dict[str, Any]]) -> str:
    """Whether what a head looks at is what breaks without it, in a sentence."""
    text, (kind, share) = page.text, models.does_most(page.model, head)
    lost = {row["name"]: row["whole"] - row["off"] for row in rows if row["broken"]}
    broken = sorted(lost, key=lost.get, reverse=True)
    label = {row["name"]: text.plain("verdict/named", answer=row["label"]) for row in rows}
    few = len(broken) <= FEW
    told = {
        "looks": text.plain(f"looks_at/{kind}"),
        "stays": label.get(kind, ""),
        "breaks": ", ".join(map(label.get, broken))
        if few
        else text.plain("verdict/many", count=str(len(broken)), all=str(len(rows))),
    }
    if share < HALF:
        found = "mixed" if broken else "idle"
    elif not broken:
        found = "nothing"
    elif kind not in label:
        found = "needed"
    else:
        found = "agree" if kind in broken else "stays"
    return text.plain(f"verdict/{found}", **told)


def one_below(page: PageState, head: int) -> str:
    """Which other answers a head that looks at the word before has, because they are the word before."""
    most, share = models.does_most(page.model, head)
    if most != "previous" or share < HALF:
        return ""
    found = models.shown(page.model).measured
    same = [kind for kind in models.before_itself() if found[kind][head] >= HALF]
    others = ", ".join(page.text.plain(f"kinds/{kind}_long") for kind in same)
    return page.text.plain("measured/one_below", other=others) if same else ""


def large(page: PageState) -> list[stage.Part]:
    """The pattern of the head shown, large."""
    pattern = stage.pattern(page, s.pattern, s.scores, row=s.word, column=None)
    return [stage.heading(page.text["pattern"]), stage.anew(pattern)]


def ripple(page: PageState) -> stage.Part:
    """What an exchanged word changes, state by state."""
    text = page.text
    return stage.part(
        "ripple",
        title=text["ripple"],
        change=s.change,
        now=s.now,
        earlier=s.earlier,
        words=s.words,
        sentence=s.sentence,
        sentence_before=s.sentence_before,
        vocabulary=s.vocabulary,
        exchanged=s.exchanged,
        heads=HEAD_NAMES,
        head=name_of(s.head),
        word=name_of(s.word),
        states=states(page),
        texts=text.parts("ripple"),
    )


def which_sense(page: PageState) -> stage.Part:
    """The word that is shown in its senses."""
    return stage.options(s.sense, page.text["senses/which"], list(SENSES))


def in_senses(page: PageState) -> stage.Part:
    """Where its senses part."""
    text = page.text
    drawn = {word: models.parting(page.model, word) for word in SENSES}
    mark = stage.senses(
        s.in_senses,
        s.in_senses_at,
        s.sense,
        axes=s.sense_axes,
        hints=s.sense_hints,
        groups=s.sense_groups,
    )
    far = max(each.reach for each in drawn.values())
    shown = {word: f"{100 * each.spread:.0f}" for word, each in drawn.items()}
    return stage.plane(
        page,
        [text["senses/first"], text["senses/second"]],
        [mark],
        low=-far,
        high=far,
        title=text.plain("senses/figure"),
        hint="",
        caption=text.plain("senses/spread", **shown),
    )


def depth(page: PageState) -> stage.Part:
    """After how many layers the senses are shown."""
    text = page.text
    return stage.slider(
        s.depth,
        text["senses/depth"],
        axis=text["senses/layers"],
        low=0,
        high=LAYERS,
        ticks=list(range(LAYERS + 1)),
    )


def alike(page: PageState) -> stage.Part:
    """How alike its vectors are, layer by layer."""
    text = page.text
    return stage.cosines(
        s.sense,
        [(name, s[f"same_{layer}"], s[f"unlike_{layer}"]) for layer, name in enumerate(states(page))],
        [models.in_senses(word).names for word in SENSES],
        title=text["cosines"],
        texts=text.parts("cosines"),
    )
