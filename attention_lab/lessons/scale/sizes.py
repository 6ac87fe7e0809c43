"""The published models and their sizes: what the address holds, and what is calculated from them."""

from attention_core import SHAPES, LanguageModel, TransformerShape, load_language_model
from attention_lab.calculation import operations as op
from attention_lab.calculation import record
from attention_lab.state import permalink
from attention_lab.state.goals import ChoiceQuestion, Goal

from . import operations as own

PUBLISHED = {  # what their authors say that the models have in all
    "transformer-base": 65_000_000,
    "transformer-big": 213_000_000,
    "gpt2": 124_000_000,
    "gpt2-medium": 355_000_000,
    "gpt2-large": 774_000_000,
    "gpt2-xl": 1_558_000_000,
    "gpt3": 175_000_000_000,
    "llama2-7b": 7_000_000_000,
    "llama3-8b": 8_000_000_000,
    "smollm2-135m": 135_000_000,
}


def shape_of(model: LanguageModel) -> TransformerShape:
    """The sizes of a shipped model, read off its arrays."""
    layers, heads, d_model, d_k = model.W_query.shape
    return TransformerShape(
        d_model=d_model,
        d_k=d_k,
        num_heads=heads,
        num_layers=layers,
        vocabulary=len(model.words),
        context=model.longest,
        biases=False,
        tied_embeddings=False,
        attention_only=True,
        output_bias=True,
    )


def shipped() -> dict[str, LanguageModel]:
    """The small language model of Part 4, by its name in the address; none where its weights cannot be read."""
    try:
        return {SHIPPED: load_language_model()}
    except ValueError:
        return {}


SHIPPED = "readable"
SHAPE_OF = {**SHAPES, **{name: shape_of(model) for name, model in shipped().items()}}
PUBLISHED |= {name: model.size for name, model in shipped().items()}  # of our own, what its arrays hold
MODELS, START = tuple(PUBLISHED), "gpt3"
MOST, LONG = 10**12, 512  # the largest size; the length of a text where the model sets none
FLAGS = ("biases", "tied_embeddings", "attention_biases", "learned_positions", "final_norm")
FLAGS += ("attention_only", "output_bias", "gated_feed_forward")
PARTS = ("attention_total", "feed_forward_total", "embeddings", "norms", "biases")
DISTANCES = ("1", "2", "5", "10", "50", "100", "500", "999", "10000", "100000", "1000000")


def size(name: str, meaning: str, *, least: int = 1) -> permalink.Field:
    """A size of the model, as published until it is changed."""
    return permalink.whole_number(
        name,
        meaning,
        least,
        MOST,
        lambda values: as_usual(values["model"], name),
        from_example=True,
    )


def as_usual(model: str, name: str) -> int:
    """A size of a published model; 0 where it follows from another one."""
    shape = SHAPE_OF[model]
    published, follows = getattr(shape, name), {"d_ff": 4 * shape.d_model, "num_kv_heads": shape.num_heads}
    return LONG if published is None else 0 if published == follows.get(name) else published


SIZES = (
    size("d_model", "the length of a word's vector"),
    size("d_k", "the length of a query, a key and a value"),
    size("num_heads", "the number of heads in a layer"),
    size("num_kv_heads", "the number of KV heads in a layer; 0: as many as heads", least=0),
    size("num_layers", "the number of layers; with decoder layers, those of the encoder"),
    size("decoder_layers", "the number of layers with both self-attention and cross-attention", least=0),
    size("d_ff", "the width of the feed-forward network; 0: four times d_model", least=0),
    size("vocabulary", "the number of tokens in the embedding table"),
    size("context", "the length of the text"),
)
NAMES = tuple(field.name for field in SIZES)
FIELDS = (
    permalink.choice("model", "the published model at the start", MODELS, START, interactive=True),
    *SIZES,
    permalink.goal_field(("longer_text", "same_parameters", "attention_majority")),
    permalink.choice("distance", "the distance of two words, in words", DISTANCES, "999"),
)


def shaping(s) -> None:
    """The shape that the sizes make."""
    model = s.models[s.model]
    d_ff, groups = own.unless_zero(s.d_ff), own.dividing(s.num_heads, s.num_kv_heads)
    sizes = (s.d_model, s.d_k, s.num_heads, s.num_layers, None, d_ff, groups, s.vocabulary, s.context)
    s.shape = own.TransformerShape(*sizes, s.decoder_layers, *(model[flag] for flag in FLAGS))


def counting(s) -> None:
    """What the shape costs, held against the published model; and what the goals ask for."""
    model = s.models[s.model]
    s.count = own.count_parameters(s.shape)
    s.attention_total_share = op.ratio(s.count.attention_total, s.count.total)
    s.feed_forward_total_share = op.ratio(s.count.feed_forward_total, s.count.total)
    s.embeddings_share = op.ratio(s.count.embeddings, s.count.total)
    s.norms_share = op.ratio(s.count.norms, s.count.total)
    s.biases_share = op.ratio(s.count.biases, s.count.total)
    s.vectors = op.ratio(s.count.embeddings, s.d_model)
    s.of_norms = op.ratio(s.count.norms, s.d_model)
    s.against = op.ratio(s.count.total, model["published"])
    s.touched = op.count_unlike(op.gathered(*(s[name] for name in NAMES)), model["sizes"])
    s.uneven = own.remainder(s.d_model, s.d_k)
    s.ungrouped = own.remainder(s.num_heads, s.num_kv_heads)
    # what a text needs
    s.cells = op.pattern_entries(s.context)
    # what the goals ask for
    s.heads_changed = op.relative_difference(s.num_heads, model["num_heads"])
    s.d_model_changed = op.relative_difference(s.d_model, model["d_model"])
    s.blocks_changed = op.relative_difference(s.shape.attention_blocks, model["attention_blocks"])
    s.text_grown = op.ratio(s.context, model["context"])
    s.cells_grown = op.ratio(s.cells, model["cells"])
    # heads for each KV head, times as many as published: 1 where neither shares
    s.sharing = op.ratio(op.ratio(s.num_heads, s.shape.num_kv_heads), model["kv_part"])
    s.attention_kept = op.ratio(s.count.attention_total, model["attention_total"])


def lengthening(s) -> None:
    """How many times more the pattern of a longer text is."""
    s.times = op.ratio(op.pattern_entries(s.longer), s.cells)


SHAPE = record(shaping, FIELDS, constants=["models"])
CALCULATION = s = SHAPE.then(counting)
LONGER = CALCULATION.then(lengthening, constants=["longer"])
GOALS = (
    Goal(
        "longer_text",
        s.cells_grown >= 100,
        s.attention_kept.within(1e-13, of=1.0),
        names={
            "length": (s.text_grown, "multiple"),
            "cells": (s.cells_grown, "multiple"),
            "kept": s.attention_kept,
        },
    ),
    Goal(
        "same_parameters",
        s.heads_changed >= 1e-13,
        s.attention_kept.within(1e-13, of=1.0),
        s.d_model_changed <= 0,
        s.blocks_changed <= 0,
        names={
            "heads": (s.num_heads, "whole"),
            "kv_heads": (s.shape.num_kv_heads, "whole"),
            "groups": (s.num_kv_heads, "whole"),
            "d_k": (s.d_k, "whole"),
            "kept": s.attention_kept,
        },
        separate=s.ungrouped >= 1,
        shared=s.sharing >= 2,
    ),
    Goal(
        "attention_majority",
        s.attention_total_share >= 0.5 + 1e-12,
        names={"share": (s.attention_total_share, "share")},
    ),
)
HALF = s.models[MODELS.index(START), "attention_share"]
LESS_THAN_HALF = ChoiceQuestion("less_than_half", more=HALF >= 0.5, less=HALF <= 0.5)
DOUBLE_CONTEXT = ChoiceQuestion(
    "double_context",
    two=LONGER.times.within(0, of=2),
    four=LONGER.times.within(0, of=4),
    eight=LONGER.times.within(0, of=8),
)


def as_published(name: str) -> dict:
    """A model as it was published, as the calculation reads it."""
    shape, counted = SHAPE_OF[name], own.count_parameters(SHAPE_OF[name])
    about = {flag: getattr(shape, flag) for flag in FLAGS} | {"published": PUBLISHED[name]}
    about |= {"sizes": [[field.default({"model": name}) for field in SIZES]]}
    about |= {key: getattr(shape, key) for key in ("num_heads", "d_model", "attention_blocks")}
    about |= {"attention_total": counted.attention_total, "embeddings": counted.embeddings}
    about |= {"kv_part": shape.num_kv_heads / shape.num_heads}
    about |= {"context": as_usual(name, "context"), "cells": as_usual(name, "context") ** 2}
    return about | {"attention_share": counted.attention_total / counted.total}


CONSTANTS = {"models": [as_published(name) for name in MODELS]}
