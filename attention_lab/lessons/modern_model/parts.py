"""What lies on the stage: the wall of heads; one head, an intervention and the next token; in folds the rest."""

import math
from functools import cache

import numpy as np

from attention_core import TransformerShape, key_value_cache_bytes, load_recorded_runs
from attention_lab import figure
from attention_lab.calculation import Results, name_of
from attention_lab.lesson import Hidden
from attention_lab.state.state import State
from attention_lab.text.labels import shown
from attention_lab.text.number_format import format_bytes, format_number, format_percentage, format_share

from . import recorded
from .calculation import CALCULATION as s
from .calculation import DESTROYED, HIGH, LEFT, UNCHANGED, induction, offered
from .fields import CUTS
from .recorded import MEASURES

SIGNED = "effect"
NARROW = 440  # pixels: words that do not fit stand below one another
LIMIT = 1  # the change of ln p at which the colour is full
NEW = ("rms", "rotary", "grouped", "swiglu", "decoder")


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The wall beside one head and the next token; below, all eight texts, a repeated list, what is new."""
    text, name = state.text, state.values["text"]
    answer = recorded.prepared(name).answers[0]
    names = {"answer": shown(answer.token), "first": now.sentence[0]}
    names |= {"bound": format_percentage(LEFT), "high": format_number(HIGH), **counts()}
    colours = figure.options(s.measure, text["measure"], [text[f"measure/{name}"] for name in MEASURES])
    least = figure.slider(s.least, text["least"], axis=text["least/axis"], low=0, high=1, ticks=(0.25, 0.5, 0.75))
    return [
        figure.goals(state, offered(name), now, names=names, of_word=False),
        figure.Column([colours, figure.pictured(wall(state)), least], share=1.1, least=430),
        figure.Column([facts(state), cut(state), *next_tokens(state), *pattern(state)], least=380),
        figure.Column([closings(state), repeated(state), new_since(state)], least=figure.WHOLE_WIDTH),
    ]


@cache
def counts() -> dict[str, str]:
    """How many heads give the first token much weight, and how many texts lose their answer without it."""
    runs = load_recorded_runs()
    answers = [run.answers[0] for run in runs.runs.values()]
    left = np.array([answer.first_closed / answer.probability for answer in answers])
    numbers = {
        "heads": len(runs.head_names),
        "quarter": (runs.measures["first"] > 0.25).sum(),
        "half": (runs.measures["first"] > 0.5).sum(),
        "texts": len(answers),
        "destroyed": (left <= DESTROYED).sum(),
        "unchanged": (left >= UNCHANGED).sum(),
    }
    return {name: str(int(number)) for name, number in numbers.items()}


def wall(state: State) -> figure.Part:
    """Every head of every layer, coloured by what it does."""
    text, record = state.text, load_recorded_runs().record
    uniform = format_share(recorded.prepared(state.values["text"]).uniform)
    return figure.part(
        "head_wall",
        badge=True,
        title=text["wall"],
        head=name_of(s.head),
        measure=name_of(s.measure),
        cut=name_of(s.cut),
        off=CUTS.index("head"),
        measures=s.recorded["measures"],
        least=s.least,
        count=s.count_shown,
        names=s.head_names,
        layers=record["layers"],
        shared=record["heads"] // record["kv_heads"],
        kinds=[
            {"name": text[f"measure/{name}"], "says": text.plain(f"measured/{name}", uniform=uniform)}
            | ({"limit": LIMIT} if name == SIGNED else {})
            for name in MEASURES
        ],
        texts=text.parts("wall"),
    )


def facts(state: State) -> figure.Part:
    """What the head shown does in this text."""
    answer = recorded.prepared(state.values["text"]).answers[0]
    return figure.part(
        "head_facts",
        title=state.text["facts"],
        head=s.head_names[s.head],
        on_first=s.on_first,
        key=s.words[s.most[0]],
        weight=s.most_weight,
        effect=s.effect,
        before=s.before,
        without=s.without,
        texts=state.text.parts("facts") | {"off": state.text.plain("facts/off", answer=shown(answer.token))},
    )


def cut(state: State) -> figure.Part:
    """One intervention at a time."""
    text = state.text
    names, says = ([text[f"{part}/{name}"] for name in CUTS] for part in ("cut", "cut_says"))
    return figure.options(s.cut, text["cut"], names, descriptions=says)


def next_tokens(state: State) -> list[figure.Part]:
    """What may come next, before and after the intervention; where the model is wrong, what is right."""
    now = recorded.prepared(state.values["text"])
    bars = figure.part(
        "answer_bars",
        title=state.text["next"],
        cut=name_of(s.cut),
        head=name_of(s.head),
        without=s.recorded["with_head_off"],
        rows=now.next_tokens,
        texts=state.text.parts("next"),
    )
    answer, *right = (shown(each.token) for each in now.answers)
    return [bars, *(figure.remark(state.text.plain("wrong", answer=answer, right=each)) for each in right)]


def pattern(state: State) -> list[figure.Part]:
    """The text with the arcs of the head shown."""
    arcs = figure.arcs({"": s.pattern}, title=state.text["arcs"], upright=NARROW)
    return [
        figure.heading([state.text["arcs/head"], " ", s.head_names[s.head]]),
        figure.rebuild_on(arcs),
    ]


def closings(state: State) -> figure.Part:
    """The answers of all texts with the first token closed."""
    text, texts = state.text, state.text.parts("texts")
    answers = {name: load_recorded_runs().runs[name].answers[0] for name in texts}
    part = figure.part(
        "closings",
        title=text["folds/closings"],
        rows=[
            {"text": texts[name], "answer": shown(answer.token)}
            | {"before": answer.probability, "after": answer.first_closed}
            for name, answer in answers.items()
        ],
        texts=text.parts("closings"),
    )
    column = figure.Column(
        [part, figure.remark(text.plain("closings/says", **counts()))], least=figure.WHOLE_WIDTH
    )
    return figure.fold(text["folds/closings"], column)


def repeated(state: State) -> figure.Part:
    """A list three times over, with any of six induction heads off, or of six others."""
    text, goals = state.text, state.options("goal")
    shown = figure.part(
        "list_heads",
        badge=True,
        title=text["folds/list"],
        off=name_of(s.off),
        heads=[list(heads) for heads in recorded.groups()],
        groups=[text["list/six"], text["list/others"]],
        perplexities=[s.of_induction[0, 0], s.of_others[0, 0]],
        whole=recorded.perplexities()[0][0][0],
        high=HIGH,
        texts=text.parts("list"),
    )
    column = figure.Column([shown, figure.remark(text["list/says"])], least=figure.WHOLE_WIDTH)
    return figure.fold(text["folds/list"], column, goals=[goals.index(induction)])


def new_since(state: State) -> figure.Part:
    """What the 2017 transformer did not have, each in a small drawing; and what this model lacks."""
    text, record = state.text, load_recorded_runs().record
    x, gate, up = (3.0, 4.0), 2.0, 3.0
    root = math.sqrt(np.mean(np.square(x)))
    passed = gate / (1 + math.exp(-gate))
    numbers = {"root": root, "one": x[0] / root, "other": x[1] / root, "passed": passed, "product": passed * up}
    heads, d_k = record["heads"], record["d_model"] // record["heads"]
    names = {name: format_number(number) for name, number in numbers.items()}
    for name, kv_heads in (("kept", record["kv_heads"]), ("all", heads)):
        shape = TransformerShape(record["d_model"], d_k, heads, record["layers"], num_kv_heads=kv_heads)
        names[name] = format_bytes(key_value_cache_bytes(shape, 1))
    cards = [
        {"of": name, "title": text[f"new/{name}"], "says": text.plain(f"new_says/{name}", **names)}
        for name in NEW
    ]
    shown = figure.part("new_since", title=text["folds/new"], cards=cards)
    return figure.fold(
        text["folds/new"], figure.Column([shown, figure.remark(text["new_says/lacks"])], least=figure.WHOLE_WIDTH)
    )
