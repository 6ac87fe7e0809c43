"""A large model's text, recorded or being written: what is calculated, what the stage shows, what is exported."""

from typing import Any

import pandas as pd

from attention_core.models.chat import START
from attention_core.models.recorded import LARGEST
from attention_lab import figure, language_models
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import gathered, largest, ratio, row, token_names, triangle
from attention_lab.lesson import Hidden, Lesson, Program
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text import listed
from attention_lab.text.labels import labels
from attention_lab.text.number_format import format_share, format_whole

from . import live, parts, recorded
from .fields import FIELDS, RECORDED_GOAL_NAMES, is_live, recorded_text
from .operations import first_tokens, smaller_count

CONSTANTS = (
    "recorded",
    "vocabulary",
    "top_tokens",
    "ranks",
    "places",
    "scale",
    "longest",
    "given",
    "steps",
    "last_step",
    "bytes_of_token",
)
LEAST_SURE, ROUNDING = 0.2, 1e-9
WRONG, RIGHT = "Sydney", "Canberra"


# Recorded once as a graph, never run line by line: what a line says is calculated here and in the browser.
def of_recorded(s) -> None:
    """How much of a text is shown, one head's pattern, the probabilities of the next token, the cache."""
    # The beginning is always there; more may be asked for than is written yet.
    s.count = smaller_count(largest(gathered(s.given, s.shown + 1)[0]), s.longest)
    s.words = token_names(s.vocabulary, first_tokens(s.tokens, s.count))
    s.count_written = s.count - s.given
    s.left = s.steps - s.count_written
    s.pattern = triangle(s.recorded["weights", s.places[s.head]]) / s.scale
    s.step = smaller_count(s.count_written, s.last_step)
    s.probabilities = row(s.recorded["top"], s.step)
    s.first_choice = s.probabilities[0, 0]
    s.cached_bytes = s.count * s.bytes_of_token
    s.growth = ratio((s.count + 1) * s.bytes_of_token - s.cached_bytes, s.bytes_of_token)


CALCULATION = s = record(of_recorded, FIELDS, CONSTANTS)

reveal, unsure = RECORDED_GOAL_NAMES
GOALS = (
    Goal(
        reveal,
        s.count_written >= 1,
        names={"written": (s.count_written, "whole"), "bytes": (s.cached_bytes, "whole")}
        | {"each": (s.bytes_of_token, "whole")},
    ),
    Goal(unsure, s.first_choice <= LEAST_SURE, s.left >= 1, names={"share": (s.first_choice, "share")}),
)

GROWS = ChoiceQuestion("grows", same=s.growth.within(ROUNDING, of=1), more=s.growth >= 1, none=s.growth <= 0)


def constants(state: State) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    written = recorded_text(state.values)
    top_tokens = written.top_tokens or [[""] * live.TOP]  # before anything is computed
    return {
        "recorded": written.packed.arrays,
        "vocabulary": list(written.tokens),
        "top_tokens": top_tokens,
        "ranks": list(range(len(top_tokens[0]))),
        "places": list(written.places),
        "scale": LARGEST,
        "longest": written.longest,
        "given": written.start,
        "steps": len(written.top_tokens),
        "last_step": len(top_tokens) - 1,
        "bytes_of_token": written.bytes_of_token,
    }


def calculate(state: State) -> Results:
    """What of the recorded text is shown."""
    return CALCULATION.run(state.scope(), constants(state))


# What lies on the stage ------------------------------------------------------------------------------------


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The text; one head's pattern and cache beside the next token; in folds the cache, and what a chat is."""
    text, written = state.text, recorded_text(state.values)
    comes = is_live(state.values)
    reachable = comes or written.packed.arrays["top"][:, 0].min() <= LEAST_SURE
    remarks = [figure.remark(text["live/greedy" if comes else "recorded/greedy"])]
    if RIGHT in written.answers:
        shares = {name: format_share(share) for name, share in written.answers.items()}
        said = text.filled("recorded/wrong", wrong=WRONG, right=RIGHT, most=shares[WRONG], least=shares[RIGHT])
        remarks.insert(0, figure.remark(said))
    in_text = parts.written(state, s, next=s.count)
    head = [figure.pictured(growing(state)), *([] if comes else [figure.remark(about_head(state))])]
    return [
        figure.goals(
            state,
            [goal for goal in GOALS if goal.name in state.options("goal") and (reachable or goal.name != unsure)],
            now,
            names={"least": format_share(LEAST_SURE)},
            first="live/first" if comes else "recorded/first",
            of_word=False,
        ),
        figure.Column([in_text], least=figure.WHOLE_WIDTH),
        figure.Column(head, share=0.2, least=440, turn=2),
        figure.Column([next_tokens(state), *remarks], least=330, turn=1),
        figure.Column(
            [caching(state), parts.chat(state) if comes else chat(state)], least=figure.WHOLE_WIDTH, turn=3
        ),
    ]


def growing(state: State) -> figure.Part:
    """The pattern of one head, and the keys and values of its layer."""
    written = recorded_text(state.values)
    cached = {"text": state.text["recorded/bytes"], "of": s.cached_bytes, "what": "cached bytes", "form": "whole"}
    return parts.growing(
        state, s, written.heads, next=s.count, pattern=s.pattern, of_layer=list(written.of_layer), number=cached
    )


def about_head(state: State) -> str:
    """What the head shown at first does at the end of the beginning."""
    written = recorded_text(state.values)
    head = recorded.HEADS.get(state.opening, recorded.HEAD)
    weights = recorded.first_row(written, head)
    most, last = int(weights.argmax()), written.start - 1
    tokens = labels(written.tokens[: written.start])
    names = {"query": tokens[last], "key": tokens[most], "weight": format_share(weights[most])}
    return state.text.filled("recorded/head", head=head, **names)


def next_tokens(state: State) -> figure.Part:
    """What the model expected next."""
    return parts.next_tokens(
        state,
        adjusted=s.probabilities,
        order=s.ranks,
        next=s.ranks[0],
        vocabulary=s.top_tokens[s.step],
        left=s.left,
    )


def caching(state: State) -> figure.Part:
    """How large the cache is, and how large it would be with a key and a value for every query head."""
    written, text = recorded_text(state.values), state.text
    query_heads, kv_heads = written.of_layer
    numbers = {
        "layers": len(written.heads) // query_heads,
        "heads": query_heads,
        "kv": kv_heads,
        "group": query_heads // kv_heads,
        "bytes": written.bytes_of_token,
        "every": written.bytes_of_token * query_heads // kv_heads,
        "bits": 8 * written.number_bytes,
    }
    section = "recorded/cache" if query_heads > kv_heads else "live/cache"
    said = text.plain(section, **{name: format_whole(each) for name, each in numbers.items()})
    return figure.fold(
        text["recorded/cache_fold"], figure.Column([figure.remark(said)], least=figure.WHOLE_WIDTH)
    )


def chat(state: State) -> figure.Part:
    """A conversation as one text: where to step through one, or what its marks mean."""
    text, names = state.text, state.text.parts("recorded_names")
    is_chat = START in recorded_text(state.values).tokens
    chats = listed(names[name] for name in recorded.NAMES if START in recorded.load(name).tokens)
    said = text["recorded/chat"] if is_chat else text.filled("recorded/other_chat", names=chats)
    return figure.fold(text["folds/chat"], figure.Column([figure.remark(said)], least=figure.WHOLE_WIDTH))


# What can be taken away ------------------------------------------------------------------------------------


def predictions(state: State, now: Results) -> list[Prediction]:
    """How much the cache grows; a text that is being written is not asked about."""
    return [] if is_live(state.values) else [Prediction(GROWS, now, again=(state.opening,))]


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text, count = calculate(state), state.text, len(calculate(state).words)
    own = {text["tables/own"]: now.probabilities[0]}
    pattern = pd.DataFrame(now.pattern[:count, :count], now.words, now.words)
    return {
        text["tables/next"]: pd.DataFrame(own, now.constants["top_tokens"][now.step]),
        text.filled("tables/weights", head=state.head): pattern,
    }


def for_programs(state: State) -> Program:
    """What the programs begin with: which recorded text, how much of it, and which head."""
    now, written = calculate(state), recorded_text(state.values)
    query_heads, kv_heads = written.of_layer
    given = {
        "name": state.opening,
        "tokens": list(now.words),
        "start": written.start,
        "head": state.head,
        "top_tokens": written.top_tokens[now.step][:5],
        "layers": len(written.heads) // query_heads,
        "kv_heads": kv_heads,
        "d_k": written.d_k,
    }
    return Program("generating_recorded", given, language_models.file_of(recorded.FILE))


LESSON = Lesson(
    "generating",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=predictions,
    paragraphs=lambda state: ["text_live" if is_live(state.values) else "text_recorded"],
    first_move=lambda state, now: "" if is_live(state.values) else "add",
    arrays=lambda state, hidden: {"recorded": recorded_text(state.values).packed},
    tables=tables,
    program=for_programs,
)
