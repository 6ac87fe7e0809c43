"""What lies on the stage of long texts: nine scores in three tiles; the keys in a window, and its cost."""

from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.lesson import Hidden
from attention_lab.state.state import State

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
    SCORES,
    TILES,
    TOKENS,
    WINDOWS,
)

s = CALCULATION


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The goals, and the figure of the part that is chosen."""
    of_tiles = state.experiment == TILES
    first = "first" if of_tiles else "window/first"
    goals = figure.goals(state, GOALS[state.experiment], now, first=first)
    return [goals, *([in_tiles(state)] if of_tiles else in_a_window(state, now.layers))]


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
