"""What lies on the stage: one head and the next word, all heads; in folds the text, a word in its senses."""

from collections.abc import Sequence
from typing import Any

from attention_core.models import grammar
from attention_core.models.language_model import MEASURED, QUESTIONS
from attention_lab import figure, language_models
from attention_lab.calculation import Results, name_of
from attention_lab.figure import models
from attention_lab.language_models import (
    ALL_ON,
    HEAD_NAMES,
    HEADS,
    KINDS,
    LAYERS,
    SENSES,
    to_tokens,
    token_numbers,
)
from attention_lab.lesson import Hidden
from attention_lab.state.state import State
from attention_lab.text import listed
from attention_lab.text.number_format import format_fixed, format_percentage, format_share

from .calculation import CALCULATION as s
from .calculation import HALF, constants, does
from .fields import OPENINGS
from .goals import LEFT as LEFT_OF_PARTING
from .goals import other_answer, reachable_goals, undecided

FEW = 3  # answers that are named one by one
LEFT, RIGHT = 630, 345  # pixels at least, of two columns: never three


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """One head and what is predicted next; all heads, small; in folds another text and the senses."""
    heads = [figure.heading(state.text["folds/heads"]), all_heads(state), figure.remark(state.text["model"])]
    return [
        figure.goals(
            state,
            reachable_goals(state),
            now,
            begin=dict.fromkeys(("tokens", "before"), to_tokens(OPENINGS[state.opening][0])),
            names=named(state),
        ),
        figure.Column([figure.pictured(arcs(state)), dimmer(state)], share=2, least=LEFT),
        figure.Column([figure.pictured(next_words(state))], share=1, least=RIGHT),
        figure.Column(heads, least=figure.WHOLE_WIDTH),
        figure.Column(folds(state), least=figure.WHOLE_WIDTH),
    ]


def folds(state: State) -> list[figure.Part]:
    """What is not needed at first, each under its title."""
    text, goals = state.text, state.options("goal")

    def fold(name: str, *columns: figure.Column, opens_for: Sequence[str] = (), **more: Any) -> figure.Part:
        places = [goals.index(goal) for goal in opens_for]
        return figure.fold(text[f"folds/{name}"], *columns, goals=places, **more)

    pattern = figure.pattern(state, s.pattern, s.scores, row=s.word, column=None)
    which = figure.options(s.sense, text["senses/which"], list(SENSES))
    heading, remark = figure.heading(text["cosines"]), figure.remark(text["senses/remark"])
    return [
        figure.fold(text["pattern"], figure.Column([figure.rebuild_on(pattern)], least=RIGHT)),
        fold("measured", figure.Column([measured(state)], least=RIGHT)),
        fold(
            "text",
            figure.Column([written(state)], least=figure.WHOLE_WIDTH),
            figure.Column([figure.heading(text["ripple"]), ripple(state)], least=figure.WHOLE_WIDTH),
            opens_for=[other_answer],
            opened_by=s.exchanged >= 1,
        ),
        fold(
            "senses",
            figure.Column([which, in_senses(state)], least=400),
            figure.Column([models.depth(state, s.depth, LAYERS), heading, alike(state), remark], least=330),
            opens_for=[undecided],
        ),
    ]


def named(state: State) -> dict[str, str]:
    """What goals and guesses call by name: the answers of both openings, the heads to be left."""
    known = constants(state.model, state.opening)
    words = {"answer": grammar.WORDS[known["answer"]], "twin": grammar.WORDS[known["twin_answer"]]}
    first = token_numbers(OPENINGS[state.opening][0])
    numbers = {
        "count": str(known["heads_to_keep"]),
        "least": format_percentage(HALF),
        "half": format_share(HALF * float(language_models.next_word_probabilities(state.model, first).max())),
        "aim": format_fixed(LEFT_OF_PARTING * language_models.apart(state.model, SENSES[0], ALL_ON)),
    }
    return words | numbers


def written(state: State) -> figure.Part:
    """The text under the hand, and the pair that it begins with."""
    text = state.text
    twins = []
    for words in OPENINGS[state.opening]:
        tokens = token_numbers(words)
        said = grammar.WORDS[int(language_models.next_word_probabilities(state.model, tokens).argmax())]
        twins.append({"tokens": list(tokens), "text": " ".join(words), "says": said})
    return figure.part(
        "written",
        title=text["written"],
        tokens=name_of(s.tokens),
        before=name_of(s.before),
        word=name_of(s.word),
        vocabulary=s.vocabulary,
        next=s.now.next_word,
        longest=grammar.LONGEST,
        substitutes=s.substitutes,
        twins=twins,
        texts=text.parts("written"),
    )


def arcs(state: State) -> figure.Part:
    """Whom the chosen word looks at in the head shown."""
    return figure.rebuild_on(
        figure.arcs(
            {"": s.pattern},
            title=state.text["arcs"],
            on=s.strengths,
            upright=True,
            which=s.head,
            whichever=[state.text.plain("arcs/head", head=name) for name in HEAD_NAMES],
        )
    )


def dimmer(state: State) -> figure.Part:
    """How strong the head shown is, under the hand."""
    return figure.part(
        "head_dimmer",
        title=state.text["dimmer"],
        dimmed=name_of(s.dimmed),
        head=name_of(s.head),
        heads=list(HEAD_NAMES),
        texts=state.text.parts("dimmer"),
    )


def all_heads(state: State) -> figure.Part:
    """Every head of every layer, small, with a button that switches it."""
    text = state.text
    heads = []
    for head, name in enumerate(HEAD_NAMES):
        share = language_models.does_most(state.model, head)[1]
        mixed = True if share < HALF else None
        heads.append({"name": name, "label": does(state.model, head), "share": share, "mixed": mixed})
    return figure.part(
        "all_heads",
        title=text["heads"],
        dimmed=name_of(s.dimmed),
        head=name_of(s.head),
        weights=s.now.weights,
        turned=state.orientation == "columns",
        layers=[text.filled("heads/layer", layer=str(layer + 1)) for layer in range(LAYERS)],
        heads=heads,
        texts=text.parts("heads"),
    )


def next_words(state: State) -> figure.Part:
    """What is said next, state by state."""
    text = state.text
    return figure.part(
        "next_words",
        title=text["next"],
        shares=s.now.next_word,
        vocabulary=s.vocabulary,
        answer=s.answer,
        changed=s.from_opening,
        tokens=name_of(s.tokens),
        before=name_of(s.before),
        word=name_of(s.word),
        longest=grammar.LONGEST,
        states=models.states(text, LAYERS),
        texts=text.parts("next"),
    )


def measured(state: State) -> figure.Part:
    """What the head shown was measured to do."""
    text = state.text
    result = language_models.load_model(state.model).measured
    own = {layer * HEADS + head: place for place, (layer, head) in enumerate(QUESTIONS.values())}
    asked = state.model == "readable"
    return figure.measured(
        s.head,
        HEAD_NAMES,
        {kind: text.plain(f"kinds/{kind}_long") for kind in KINDS},
        [[float(result[kind][head]) for kind in KINDS] for head in range(len(HEAD_NAMES))],
        title=text["measured"],
        counts=language_models.how_often(),
        own=[own.get(head) if asked else None for head in range(len(HEAD_NAMES))],
        without=without(state),
        notes=[one_below(state, head) for head in range(len(HEAD_NAMES))],
        texts={name: text.plain(f"measured/{name}", count=str(MEASURED)) for name in text.parts("measured")},
    )


def without(state: State) -> dict[str, Any]:
    """How many next words are right without the head shown: counted once it is asked for."""
    head = HEAD_NAMES.index(state.head)
    whole, off = (language_models.answers_without(state.model, each) for each in (None, head))
    rows = [
        {
            "name": kind,
            "label": state.text.plain(f"answers/{kind}"),
            "count": language_models.answers_counted()[kind],
            "whole": whole[kind],
            "off": off[kind],
            "broken": whole[kind] - off[kind] > language_models.LOST,
        }
        for kind in sorted(whole)
    ]
    says = " ".join(filter(None, [verdict(state, head, rows), induction(state, head)]))
    return {"head": head, "rows": rows, "says": says}


def induction(state: State, head: int) -> str:
    """What makes a head an induction head, with the evidence; nothing of another head."""
    kind, share = language_models.does_most(state.model, head)
    if kind != "induction" or share < HALF or head < HEADS:
        return ""
    writer, whole, left = language_models.composition(state.model, head)
    right, without_writer = (language_models.answers_without(state.model, each)[kind] for each in (None, writer))
    numbers = {
        "whole": format_share(whole),
        "left": format_share(left),
        "cost": format_fixed(100 * (right - without_writer), 0),
    }
    return state.text.plain("verdict/induction", writer=HEAD_NAMES[writer], **numbers)


def verdict(state: State, head: int, rows: list[dict[str, Any]]) -> str:
    """Whether what a head looks at is what breaks without it, in a sentence."""
    text, (kind, share) = state.text, language_models.does_most(state.model, head)
    lost = {row["name"]: row["whole"] - row["off"] for row in rows if row["broken"]}
    broken = sorted(lost, key=lost.get, reverse=True)
    label = {row["name"]: text.plain("verdict/named", answer=row["label"]) for row in rows}
    needed = language_models.NEEDED_FOR.get(kind)
    if share < HALF:
        result = "mixed" if broken else "idle"
    elif not broken:
        result = "nothing"
    elif needed is None:
        result = "needed"
    elif needed not in broken:
        result = "stays"
    else:
        result = "agree" if len(broken) == 1 else "more"
    told = [name for name in broken if result != "more" or name != needed]
    many = "" if len(told) == 1 else "_several" if len(told) <= FEW else "_many"
    names = {
        "looks": text.plain(f"looks_at/{kind}"),
        "needed": label.get(needed, ""),
        "questions": str(len(KINDS)),
        "breaks": listed(map(label.get, told)),
        "count": str(len(told)),
        "all": str(len(rows)),
    }
    return text.plain(f"verdict/{result}{'' if result in ('agree', 'nothing', 'idle') else many}", **names)


def one_below(state: State, head: int) -> str:
    """Which other answers a head that looks at the word before has, because they are the word before."""
    most, share = language_models.does_most(state.model, head)
    if most != "previous" or share < HALF:
        return ""
    found = language_models.load_model(state.model).measured
    same = [kind for kind in language_models.before_itself() if found[kind][head] >= HALF]
    others = listed(state.text.plain(f"kinds/{kind}_long") for kind in same)
    return state.text.plain("measured/one_below", other=others) if same else ""


def ripple(state: State) -> figure.Part:
    """What an exchanged word changes, state by state."""
    text = state.text
    return figure.part(
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
        states=models.states(text, LAYERS),
        texts=text.parts("ripple"),
    )


def in_senses(state: State) -> figure.Part:
    """Where its senses part."""
    drawn = {word: language_models.parting(state.model, word) for word in SENSES}
    mark = figure.senses(
        s.in_senses,
        s.in_senses_at,
        s.sense,
        axes=s.sense_axes,
        hints=s.sense_hints,
        groups=s.sense_groups,
    )
    far = max(each.reach for each in drawn.values())
    shown = {word: format_fixed(100 * each.spread, 0) for word, each in drawn.items()}
    return models.plane_of_senses(state, mark, far, **shown)


def alike(state: State) -> figure.Part:
    """How alike its vectors are, layer by layer."""
    text = state.text
    return figure.cosines(
        s.sense,
        [
            (name, s[f"same_{layer}"], s[f"unlike_{layer}"])
            for layer, name in enumerate(models.states(text, LAYERS))
        ],
        [language_models.in_senses(word).names for word in SENSES],
        title=text["cosines"],
        texts=text.parts("cosines"),
    )
