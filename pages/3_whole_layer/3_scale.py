"""Scale.

What does it cost?
"""

from functools import cache

import pandas as pd
import streamlit as st

from attention_core import (
    SHAPES,
    count_parameters,
    forward_flops,
    key_value_cache_bytes,
    path_length,
    pattern_bytes,
    sequential_steps,
    vocabulary_for,
)
from charts import growth
from controls import furniture, permalink, picture, predict, stage, take_away
from controls.calculation import calculate
from controls.figures import count, gap, memory, share, whole
from controls.goals import AT_LEAST, AT_MOST, WITHIN, Condition, Estimate, Goal
from controls.lesson import open_lesson

PUBLISHED = {  # what their authors say that the models have in all
    "transformer-base": 65_000_000,
    "transformer-big": 213_000_000,
    "gpt2": 124_000_000,
    "gpt2-medium": 355_000_000,
    "gpt2-large": 774_000_000,
    "gpt2-xl": 1_558_000_000,
    "gpt3": 175_000_000_000,
}
MODELS = tuple(PUBLISHED)
MOST, LONG = 10**12, 512  # the largest size; the length of a text where the model sets none
FLAGS = ("biases", "tied_embeddings", "attention_biases", "learned_positions", "final_norm")
LENGTHS = tuple(2**power for power in range(4, 23))
DISTANCES = ("1", "2", "5", "10", "50", "100", "500", "999", "10000", "100000", "1000000")


def size(name: str, meaning: str, *, least: int = 1, rest: int | None = None) -> permalink.Field:
    """A size of the model, as published until it is changed; with `rest`, that stands for "as usual"."""

    def as_published(values) -> int:
        return as_usual(values["model"], name) if rest is None else rest

    return permalink.whole_number(name, meaning, least, MOST, as_published, made=True)


def as_usual(model: str, name: str) -> int:
    """A size of a published model."""
    given = getattr(SHAPES[model], name)
    return LONG if given is None else given


SIZES = (
    size("d_model", "the length of a word's vector"),
    size("d_k", "the length of a query, a key and a value"),
    size("num_heads", "heads in one layer"),
    size("num_kv_heads", "key/value groups; 0: each head its own", least=0, rest=0),
    size("num_layers", "layers; of the encoder, where there are decoder layers"),
    size("decoder_layers", "layers with cross-attention besides self-attention", least=0),
    size("d_ff", "the width of the feed-forward part; 0: four times d_model", least=0, rest=0),
    size("vocabulary", "tokens in the table of embeddings"),
    size("context", "the length of the text"),
)
NAMES = tuple(field.name for field in SIZES)
MODEL = ("models", "$model")
SHAPE = ("d_model", "d_k", "num_heads", "num_layers", "as_d_k", "wide", "groups", "vocabulary", "context")
STEPS = (
    ("wide", "unless_zero", ("d_ff",)),
    ("groups", "dividing", ("num_heads", "num_kv_heads")),
    ("shape", "TransformerShape", (*SHAPE, "decoder_layers", *((*MODEL, flag) for flag in FLAGS))),
    ("count", "count_parameters", ("shape",)),
    *(
        (f"{part}_share", "ratio", (("count", part), ("count", "total")))
        for part in ("attention_total", "feed_forward_total", "embeddings", "norms", "biases")
    ),
    ("vectors", "ratio", (("count", "embeddings"), "d_model")),
    ("of_norms", "ratio", (("count", "norms"), "d_model")),
    ("against", "ratio", (("count", "total"), (*MODEL, "published"))),
    ("sizes", "gathered", NAMES),
    ("touched", "count_unlike", ("sizes", (*MODEL, "sizes"))),
    ("uneven", "left_over", ("d_model", "d_k")),
    ("ungrouped", "left_over", ("num_heads", "num_kv_heads")),
    # what a text needs
    ("cells", "pattern_entries", ("context",)),
    ("cache", "key_value_cache_bytes", ("shape", "context")),
    # what the goals ask for
    ("heads_changed", "relative_difference", ("num_heads", (*MODEL, "num_heads"))),
    ("d_model_changed", "relative_difference", ("d_model", (*MODEL, "d_model"))),
    ("layers_changed", "relative_difference", ("num_layers", (*MODEL, "num_layers"))),
    ("attention_kept", "ratio", (("count", "attention_total"), (*MODEL, "attention_total"))),
    ("cache_left", "ratio", (("shape", "num_kv_heads"), "num_heads")),
)
LONGER = (("cells_longer", "pattern_entries", ("longer",)), ("times", "ratio", ("cells_longer", "cells")))
GOALS = (
    Goal(
        "same_parameters",
        (
            Condition(("heads_changed",), AT_LEAST, 1e-13),
            Condition(("attention_kept",), WITHIN, 1.0, 1e-13),
            Condition(("d_model_changed",), AT_MOST, 0.0),
            Condition(("layers_changed",), AT_MOST, 0.0),
        ),
    ),
    Goal("small_cache", (Condition(("cache_left",), AT_MOST, 1 / 8),)),
    Goal("attention_majority", (Condition(("attention_total_share",), AT_LEAST, 0.5 + 1e-12),)),
)
HALF = ("models", MODELS.index("gpt3"), "attention_share")
LESS_THAN_HALF = Estimate(
    "less_than_half", (("more", Condition(HALF, AT_LEAST, 0.5)), ("less", Condition(HALF, AT_MOST, 0.5)))
)
DOUBLE_CONTEXT = Estimate(
    "double_context",
    tuple(
        (name, Condition(("times",), WITHIN, times)) for name, times in (("two", 2), ("four", 4), ("eight", 8))
    ),
)
FIELDS = (
    permalink.choice("model", "the published model that it starts from", MODELS, "gpt3", hand=True),
    *SIZES,
    stage.goal_field(GOALS),
    permalink.choice("distance", "how far apart two words are, in words", DISTANCES, "999"),
)


@st.fragment
def under_the_hand(lesson) -> None:
    """What the hand moves, and what follows it on release."""
    lesson.listen()
    given = what_is_given()
    scope = calculate(STEPS, lesson.scope() | given)
    hidden = predict.ask(lesson, LESS_THAN_HALF, scope)
    unsure = hidden or predict.ask(
        lesson, DOUBLE_CONTEXT, calculate(LONGER, scope | {"longer": 2 * lesson.context})
    )
    above = st.container()
    if not hidden:
        further(lesson, scope)
    with above:  # drawn last: the stage has moved already, under the hand
        stage.show(
            lesson,
            [
                stage.Column([published_models(lesson)], least=2400),
                stage.Column(
                    [drawn_to_scale(lesson), stage.goals(lesson, GOALS, STEPS, scope, given=given)],
                    share=1.08,
                ),
                stage.Column([account(lesson, unsure=unsure)]),
            ],
            STEPS,
            title=lesson.text.plain("figure"),
            given=given,
            veil=hidden,
        )


@cache
def what_is_given() -> dict:
    """What the calculation reads and no hand can change: the models as they were published."""
    models = []
    for name in MODELS:
        shape, counted = SHAPES[name], count_parameters(SHAPES[name])
        about = {flag: getattr(shape, flag) for flag in FLAGS} | {"published": PUBLISHED[name]}
        about |= {"sizes": [[field.default({"model": name}) for field in SIZES]]}
        about |= {key: getattr(shape, key) for key in ("num_heads", "d_model", "num_layers")}
        about |= {"attention_total": counted.attention_total}
        models.append(about | {"attention_share": counted.attention_total / counted.total})
    return {"models": models, "as_d_k": None}


def published_models(lesson) -> dict:
    """The published models, a button each."""
    buttons = {
        lesson.text[f"models/{name}"]: {"model": place} | dict(zip(NAMES, about["sizes"][0], strict=True))
        for place, (name, about) in enumerate(zip(MODELS, what_is_given()["models"], strict=True))
    }
    return stage.presets(buttons, title=lesson.text["models"], whole=True, about="model")


def drawn_to_scale(lesson) -> dict:
    """All parameters as one area, and the matrices of one layer with a corner under the hand."""
    return stage.floor_plan(
        title=lesson.text.plain("figure"),
        hint=lesson.text.plain("hint"),
        words=lesson.text.parts("drawn"),
        most=MOST,
        touched="touched",
    )


def account(lesson, *, unsure: bool) -> dict:
    """The ledger: what each part costs, with the sizes that it follows from."""
    text, shape = lesson.text, "shape"
    heads, groups = (shape, "num_heads"), (shape, "num_kv_heads")
    d_model, d_k, d_ff = ("d_model",), ("d_k",), (shape, "d_ff")
    layers, decoder, blocks = ("num_layers",), ("decoder_layers",), (shape, "attention_blocks")

    def line(name: str, how: list, of, **more) -> dict:
        return stage.entry(name, text[f"entries/{name}"], how, of, **more)

    def part(name: str, role: str, how: list, of: str, **more) -> dict:
        return line(name, how, ("count", of), share=f"{of}_share", role=role, result=True, **more)

    def scaled(of: str, shown, low: int, high: int, **more) -> dict:
        label, least = text[f"sizes/{of}"], more.pop("least", 1)
        more |= {"field": text.filled("typed", label=label), "low": low, "high": high}
        refused = text.filled("refused", label=label, least=str(least), most=f"{MOST:,}")
        return stage.size(of, label, shown, most=MOST, least=least, refused=refused, **more)

    in_text = text["text_of"]
    return stage.account(
        [
            line(
                "matrix",
                [d_model, " × ", d_k],
                ("count", "per_matrix"),
                sizes=[scaled("d_model", d_model, 16, 32768), scaled("d_k", d_k, 4, 1024)],
            ),
            line("head", ["W_Q, W_K, W_V, W_O: 4 × ", ("count", "per_matrix")], ("count", "per_head")),
            line(
                "layer",
                ["2 × (", heads, " + ", groups, ") × ", ("count", "per_matrix")],
                ("count", "per_layer"),
                sizes=[
                    scaled("num_heads", heads, 1, 256, times="num_kv_heads"),
                    scaled("num_kv_heads", groups, 1, 256, least=0, divides=heads, rest=[heads, 1]),
                ],
            ),
            part(
                "attention",
                "attention",
                [blocks, " × ", ("count", "per_layer")],
                "attention_total",
                sizes=[
                    scaled("num_layers", layers, 1, 192),
                    scaled("decoder_layers", decoder, 1, 192, least=0, also=[0]),
                ],
            ),
            part(
                "feed_forward",
                "feed",
                ["2 × ", d_model, " × ", d_ff, " × ", (shape, "feed_forward_blocks")],
                "feed_forward_total",
                sizes=[scaled("d_ff", d_ff, 16, 131072, least=0, rest=[d_model, 4])],
            ),
            part(
                "embeddings",
                "words",
                [("vectors",), " × ", d_model],
                "embeddings",
                sizes=[scaled("vocabulary", ("vocabulary",), 16, 262144, also=[37_000, 50_257])],
            ),
            part("norms", "rest", [("of_norms",), " × ", d_model], "norms"),
            part("biases", "rest", [text["entries/biases_how"]], "biases"),
            line("total", [], ("count", "total"), role="total", result=True, published=True),
            line(
                "cells",
                [("context",), " × ", ("context",)],
                "cells",
                heading=in_text,
                veiled=unsure,
                role="text",
                sizes=[scaled("context", ("context",), 16, 1048576)],
            ),
            line("cache", [text["entries/cache_how"]], "cache", form="memory", role="text"),
        ],
        title=text["entries"],
        model="model",
        published=[{"text": told(PUBLISHED[name]), "note": note(lesson, name)} for name in MODELS],
        published_label=text["published"],
        touched="touched",
        own=text["published/own"],
        gap="against",
        notes=[
            {"when": "uneven", "text": text.around("uneven", d_k=d_k, d_model=d_model)},
            {"when": "ungrouped", "text": text.around("ungrouped", groups=("num_kv_heads",), heads=heads)},
        ],
    )


def told(published: int) -> str:
    """A published total as it is usually written."""
    return count(published) if published >= 10**10 else f"{published // 10**6:,} million"


def note(lesson, name: str) -> str:
    """What the total of a model assumes, and where the published one may come from."""
    shape, published = SHAPES[name], PUBLISHED[name]
    attention = count_parameters(shape).attention_total
    return lesson.text.plain(
        f"published/{name}",
        wanted=f"{vocabulary_for(shape, published):,.0f}",
        nominal=share(attention / published),
        counted=share(attention / count_parameters(shape).total),
    )


def further(lesson, scope) -> None:
    """The experiments, each computed only once its fold is open."""
    for name, draw in (("work_and_memory", work_and_memory), ("steps_between", steps_between)):
        title, text = lesson.text[f"further/{name}"].split("\n\n", 1)
        fold = st.expander(title, on_change="rerun", key=lesson.key(name))
        if fold.open:
            with fold:
                draw(lesson, scope, text)


def work_and_memory(lesson, scope, text: str) -> None:
    """Calculations, patterns and cache over the length of the text, both on logarithmic axes."""
    st.markdown(text)
    shape, now = scope["shape"], lesson.context
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(f"**{lesson.text['work']}**")
        picture.draw(growth.rows(work(shape, (*LENGTHS, now)), now), growth.WORK, key=lesson.key("work"))
        st.markdown(as_rows(lesson, "work", [(name, whole(n)) for name, n in operations(shape, now).items()]))
    with right:
        st.markdown(f"**{lesson.text['memory']}**")
        kept = memories(shape, now)
        drawn = memory_lines(shape, (*LENGTHS, now))
        picture.draw(growth.rows(drawn, now), growth.MEMORY, key=lesson.key("memory"))
        st.markdown(as_rows(lesson, "memory", [(name, memory(n)) for name, n in kept.items()]))
    furniture.badge(lesson)


def operations(shape, tokens: int) -> dict[str, int]:
    """The calculations of one pass, by where they happen."""
    done = forward_flops(shape, tokens)
    return {
        name: getattr(done, name) for name in ("projections", "pattern", "feed_forward", "vocabulary", "total")
    }


def work(shape, lengths) -> dict[str, list[tuple[int, int]]]:
    """The calculations of the matrices, and of the pattern, for each length of the text."""
    done = [(tokens, forward_flops(shape, tokens)) for tokens in lengths]
    return {
        growth.MATRICES: [(tokens, flops.total - flops.pattern) for tokens, flops in done],
        growth.PATTERN: [(tokens, flops.pattern) for tokens, flops in done],
    }


def memories(shape, tokens: int) -> dict[str, int]:
    """What a text needs of memory."""
    own = key_value_cache_bytes(shape, tokens) * shape.num_heads // shape.num_kv_heads
    return {
        "one_pattern": pattern_bytes(tokens),
        "patterns": pattern_bytes(tokens, shape.num_heads, shape.attention_blocks),
        "cache_own": own,
        "cache_set": key_value_cache_bytes(shape, tokens),
        "cache_one": own // shape.num_heads,
    }


def memory_lines(shape, lengths) -> dict[str, list[tuple[int, int]]]:
    """The memory of all patterns, and of the cache with and without sharing, for each length of the text."""
    needed = [(tokens, memories(shape, tokens)) for tokens in lengths]
    return {
        line: [(tokens, amounts[name]) for tokens, amounts in needed] for line, name in growth.MEMORIES.items()
    }


def as_rows(lesson, name: str, rows: list[tuple[str, str]]) -> str:
    """A small table of what a text as long as the context needs."""
    head = lesson.text.filled(f"{name}/head", tokens=whole(lesson.context))
    lines = [(head, ""), (":---", "---:"), *((lesson.text[f"{name}/{row}"], n) for row, n in rows)]
    return "\n".join(f"| {what} | {n} |" for what, n in lines)


def steps_between(lesson, scope, text: str) -> None:
    """How far apart two words are, and how much must happen one after another."""
    distance, tokens = int(lesson.distance), lesson.context
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown(text)
        st.select_slider(
            lesson.text["distance"], DISTANCES, format_func=lambda n: whole(int(n)), key=lesson.key("distance")
        )
        names = {network: lesson.text[f"networks/{network}"] for network in growth.NETWORKS.values()}
        rows = [
            [lesson.text.filled("steps/path", n=whole(distance)), path_length, distance],
            [lesson.text.filled("steps/layer", n=whole(tokens)), sequential_steps, tokens],
        ]
        table = [["", *names.values()], [":---", *["---:"] * len(names)]]
        table += [[what, *(whole(steps(n, network)) for network in names)] for what, steps, n in rows]
        st.markdown("\n".join(f"| {' | '.join(line)} |" for line in table))
    with right:
        lines = {
            line: [(int(far), path_length(int(far), network)) for far in DISTANCES]
            for line, network in growth.NETWORKS.items()
        }
        picture.draw(growth.rows(lines, distance), growth.STEPS, key=lesson.key("steps"))


def published_and_counted(lesson) -> None:
    """Beside each published total the computed one, the gap, and what is assumed."""
    text = lesson.text
    rows = [text["published/head"], ":---|---:|---:"]
    for name in MODELS:
        total, published = count_parameters(SHAPES[name]).total, PUBLISHED[name]
        rows.append(f"{text[f'models/{name}']}: {told(published)} | {whole(total)} | {gap(total / published)}")
    st.markdown("\n\n".join([text["published/table"], "\n".join(rows), *text.parts("assumed").values()]))


def tables(lesson) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    scope = calculate(STEPS, lesson.scope() | what_is_given())
    shape, counted = scope["shape"], scope["count"]
    parts = ("attention_total", "feed_forward_total", "embeddings", "norms", "biases")
    published = {name: (PUBLISHED[name], count_parameters(SHAPES[name]).total) for name in MODELS}
    needs = (
        {"cells": scope["cells"]}
        | memories(shape, lesson.context)
        | {"operations": operations(shape, lesson.context)["total"]}
    )
    return {
        "sizes": pd.DataFrame({"size": vars(shape)}, dtype=object),
        "parameters": pd.DataFrame({"parameters": vars(counted)}, dtype=object),
        "shares": pd.DataFrame({"share": {part: scope[f"{part}_share"] for part in parts}}),
        "a text": pd.DataFrame({f"{lesson.context} tokens": needs}, dtype=object),
        "published": pd.DataFrame.from_dict(published, orient="index", columns=["published", "counted"]),
    }


def program_given(lesson) -> dict:
    """The lines that the programs begin with."""
    return vars(calculate(STEPS[:3], lesson.scope() | what_is_given())["shape"])


furniture.head("scale", __doc__)
lesson = open_lesson("scale", FIELDS)
furniture.notices(lesson)
with furniture.tools():
    take_away.menu(lesson, lambda: tables(lesson), program_given(lesson))
    furniture.reset(lesson)
under_the_hand(lesson)
furniture.words(lesson, "which_total")
published_and_counted(lesson)
