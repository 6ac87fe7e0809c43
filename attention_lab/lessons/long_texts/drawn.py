"""What lies on the stage of long texts: scores in tiles; the keys in a window, and its cost; shared keys."""

from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.lesson import Hidden
from attention_lab.state.state import State
from attention_lab.text.number_format import format_bytes

from .calculation import (
    ALL,
    BOUND,
    CALCULATION,
    COUNT,
    FIRST_PLACE,
    FIRSTS,
    GOALS,
    HIGHEST,
    LAST_PLACE,
    LONGEST,
    MEMORY,
    MODELS,
    SCORES,
    SHARED,
    SHORTEST,
    TILES,
    TOKENS,
    WINDOW,
    WINDOWS,
    published,
)

s = CALCULATION


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The goals, and the figure of the part that is chosen."""
    first = "first" if state.experiment == TILES else f"{state.experiment}/first"
    drawn = {
        TILES: lambda: [in_tiles(state)],
        WINDOW: lambda: in_a_window(state, now.layers),
        SHARED: lambda: with_shared_keys(state),
    }
    return [figure.goals(state, GOALS[state.experiment], now, first=first), *drawn[state.experiment]()]


def key_names(state: State) -> list[str]:
    """The keys of the query, from 1."""
    return [state.text.plain("tiles/key", n=str(n)) for n in range(1, len(SCORES) + 1)]


def in_tiles(state: State) -> figure.Column:
    """Scores and values of the nine keys, and what is held after each tile."""
    part = figure.part(
        "tiles",
        title=state.text.plain("figure"),
        badge=True,
        names=key_names(state),
        scores=s.scores,
        values=s.value,
        tiles=s.tiles,
        plain=s.plain[0, 0],
        context=s.context[0, 0],
        difference=s.difference,
        of=s.passed,
        count=COUNT,
        highest=HIGHEST,
        words=state.text.parts("tiles"),
    )
    return figure.Column([figure.pictured(part)], least=figure.WHOLE_WIDTH)


def in_a_window(state: State, layers: int) -> list[figure.Column]:
    """Which keys each query sees, and what that costs the model."""
    text = state.text
    words = text.parts("window") | {
        "of_all": text.plain("window/of_all", tokens=str(TOKENS)),
        "all_layers": text.plain("window/all_layers", layers=str(layers)),
        "bound": text.plain("window/bound", bound=str(BOUND)),
    }
    seen = figure.part(
        "seen_keys",
        title=text.plain("window/figure"),
        badge=True,
        window=s.window,
        widths=s.widths,
        width=s.width,
        kept=s.kept,
        back=s.back,
        reach=s.reach,
        perplexity=s.perplexity,
        tokens=TOKENS,
        words=words,
    )
    firsts = figure.options(s.first, text["window/firsts"], list(FIRSTS))
    cost = figure.part(
        "perplexities",
        title=text.plain("window/cost"),
        window=s.window,
        first=s.first,
        perplexities=s.perplexities,
        names=[text["window/all"] if w == ALL else w for w in WINDOWS],
        firsts=list(FIRSTS),
        whole=WINDOWS.index(ALL),
        bound=BOUND,
        words=words,
    )
    measured = text.filled("window/measured", low=str(FIRST_PLACE), high=str(LAST_PLACE))
    return [
        figure.Column([figure.pictured(seen)], share=1.1, least=330),
        figure.Column([firsts, cost, figure.remark(measured)], least=330),
    ]


def with_shared_keys(state: State) -> list[figure.Column]:
    """The query heads on their KV heads, and the cache beside the memory that it has to fit into."""
    text = state.text
    shared = {"kv": s.kv, "model": s.model, "models": s.models}
    shared |= {"memory": MEMORY, "words": text.parts("shared")}
    shown = figure.part(
        "shared_keys",
        title=text.plain("shared/figure", memory=format_bytes(MEMORY)),
        badge=True,
        kv_heads=s.kv_heads,
        per_kv_head=s.per_kv_head,
        longest=LONGEST,
        most=max(published(name)["num_heads"] for name in MODELS),
        **shared,
    )
    size = figure.part("cache_size", cache=s.cache, per_token=s.per_token, group=s.group, **shared)
    buttons = {
        text[f"models/{name}"]: figure.preset((s.model, place), (s.kv_heads, 0))
        for place, name in enumerate(MODELS)
    }
    models = figure.presets(buttons, title=text["models"], about=s.model)
    ticks = [LONGEST >> power for power in (7, 5, 3, 0)]
    long = figure.slider(
        s.tokens, text["shared/tokens"], low=SHORTEST, high=LONGEST, ticks=ticks, logarithmic=True
    )
    sides = [size, figure.heading(text["models"]), models, long, figure.remark(text["shared/counted"])]
    return [figure.Column([figure.pictured(shown)], share=1.8, least=330), figure.Column(sides, least=270)]
