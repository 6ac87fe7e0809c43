"""What lies on the stage of learned translation, what is said of the models, and what can be taken away."""

from functools import cache

import numpy as np
import pandas as pd

from attention_core.models import phrases, translator
from attention_lab import figure
from attention_lab.calculation import Calculation, Results, name_of
from attention_lab.language_models import file_of
from attention_lab.lesson import Hidden, Lesson, Program
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text.number_format import format_number, format_percent, format_whole

from . import learned
from .calculation import FIELDS

NEXT = 5  # French words that are told of at each place
OTHERS = 12  # held-out texts to look at
ENOUGH = 0.99  # of texts translated without a mistake
CLEAN = 0.9  # from so much on a head does cleanly what it is for


# The words of the page's widgets ---------------------------------------------------------------------------


def model_names(state: State) -> dict[str, str]:
    """Return the label of the worked example and of each model."""
    return {name: state.text.plain(f"models/{name}") for name in (learned.BY_HAND, *translator.NAMES)}


def names_beside(state: State) -> dict[str, str]:
    """Return the label of each model as the one to compare with, and of none."""
    return {name: state.text.plain(f"beside/{name}") for name in (learned.NONE, *translator.NAMES)}


def remarks(state: State) -> list[str]:
    """What is not as a reader might think: a text unlike those that a model has met."""
    why = phrases.unlike(learned.english_of(state))
    return [state.text[f"unlike/{why}"]] if why else []


def share(part: float) -> str:
    """A share of many, in per cent: as many digits as it takes not to round what is nearly all to all."""
    return format_percent(f"{100 * part:.1f}".removesuffix(".0"))


# What lies on the stage --------------------------------------------------------------------------------------


@cache
def held_out() -> list[list[int]]:
    """Texts that no model was trained on, by the numbers of their words."""
    texts = translator.held_out_texts()[:OTHERS]
    return [learned.numbers_of(text.english)[0].astype(int).tolist() for text in texts]


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The text and its translation, the row in the hand, the alignments with their scores."""
    s = now.calculation
    goals = [learned.LEARNED[name] for name in learned.LEARNED_GOALS[state.model]]
    heads, other = learned.head_count(state.values), state.beside
    grids = [alignment(state, s, state.model, "", head, heads) for head in range(heads)]
    if other != learned.NONE:
        count = len(learned.loaded()[other].parameters["across_W_query"])
        grids += [alignment(state, s, other, "_2", head, count) for head in range(count)]
    return [
        figure.goals(state, goals, now, first="first_learned"),
        figure.Column([phrase(state, s), figure.pictured(word_by_word(state, s))], share=1.45, least=480),
        figure.Column([*which_head(state, s, heads), row_in_hand(state, s), next_words(state, s)], least=320),
        *(figure.Column([grid], least=330) for grid in grids),
        figure.Column([figure.remark(text=training_text(state))], least=figure.WHOLE_WIDTH),
    ]


def phrase(state: State, s: Calculation) -> figure.Part:
    """The English text: typed, chosen, or the next of a few."""
    begin = {name_of(s.bent): [], name_of(s.step): 0}
    return figure.part(
        "phrase",
        title=state.text["phrase"],
        of=name_of(s.phrase),
        begin=begin,
        vocabulary=s.vocabulary,
        longest=phrases.LONGEST,
        others=held_out(),
        texts=state.text.parts("phrase"),
    )


def word_by_word(state: State, s: Calculation) -> figure.Part:
    """The French words as they come, with their links."""
    text = state.text
    return figure.part(
        "word_by_word",
        title=text.plain("figure_learned"),
        heads=[text["links/asks"], text["links/answers"]],
        step=name_of(s.step),
        at=s.at,
        english=s.english,
        french=s.french,
        weights=s.seen.weights[s.head],
        gold=s.gold,
        said=s.seen.said,
        by_itself=s.by_itself.said,
        link=translator.LINK,
        off=s.off,
        head=s.head,
        end=text["end"],
        words=text.parts("player"),
        texts=text.parts("legend"),
        badge=True,
    )


def which_head(state: State, s: Calculation, heads: int) -> list[figure.Part]:
    """Which head's row is shown, and which are off."""
    text = state.text
    names = [text.filled("heads/name", number=str(head + 1)) for head in range(heads)]
    off = [text["heads/none"], *names, *([text["heads/both"]] if heads > 1 else [])]
    if heads == 1:
        off = [text["heads/none"], text["heads/only"]]
    shown = [figure.options(s.head, text["heads/shown"], names)] if heads > 1 else []
    return [*shown, figure.options(s.off, text["heads/off"], off)]


def row_in_hand(state: State, s: Calculation) -> figure.Part:
    """What each English word gets from the French word that is being said."""
    return figure.part(
        "row_in_hand",
        title=state.text.plain("row"),
        bent=name_of(s.bent),
        chosen=name_of(s.head),
        off=s.off,
        at=s.at,
        row=s.row,
        english=s.english,
        french=s.french,
        end=state.text["end"],
        longest=phrases.LONGEST,
        most=learned.MOST_BENT,
        texts=state.text.parts("row"),
        badge=True,
    )


def next_words(state: State, s: Calculation) -> figure.Part:
    """The likeliest next French words, and what would be said without a hand."""
    return figure.part(
        "next_words",
        title=state.text.plain("next"),
        most=NEXT,
        shares=s.seen.next_word[s.at],
        at=s.at,
        said=s.seen.said,
        by_itself=s.by_itself.said,
        target_vocabulary=s.target_vocabulary,
        end=state.text["end"],
        texts=state.text.parts("next"),
    )


def alignment(state: State, s: Calculation, model: str, end: str, head: int, heads: int) -> figure.Part:
    """One head's weights with the gold alignment and the score, over the text and over the held-out ones."""
    text = state.text
    name = text.plain(f"models/{model}")
    title = text.plain("alignment/of_head", model=name, number=str(head + 1)) if heads > 1 else name
    return figure.part(
        "alignment",
        title=title,
        name=f"{model} {head + 1}",
        weights=s[f"seen{end}"].weights[head],
        gold=s[f"gold{end}"],
        links=s[f"links{end}_{head}"],
        french=s[f"french{end}"],
        english=s.english,
        at=s.at,
        off=None if end else s.off,  # the model beside it has all its heads
        head=head,
        link=translator.LINK,
        turned=state.orientation == "columns",
        counts=[text[f"alignment/{each}"] for each in ("right", "wrong", "missed")],
        texts={each: text[f"alignment/{each}"] for each in ("means", "off")},
        test=over_the_test_set(state, model, head),
        badge=True,
    )


def over_the_test_set(state: State, model: str, head: int) -> str:
    """How a head fares on held-out texts, from the record."""
    record, text = learned.loaded()[model].record, state.text
    names = {"count": str(record["measured"]), "exact": share(record["exact"])}
    if head != record["aligning_head"]:
        return text.plain("test/other_head", noun=share(record["on_noun"]), **names)
    right, wrong = record["right"], record["wrong"]
    names |= {"right": share(right), "wrong": share(wrong), "missed": share(1 - right)}
    return text.plain("test/head", unseen=share(record["exact_unseen"]), **names)


def training_text(state: State) -> str:
    """How the model was made, from its record: by which command, from which seed of how many, and what those
    gave."""
    model, text = learned.loaded()[state.model], state.text
    record, tried = model.record, [*model.record["seeds_tried"].values()]
    alignments = [each["alignment"] for each in tried]
    names = {
        "numbers": format_whole(sum(array.size for array in model.parameters.values())),
        "command": record["made_by"],
        "steps": format_whole(record["steps"]),
        "texts": format_whole(record["training_texts"]),
        "seconds": format_whole(record["seconds"]),
        "seed": str(record["seed"]),
        "seeds": str(len(tried)),
        "least": share(min(alignments)),
        "most": share(max(alignments)),
        "fingerprint": model.fingerprint,
        "sharpening": format_number(record["sharpening"]),
        "exact": str(sum(each["exact"] >= ENOUGH for each in tried)),
        "both": str(sum(min(each["exact"], each["exact_unseen"]) >= ENOUGH for each in tried)),
        "clean": str(sum(min(each["alignment"], each["on_noun"]) >= CLEAN for each in tried)),
        "enough": share(CLEAN),
    }
    chosen = f"chosen/{state.model}"
    if f"{chosen}/none" in text and names["both"] == "0":
        chosen = f"{chosen}/none"
    said = [text.plain("made", **names), text.plain(chosen, **names)]
    if record["sharpening"]:
        said.append(text.plain("made/sharpened", **names))
    return " ".join(said)


def predictions(state: State, now: Results) -> list[Prediction]:
    """Where does the French word that is being predicted attend?"""
    french = [*now["french"], state.text["end"]]
    names = {"asks": french[now.at], "before": " ".join(french[: now.at]) or "…"}
    about = (state.model, state.head, state.off, str(state.phrase.tolist()), state.step, str(state.bent.tolist()))
    return [Prediction(learned.LOOKS_AT, now, again=about, names=names)]


# What can be taken away --------------------------------------------------------------------------------------


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text = learned.calculate(state), state.text
    french, english = now["french"], now["english"]
    result = {}
    for head, weights in enumerate(now.seen.weights):
        result[text.filled("tables/weights_of", number=str(head + 1))] = pd.DataFrame(
            weights, [*french, text["end"]], english
        )
    gold = [[float(place == k) for k in range(len(english))] for place in now.gold]
    result[text["tables/gold"]] = pd.DataFrame(gold, french, english)
    likeliest = np.argsort(-now.seen.next_word[now.at])[:NEXT]
    shares = now.seen.next_word[now.at][likeliest]
    result[text["tables/next"]] = pd.DataFrame(
        {text["tables/share"]: shares}, learned.french_of(tuple(likeliest))
    )
    return result


def for_programs(state: State) -> Program:
    """What the programs begin with: the file of weights, the text, and what a hand has changed."""
    now = learned.calculate(state)
    heads_off = [head for head in range(len(now.seen.weights)) if now.off >> head & 1]
    rows = [
        [int(step), int(head), [float(each) for each in gets[: len(now["english"])]]]
        for step, head, *gets in state.bent
    ]
    constants = {
        "file": f"{state.model}.npz",
        "words": list(learned.english_of(state)),
        "source_words": list(phrases.SOURCE_WORDS),
        "target_words": list(phrases.TARGET_WORDS),
        "raw_values": learned.loaded()[state.model].raw_values,
        "heads_off": heads_off,
        "rows_by_hand": rows,
    }
    return Program("cross_attention_learned", constants, file_of(state.model))


LESSON = Lesson(
    "cross_attention",
    FIELDS,
    calculate=learned.calculate,
    draw=draw,
    predictions=predictions,
    title=lambda state: state.text.plain("figure_learned"),
    paragraphs=lambda state: ["text_learned"],
    arrays=lambda state, hidden: learned.arrays(state),
    tables=tables,
    program=for_programs,
)
