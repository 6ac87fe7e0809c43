"""What lies on the stage: the text, one head's pattern and the cache, the next token; in folds the rest."""

from collections.abc import Sequence
from typing import Any

from attention_core.models import chat_text, count_multiplications, load_language_model
from attention_lab import figure
from attention_lab.calculation import Calculation, Results, name_of
from attention_lab.language_models import HEAD_NAMES, HEADS, LAYERS
from attention_lab.lesson import Hidden
from attention_lab.state.state import State
from attention_lab.text.number_format import format_bytes, format_number, format_share, format_whole

from .calculation import CALCULATION as s
from .calculation import ENOUGH, GOALS, HALF, SURE, UNSURE, WRONG, eight, half, same, unmasked
from .fields import HIGHEST_TEMPERATURE, LEAST_PART, SWITCH, TOP_K, is_being_written, is_live, recorded_text
from .recorded import cache_bytes

D_K, BYTES = 8, 4  # numbers of a key and of a value of this model; bytes of a 32-bit number
GAPS = {"gap": s.gap, "gap_next": s.gap_next}  # between cached and recomputed numbers


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The text; one head's pattern beside the next token; how it is chosen, and the cache, in folds."""
    numbers = {"half": format_share(HALF), "sure": format_share(SURE), "unsure": format_share(UNSURE)}
    numbers |= {"wrong": format_number(WRONG), "enough": str(ENOUGH)}
    in_text = written(state, s, next=s.next_token, draw=name_of(s.draw))
    changed = {"text": state.text["pattern/change"], "of": s.change, "what": "largest change", "form": "settled"}
    pattern = growing(
        state,
        s,
        HEAD_NAMES,
        next=s.next_token,
        pattern=s.now.weights[s.head],
        earlier=s.earlier.weights[s.head],
        cache=[[s[name].keys[s.head], s[name].values[s.head]] for name in ("cached", "now")],
        number=changed,
    )
    coming = next_tokens(
        state,
        draw=name_of(s.draw),
        adjusted=s.adjusted,
        own=s.now.next_word,
        order=s.order,
        next=s.next_token,
        vocabulary=s.vocabulary,
    )
    return [
        figure.goals(state, GOALS, now, names=numbers, of_word=False),
        figure.Column([in_text], least=figure.WHOLE_WIDTH),
        figure.Column([figure.pictured(pattern)], share=0.2, least=440, turn=2),
        figure.Column([coming], least=330, turn=1),
        figure.Column([sampling(state), caching(state), chat(state)], least=figure.WHOLE_WIDTH, turn=3),
    ]


def written(state: State, s: Calculation, **more: Any) -> figure.Part:
    """The text token by token, with a button that adds one, and a player.

    `more` has the number of the `next` token, and the `draw` that a new one needs: without it, the text is there
    and shows one token more.
    """
    texts = state.text.parts("tokens")
    if "draw" not in more:
        texts["full"] = state.text["recorded/end"]
    if is_live(state.values):
        texts["full"] = state.text["live/writing" if is_being_written(state.values) else "live/end"]
    return figure.part(
        "written_tokens",
        title=state.text["tokens"],
        tokens=name_of(s.tokens),
        shown=name_of(s.shown),
        given=s.given,
        count=s.count,
        vocabulary=s.vocabulary,
        words=state.text.parts("player"),
        longest=s.longest,
        texts=texts,
        **more,
    )


def growing(state: State, s: Calculation, heads: Sequence[str], **more: Any) -> figure.Part:
    """The pattern of one head, and the keys and values of its cache.

    `more` has the number of the `next` token, the `pattern`, a `number` above it; `earlier`, the pattern without
    the newest token, and `cache`, pairs of keys and values, cached and fresh, where these can differ; `of_layer`,
    the number of query heads and of KV heads of a layer, where heads share these.
    """
    return figure.part(
        "growing_pattern",
        badge=True,
        title=state.text["pattern"],
        head=name_of(s.head),
        words=s.words,
        vocabulary=s.vocabulary,
        longest=s.longest,
        heads=list(heads),
        turned=state.orientation == "columns",
        texts=state.text.parts("pattern"),
        **more,
    )


def next_tokens(state: State, **more: Any) -> figure.Part:
    """What may come next; with a `draw`, that under the hand."""
    texts = state.text.parts("next")
    if is_live(state.values):
        texts["over"] = state.text["live/over" if recorded_text(state.values).top_tokens else "live/reading"]
    return figure.part("next_tokens", badge=True, title=state.text["next"], texts=texts, **more)


def sampling(state: State) -> figure.Part:
    """Temperature, top-k and top-p."""
    text, goals = state.text, state.options("goal")
    temperature = figure.slider(
        s.temperature,
        text["temperature"],
        axis="T",
        low=0,
        high=HIGHEST_TEMPERATURE,
        ticks=[*range(int(HIGHEST_TEMPERATURE) + 1)],
    )
    top_k = figure.options(s.top_k, text["top_k"], [text.parts("top_ks").get(name, name) for name in TOP_K])
    top_p = figure.slider(s.top_p, text["top_p"], axis="p", low=LEAST_PART, high=1, ticks=(0.25, 0.5, 0.75, 1))
    return figure.fold(
        text["folds/sampling"],
        figure.Column([temperature], least=300),
        figure.Column([top_k], least=300),
        figure.Column([top_p], least=300),
        figure.Column([figure.remark(text["two_temperatures"])], least=figure.WHOLE_WIDTH),
        goals=[goals.index(goal) for goal in (same, half)],
    )


def caching(state: State) -> figure.Part:
    """What the cache saves, and what becomes of it without the mask."""
    text, goals = state.text, state.options("goal")
    work = figure.part(
        "work_bars",
        title=text["work"],
        work=s.work,
        sums=s.work_in_all,
        texts=text.parts("work"),
    )
    mask = figure.options(s.causal, text["mask"], [text[f"mask/{name}"] for name in SWITCH])
    lines = [{"text": text[name], "of": value, "what": name} for name, value in GAPS.items()]
    gaps = figure.part("number_lines", lines=lines)
    without, cached = count_multiplications(load_language_model(), 1, 3)
    more = {"little": format_whole(cached[2] - cached[1]), "much": format_whole(without[1] - without[0])}
    words = text.filled("prefill_decode", bytes=format_bytes(cache_bytes(LAYERS, HEADS, D_K, BYTES)), **more)
    return figure.fold(
        text["folds/cache"],
        figure.Column([figure.heading(text["work"]), work, figure.remark(words)], least=420),
        figure.Column([mask, gaps, figure.remark(text["no_mask"])], least=330),
        goals=[goals.index(goal) for goal in (unmasked, eight)],
    )


def chat(state: State) -> figure.Part:
    """How a conversation is one text."""
    marked = chat_text("Why?").replace("\n", "↵ ").strip()
    return figure.fold(
        state.text["folds/chat"],
        figure.Column([figure.remark(state.text.filled("chat", text=marked))], least=figure.WHOLE_WIDTH),
    )
