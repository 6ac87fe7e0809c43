"""What lies on the stage of Position: a sentence in two orders, the position information, what that adds."""

import numpy as np

from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.lesson import Hidden
from attention_lab.state.state import State

from .calculation import CALCULATION as s
from .calculation import POSITIONS, ROTARY, SAME, at_first, reachable_goals

SEED = 7


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """Both orders and what tells them apart; beside them the plane, folded all attention weights."""
    text = state.text
    strength = figure.slider(s.strength, text["strength"], axis="s", low=0.0, high=2.0, ticks=(0.0, 1.0, 2.0))
    settings = [
        orders_to_try(state),
        figure.options(s.positions, text["positions"], [text[f"positions/{name}"] for name in POSITIONS]),
        figure.fold(text["strength"], figure.Column([strength])),
    ]
    first = "first" if state.positions == "none" or not state.strength else "first_on"
    return [
        figure.goals(state, reachable_goals(state), now, begin=at_first(state), first=first),
        figure.Column([figure.pictured(sentence_in_two_orders(state))], least=figure.WHOLE_WIDTH),
        figure.Column(settings),
        figure.Column([figure.pictured(on_the_plane(state)), *axes(state)], share=0.1, least=280),
        figure.Column([figure.fold(text["pattern/title"], *patterns(state))], least=figure.WHOLE_WIDTH),
    ]


def sentence_in_two_orders(state: State) -> figure.Part:
    """The sentence as it was and as the hand has put it, with every word's new vector in both.

    Numbers are in full colour from `limit` on. Differences up to `least` are written as `rounding`, and `texts`
    say of the largest whether it is more.
    """
    text = state.text
    return figure.part(
        "order",
        order=s.order,
        names=s.words,
        focus=s.word,
        stands=s.stands,
        said=s.said,
        first=s.as_given.context,
        now=s.back,
        changes=s.changes,
        most=s.largest,
        axes=state.worked_example.axes,
        title=text["order"],
        heads=[text[f"order/{name}"] for name in ("first", "now", "difference")],
        label=text["order/largest"],
        rounding=text["order/rounding"],
        texts=text.parts("verdict"),
        limit=3.0,
        least=SAME,
        badge=True,
        what={"first": "context", "now": "shuffled", "changes": "change", "most": "largest difference"},
    )


def orders_to_try(state: State) -> figure.Part:
    """Orders to try, as buttons."""
    n = len(state.words)
    straight = list(range(1, n + 1))
    made = {
        "as_it_was": straight,
        "swap": [n, *straight[1:-1], 1] if n > 1 else straight,
        "reverse": straight[::-1],
        "shift": [*straight[1:], 1],
        "random": (np.random.default_rng(SEED).permutation(n) + 1).tolist(),  # the same each time
    }
    once = {tuple(order): name for name, order in reversed(made.items())}  # of few words there are few orders
    buttons = {
        state.text[f"orders/{name}"]: figure.preset((s.order, [order]))
        for name, order in made.items()
        if once[tuple(order)] == name
    }
    return figure.presets(buttons, title=state.text["orders"])


def on_the_plane(state: State) -> figure.Part:
    """The words under the hand, and how the position moves each: at first, and in the order of the hand."""
    words = figure.vectors(
        s.vectors, names=s.table, handles=True, places=True, focus=s.word, through=s.ids, little=0.1
    )
    return figure.plane(
        state,
        state.worked_example.axes,
        [
            figure.displacement(s.x, s.placed, tone="ghost", role="context"),
            figure.displacement(s.x, s.placed_now, role="context"),
            words,
        ],
        low=-2.0,
        high=5.0,
        small=True,
        title=state.text.plain("figure_plane"),
        columns=columns(state.axes),
        hint=what_places_do(state),
    )


def what_places_do(state: State) -> str:
    """The section that says what a position does to the vectors on the plane."""
    if state.positions == "none":
        return "asks_only"
    if not state.strength:
        return "asks_strengthless"
    return "moves" if state.positions == "sinusoidal" else "asks_rotated"


def columns(pair: str) -> tuple[int, int]:
    """Which axes a pair of them is, ``2-4`` the second and the fourth."""
    first, second = pair.split("-")
    return int(first) - 1, int(second) - 1


def axes(state: State) -> list[figure.Part]:
    """Which two of more axes the plane shows."""
    names, pairs = state.worked_example.axes, [columns(pair) for pair in state.options("axes")]
    shown = [state.text.filled("axes/pair", first=names[a], second=names[b]) for a, b in pairs]
    choice = figure.options(s.axes, state.text["axes"], shown)
    return [figure.fold(state.text["axes"], figure.Column([choice]))] if len(pairs) > 1 else []


def patterns(state: State) -> list[figure.Column]:
    """Who looks at whom: in the first order, and in that of the hand."""
    as_given = figure.weights(state, s.as_given, title=state.text["pattern"], what="weight")
    in_your_order = figure.weights(
        state,
        s.shuffled,
        title=state.text["shuffled"],
        what="weight in your order",
        rows=s.words_said,
        columns=s.words_said,
        through=s.said,
    )
    return [figure.Column(parts, least=300) for parts in (as_given, in_your_order)]


def turning(state: State) -> list[figure.Column]:
    """Query and key, as they were (dashed) and rotated by their positions: the first two numbers of each."""
    marks = [
        figure.displacement(None, ROTARY.query, tone="ghost", role="query"),
        figure.displacement(None, ROTARY.key, tone="ghost", role="key"),
        figure.angle(ROTARY.turned_query[0], ROTARY.turned_key[0]),
        figure.vectors(ROTARY.turned_query, names=ROTARY.asks, role="query"),
        figure.vectors(ROTARY.turned_key, names=ROTARY.answers, role="key"),
    ]
    title = state.text.plain("figure_rotated")
    return [figure.Column([figure.plane(state, state.worked_example.axes, marks, title=title, hint="rotation")])]
