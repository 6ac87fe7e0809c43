"""What lies on the stage of scale: the published models, their matrices to scale, the account of the numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from attention_core import count_parameters, vocabulary_for
from attention_lab import figure
from attention_lab.calculation import Expression, Results, name_of
from attention_lab.lesson import Hidden
from attention_lab.state.state import State
from attention_lab.text import ui_text
from attention_lab.text.languages import language
from attention_lab.text.number_format import format_count, format_share, format_whole

from .sizes import CALCULATION, CONSTANTS, GOALS, MODELS, MOST, NAMES, PUBLISHED, SHAPE_OF, SIZES, START

s = CALCULATION
OF_SIZES = [place for place, goal in enumerate(GOALS) if goal.name != "longer_text"]
TICKS = [16**power for power in range(1, 6)]  # lengths that are written below the range
KNOWN = ("gpt2", "gpt3", "llama3-8b")  # models whose length of text is named above the range
CALLED = {"feed_forward": "feed-forward"}  # live numbers, in any language


def draw(state: State, now: Results, hidden: Hidden) -> list[figure.Column]:
    """The goals; the growing pattern; folded, the parameters to scale, their ledger and the published models."""
    values = state.values
    sized = any(values[field.name] != field.default(values) for field in SIZES if field.name != "context")
    parameters = figure.fold(
        state.text["folds/parameters"],
        figure.Column([drawn_to_scale(state)], share=1.08),
        figure.Column([account(state), figure.heading(state.text["models"]), published_models(state)]),
        goals=OF_SIZES,
        opened=sized or state.model != START,
    )
    return [
        figure.goals(state, GOALS, now, names=as_much_attention(state)),
        figure.Column(
            [figure.pictured(growing_pattern(state, unsure=hidden[-1])), parameters], least=figure.WHOLE_WIDTH
        ),
    ]


def as_much_attention(state: State) -> dict[str, str]:
    """The model's name, another number of heads, and the d_k with which attention has as many parameters."""
    shape = SHAPE_OF[state.model]
    shares = shape.num_kv_heads < shape.num_heads
    heads = shape.num_kv_heads if shares else 2 * shape.num_heads
    d_k = (shape.num_heads + shape.num_kv_heads) * shape.d_k // (2 * heads)
    return {
        "model": state.text.plain(f"models/{state.model}"),
        "other_heads": format_whole(heads),
        "other_d_k": format_whole(d_k),
    }


def growing_pattern(state: State, *, unsure: bool) -> figure.Part:
    """The square of one pattern, over the length of the text under the hand. `unsure` of the doubled text."""
    known = [[SHAPE_OF[name].context, state.text.plain(f"models/{name}")] for name in KNOWN]
    same = state.text.plain("growth/same", model=state.text[f"models/{state.model}"])
    return figure.part(
        "growth",
        title=state.text.plain("growth"),
        badge=True,
        touched=s.touched,
        words=state.text.parts("growth") | {"same": same},
        context=size(state, s.context, low=16, high=1048576) | {"ticks": TICKS, "known": known},
        length=s.text_grown,
        grown=s.cells_grown,
        cells=s.cells,
        parameters=s.count.attention_total,
        veiled=unsure,
    )


def published_models(state: State) -> figure.Part:
    """The published models, a button each."""
    buttons = {
        state.text[f"models/{name}"]: figure.preset(
            (s.model, place), *((s[size], n) for size, n in zip(NAMES, about["sizes"][0], strict=True))
        )
        for place, (name, about) in enumerate(zip(MODELS, CONSTANTS["models"], strict=True))
    }
    return figure.presets(buttons, title=state.text["models"], whole=True, about=s.model)


def drawn_to_scale(state: State) -> figure.Part:
    """All parameters as one area, and the matrices of one layer with a corner under the hand."""
    return figure.part(
        "floor_plan",
        title=state.text.plain("figure"),
        hint=state.text.plain("hint"),
        badge=True,
        words=state.text.parts("drawn"),
        shape=s.shape,
        count=s.count,
        d_model=s.d_model,
        d_k=s.d_k,
        most=MOST,
        touched=s.touched,
    )


def account(state: State) -> figure.Part:
    """What each part costs, line by line, with the sizes that it follows from under the hand."""
    text = state.text
    return figure.part(
        "account",
        title=text["entries"],
        entries=[*of_the_whole(state), *of_a_layer(state)],
        all=text.parts("all"),
        needed=OF_SIZES,
        model=s.model,
        published=[{"text": format_total(PUBLISHED[name]), "note": note(state, name)} for name in MODELS],
        published_label=text["published"],
        touched=s.touched,
        own=text["published/own"],
        gap=s.against,
        notes=[
            {"when": s.uneven, "text": figure.pieces(text.around("uneven", d_k=s.d_k, d_model=s.d_model))},
            {
                "when": s.ungrouped,
                "text": figure.pieces(text.around("ungrouped", groups=s.num_kv_heads, heads=s.shape.num_heads)),
            },
        ],
    )


def of_a_layer(state: State) -> list[Mapping[str, Any]]:
    """One matrix, one head and one layer."""
    matrix, heads, groups = s.count.per_matrix, s.shape.num_heads, s.shape.num_kv_heads
    return [
        entry(
            state,
            "matrix",
            [s.d_model, " × ", s.d_k],
            matrix,
            sizes=[size(state, s.d_model, low=16, high=32768), size(state, s.d_k, low=4, high=1024)],
            heading=state.text["one_layer"],
            more="line",
        ),
        entry(state, "head", ["W_Q, W_K, W_V, W_O: 4 × ", matrix], s.count.per_head, more="line"),
        entry(
            state,
            "layer",
            ["2 × (", heads, " + ", groups, ") × ", matrix],
            s.count.per_layer,
            sizes=[size(state, s.num_heads, shown=heads, high=256, times=s.num_kv_heads)],
            more="line",
        ),
    ]


def of_the_whole(state: State) -> list[Mapping[str, Any]]:
    """The parts of the model, each with its share, and their sum."""
    d_ff = s.shape.d_ff
    layers = [size(state, s.num_layers, high=192), size(state, s.decoder_layers, high=192, least=0, also=[0])]
    wide = [size(state, s.d_ff, shown=d_ff, low=16, high=131072, least=0, rest=(s.d_model, 4))]
    words = [size(state, s.vocabulary, low=16, high=262144, also=[37_000, 50_257])]
    in_layers = [s.shape.attention_blocks, " × ", s.count.per_layer]
    forward = [s.shape.feed_forward_matrices, " × ", s.d_model, " × ", d_ff, " × ", s.shape.feed_forward_blocks]
    biases = [state.text["entries/biases_how"]]
    heading = state.text["parameters"]
    return [
        shared(state, "attention", "attention_total", in_layers, role="attention", sizes=layers, heading=heading),
        shared(state, "feed_forward", "feed_forward_total", forward, role="feed", sizes=wide),
        shared(state, "embeddings", "embeddings", [s.vectors, " × ", s.d_model], role="words", sizes=words),
        shared(state, "norms", "norms", [s.of_norms, " × ", s.d_model], role="rest"),
        shared(state, "biases", "biases", biases, role="rest"),
        entry(state, "total", [], s.count.total, role="total", result=True, published=True),
    ]


def shared(
    state: State,
    name: str,
    part: str,
    how: figure.Text,
    *,
    role: str,
    sizes: Sequence[Mapping[str, Any]] = (),
    heading: str = "",
) -> Mapping[str, Any]:
    """An `entry` for a part of the whole: its number and its share wait for the guess."""
    of, share = getattr(s.count, part), s[f"{part}_share"]
    return entry(
        state, name, how, of, share=share, role=role, result=True, sizes=sizes, heading=heading, more="sizes"
    )


def entry(
    state: State,
    name: str,
    how: figure.Text,
    of: Expression,
    *,
    share: Expression | None = None,
    role: str = "",
    result: bool = False,
    published: bool = False,
    heading: str = "",
    more: str = "",
    sizes: Sequence[Mapping[str, Any]] = (),
) -> Mapping[str, Any]:
    """A line of the account: `how` it is made and the number `of` it, with the `sizes` that it follows from.

    A `result` waits for the guess; the line on what was `published` follows it. `role` gives the colour;
    `heading` is above the line. The whole ``line`` or its ``sizes`` are `more` than the account shows at first.
    """
    label = state.text[f"entries/{name}"]
    line = {"name": name, "label": label, "what": CALLED.get(name, label)}
    line |= {"how": figure.pieces(how), "of": of}
    further = {"share": share, "role": role, "result": result, "heading": heading, "more": more}
    further |= {"published": published, "sizes": list(sizes)}
    return line | {key: value for key, value in further.items() if isinstance(value, Expression) or value}


def size(
    state: State,
    of: Expression,
    *,
    shown: Expression | None = None,
    low: int = 1,
    high: int,
    least: int = 1,
    also: Sequence[int] = (),
    rest: tuple[Expression, int] | None = None,
    times: Expression | None = None,
) -> Mapping[str, Any]:
    """A size, at `least` so much, as a range from `low` to `high` and typed in; `shown` is what it comes to.

    The range stops at round numbers and `also` at these. Where the page holds 0 for it, `rest` says of which
    number how many times is meant. Only multiples of `times` come up.
    """
    label = state.text[f"sizes/{name_of(of)}"]
    about = {"of": of, "label": label, "axis": state.text["size"], "shown": of if shown is None else shown}
    about |= {"low": low, "high": high, "least": least, "most": MOST, "also": list(also)}
    about["field"] = state.text.filled("typed", label=label)
    about["refused"] = state.text.filled("refused", label=label, least=str(least), most=format_whole(MOST))
    more = {"rest": rest, "times": times}
    return about | {key: value for key, value in more.items() if value is not None}


def format_total(published: int) -> str:
    """A published total as it is usually written: in whole millions where a million has a name."""
    if published < 10**6:
        return format_whole(published)
    if published >= 2 * 10**9 or 6 not in language().large:
        return format_count(published)
    return ui_text("numbers/million", count=format_whole(published // 10**6))


def note(state: State, name: str) -> str:
    """What the total of a model assumes, and where the published one may come from."""
    shape, published = SHAPE_OF[name], PUBLISHED[name]
    attention = count_parameters(shape).attention_total
    return state.text.plain(
        f"published/{name}",
        wanted=f"{vocabulary_for(shape, published):,.0f}",
        nominal=format_share(attention / published),
        counted=format_share(attention / count_parameters(shape).total),
    )
