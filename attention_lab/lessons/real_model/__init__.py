"""Inside a real model: all its heads, how a weight is made, senses, *it*, what weight says."""

import numpy as np
import pandas as pd

from attention_core import load_gallery
from attention_lab import own_model
from attention_lab.calculation import Results
from attention_lab.figure.models import states
from attention_lab.language_models import file_of, head_labels
from attention_lab.lesson import Lesson, Program
from attention_lab.state import permalink
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State

from . import galleries, live
from .calculation import calculate
from .fields import FIELDS
from .galleries import IT
from .goals import GUESS, MOSTLY
from .parts import draw, kinds, names_sinks


def missing_file(_: State) -> str:
    """The gallery's file, if it cannot be read."""
    return f"{galleries.SHIPPED}.npz" if galleries.fault() else ""


def section(state: State, name: str) -> str:
    """The section of the page's words that is true of the model: it has special tokens, or it has none."""
    special = galleries.fault() or galleries.measured_gallery(state.model).has_special_tokens
    return name if special else f"{name}_plain"


def first_move(state: State, _: Results) -> str:
    """The first ring is on the first clear sink of [CLS], or in models without it on the head shown."""
    gallery = galleries.measured_gallery(state.model)
    to_first = gallery.does[:, galleries.KINDS.index("first")]
    clearest = int((to_first >= min(MOSTLY, to_first.max())).argmax())
    return f"head {gallery.head_names[clearest] if names_sinks(gallery) else state.head}"


def text_names(state: State) -> dict[str, str]:
    """The sentences, in words."""
    texts = {name: run.text for name, run in galleries.measured_gallery(state.model).gallery.runs.items()}
    return texts | {live.OWN: state.text["own"]}


def settings(state: State) -> dict[str, dict[str, str]]:
    """What can be chosen beside the figure: the gallery's sentence."""
    names = {} if galleries.fault() else text_names(state)
    return {"text": {name: text for name, text in names.items() if name != live.OWN}}


def choose_text(state: State, text: str) -> permalink.Values:
    """Another sentence has tokens of its own; the head stays."""
    return state.anew("model", "version", "written", "head", "sense", "depth", "goal", text=text)


def about(state: State) -> str:
    """Which model it is: its name, licence, source and the sha-256 of its weights."""
    record = galleries.measured_gallery(state.model).gallery.record
    facts = {name: str(fact) for name, fact in record.items()}
    return state.text.filled("about_own" if state.model == live.LIVE else "about", **facts)


# A model that the server was given ---------------------------------------------------------------------------


def without_live(state: State) -> str:
    """Why there is none, or how to get one."""
    why = own_model.read().fault
    return state.text.filled("live/fault", why=why) if why else state.text["live/how"]


def model_names(state: State) -> dict[str, str]:
    """Both models in words."""
    return {galleries.SHIPPED: state.text["models/gallery"], live.LIVE: own_model.read().model.name}


def choose_model(state: State, name: str) -> permalink.Values:
    """Another model reads the same sentence."""
    return state.anew("written", "goal", model=name, version=galleries.fingerprint(name))


def write_own(state: State, text: str) -> permalink.Values:
    """A text of the reader's own is read by the model that the server was given."""
    of_model = {"model": live.LIVE, "version": galleries.fingerprint(live.LIVE), "written": live.check(text)}
    return state.anew("goal", **of_model, text=live.OWN)


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text, gallery = calculate(state), state.text, galleries.measured_gallery(state.model)
    run, names, heads = galleries.sentence_of(state.values).run, now.words, head_labels(gallery.head_names)
    inner = list(galleries.between_marks(run, names))
    every = {
        text.filled("tables/scores", head=state.head): pd.DataFrame(now.scores, names, names),
        text.filled("tables/weights", head=state.head): pd.DataFrame(now.pattern, names, names),
        text["measured"]: pd.DataFrame(gallery.does, heads, list(kinds(state).values())),
        text["deletion"]: pd.DataFrame(
            {
                text["deletion/all"]: galleries.between_marks(run, now.received),
                text["deletion/deletion"]: run.deletion.astype(float),
            },
            inner,
        ),
        text["tables/ranks"]: pd.DataFrame({text["tables/rank"]: gallery.agreement_of_heads}, heads),
    }
    for name, shares in zip(IT, gallery.it, strict=True) if gallery.knows_it else ():
        title = text.filled("tables/it", text=gallery.gallery.runs[name].text)
        every[title] = pd.DataFrame(shares, heads, IT[name])
    for of, title in (("same", "cosines/same"), ("unlike", "cosines/unlike")):
        every[text[title]] = pd.DataFrame(
            np.transpose(now[of]), states(state.text, gallery.layers), list(state.options("sense"))
        )
    rows = run.weights_by_head.reshape(-1, len(names))
    every[text["tables/every"]] = pd.DataFrame(rows, pd.MultiIndex.from_product([heads, names]), names)
    return every


def for_programs(state: State) -> Program:
    """What the programs begin with: one head's scores, the pair, and which word's senses part."""
    now, senses = calculate(state), load_gallery().senses
    sense = state.sense if state.sense in senses else next(iter(senses))
    constants = {
        "words": list(now.words),
        "scores": now.kept.tolist(),
        "word": int(now.word),
        "other": int(now.other),
        "raised": float(state.raised),
        "sense": sense,
        "senses": list(senses[sense].senses),
        "vectors_kept_in": galleries.SHIPPED,
    }
    return Program("real_model", constants, file_of(galleries.SHIPPED))


def predictions(state: State, now: Results) -> list[Prediction]:
    """Where does most of the attention rest?"""
    return [Prediction(GUESS, now, again=(state.model, state.values["text"], state.written))]


LESSON = Lesson(
    "real_model",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=predictions,
    provenance="learned",
    settings=settings,
    missing_file=missing_file,
    promise=lambda state: state.text[section(state, "promise")],
    paragraphs=lambda state: [section(state, "text")],
    first_move=first_move,
    arrays=lambda state, hidden: {"real": galleries.sentence_of(state.values).packed},
    tables=tables,
    program=for_programs,
)
