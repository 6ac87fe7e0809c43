"""The HTML of a view: its figure, what the browser knows of each pattern, and the weights as packed scripts."""

import html
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.figure.browser_code import OwnParts
from attention_lab.figure.choices import options
from attention_lab.figure.layout import Column, pictured
from attention_lab.figure.parts import Part, constant, part
from attention_lab.figure.payload import plain_payload
from attention_lab.figure.planes import plane, vectors
from attention_lab.html_file.figure_page import SCRIPT
from attention_lab.html_file.shell import figure_place, figure_scripts, html_file, packed_data
from attention_lab.text import Text, read, ui_text
from attention_lab.text.number_format import format_number, format_share, format_whole

from .attention import Attention, Patterns
from .forms import NAMES as KNOWN
from .head_measures import KINDS, measure_heads
from .packing import largest_error, most_of, pack_layers, packed_bytes, rounded_up, strongest, thumbnail
from .summaries import change, contributions, mean_over_heads, measure_change, rollout

if TYPE_CHECKING:
    import pandas as pd

HERE = Path(__file__).parent
PARTS = OwnParts("own_attention", HERE / "browser")
SPREAD = "spread"
MEASURES = (*KINDS, SPREAD, "change")
HEAD, ADDED, MEAN, ROLLOUT, CHANGE = "head", "added", "mean", "rollout", "change"  # what a pattern is of
BITS_OF_CHANGE = 16  # its steps are twice as large as those of weights
ARROWS = ("arrow_queries", "arrow_keys", "query_names", "key_names", "asking")  # what the browser adds for a head
MOST_ARROWS = 128  # of queries and of keys
HEIGHT = 760  # px of a notebook's cell, until the page in it has said how high it is
# No browser shows what stands inside the element. Jupyter does, where it takes the frame out of a notebook.
CELL = """<iframe title="{title}" srcdoc="{page}" style="width: 100%; height: {height}px; border: 0">
{instead}</iframe>"""
NOTE = '<p class="note">{}</p>'
SUM_TOLERANCE = 0.02  # by which a row may miss 1: one of weights in 16 bits may be off by so much


@dataclass(frozen=True)
class Shown:
    """What can be chosen in the list of a view: the patterns of one kind of attention, or what sums them up."""

    label: str
    attention: Patterns
    measures: "pd.DataFrame"
    of: str = HEAD
    bits: int = 0  # of its weights, where they are not the view's


def cell(text: str, title: str) -> str:
    """Return an HTML file as a frame inside another page, such as a notebook's."""
    words = read("own_attention")
    title, instead = map(html.escape, (title or words.plain("view_title"), words.plain("not_trusted")))
    return CELL.format(title=title, page=html.escape(text, quote=True), height=HEIGHT, instead=instead)


def page(
    attention: Mapping[str, Attention],
    measures: Mapping[str, "pd.DataFrame"],
    changes: Sequence[tuple[str, str]],
    title: str,
    bits: int,
) -> str:
    """Return the HTML file of a view of each kind of attention, with its measures.

    `changes` are pairs of kinds, of which the page shows what the second has more than the first.
    """
    text = read("own_attention")
    title = title or text.plain("view_title")
    shown = [*_shown(attention, measures, changes, text)]
    pose = {
        "view": 0,
        "head": int(shown[0].measures["change"].argmax()) if shown[0].of == CHANGE else 0,
        "query": len(shown[0].attention.queries) - 1,
        "measure": 0,
        "sorted": 0,
        "form": 0,
    }
    views = [_to_payload(number, each, bits, text) for number, each in enumerate(shown)]
    columns = _columns([each.label for each in shown], text)
    constants = {"views": views} | dict.fromkeys(ARROWS, ())
    payload = plain_payload("own_attention", columns, title, constants, pose, provenance="", own=PARTS)
    scripts = figure_scripts(payload.decode(), SCRIPT, PARTS, more="\n".join(_data(shown, bits)))
    notes = []
    for each in shown:
        if each.of == HEAD:
            before = f"{each.label}: " if len(attention) > 1 else ""
            notes += [before + note for note in _notes(each.attention, text)]
    error = largest_error(bits) if not changes else max(largest_error(bits), largest_error(BITS_OF_CHANGE, True))
    notes.append(text.filled("error", bits=str(bits), error=format_number(rounded_up(error))))
    main = "\n".join([figure_place(title), *(NOTE.format(html.escape(note)) for note in notes)])
    return html_file(title, main, scripts=scripts)


def _shown(
    attention: Mapping[str, Attention],
    measures: Mapping[str, "pd.DataFrame"],
    changes: Sequence[tuple[str, str]],
    text: Text,
) -> Iterator[Shown]:
    labels = {kind: text.plain(f"of/{kind}") if kind in KNOWN else kind for kind in attention}
    for pair in changes:
        made = change(*(attention[kind] for kind in pair))
        names = dict(zip(("before", "after"), (labels[kind] for kind in pair), strict=True))
        yield Shown(text.plain("of/change", **names), made, measure_change(made), CHANGE, BITS_OF_CHANGE)
    for kind, each in attention.items():
        label = labels[kind]
        yield Shown(label, each, measures[kind])
        summaries = {ADDED: contributions(each)} if each.lengths else {}
        if any(len(heads) > 1 for heads in each.weights):
            summaries[MEAN] = mean_over_heads(each)
        is_whole = len(each.weights) > 1 and [*each.layers] == [*range(len(each.weights))]  # no layer is left out
        if is_whole and each.is_self and len(each.queries) == len(each.keys):
            summaries[ROLLOUT] = rollout(each)
        for of, made in summaries.items():
            yield Shown(text.plain(f"of/{of}", kind=label), made, measure_heads(made), of)


def _to_payload(number: int, shown: Shown, bits: int, text: Text) -> dict[str, Any]:
    """What the browser knows of patterns besides their weights."""
    attention, measures = shown.attention, shown.measures
    names = [(str(attention.layers[layer]), str(head)) for layer, head in attention.heads]
    n_q, n_k = len(attention.queries), len(attention.keys)
    return {
        "id": f"weights_{number}",
        "bits": shown.bits or bits,
        "most": most_of(shown.bits or bits, signed=shown.of == CHANGE),
        "heads": [len(each) for each in attention.weights],
        "shared": [*attention.shared],
        "layers": [str(name) for name in attention.layers],
        "names": [".".join(name) for name in names],
        "titles": [text.plain(f"title/{shown.of}", layer=layer, head=head) for layer, head in names],
        "says": "" if shown.of == HEAD else text.plain(f"says/{shown.of}"),
        "queries": [*attention.queries],
        "keys": [*attention.keys],
        "same": attention.is_self,
        "before": n_k - n_q if attention.is_self else 0,
        "prompt": attention.prompt,
        "thumbnail": [*thumbnail(attention.weights[0][:1]).shape[1:]],
        "signed": shown.of == CHANGE,
        "measures": [
            {
                "name": text.plain(f"measures/{name}"),
                "bits": name == SPREAD,
                "most": max(1.0, math.log2(n_k)) if name == SPREAD else 1,
                "values": _numbers(measures[name]),
            }
            for name in measures
            if name in MEASURES and not measures[name].isna().all()
        ],
        "kinds": [text.plain(f"kinds/{kind}") if kind and shown.of == HEAD else "" for kind in measures["kind"]],
        "first_lengths": _first_lengths(attention),
        "arrows": _arrows(attention),
    }


def _data(shown: Sequence[Shown], bits: int) -> Iterable[str]:
    """The weights of each layer, and the small pictures of all heads, as scripts."""
    for number, each in enumerate(shown):
        weights = each.attention.weights
        for layer, letters in enumerate(pack_layers(weights, each.bits or bits, signed=each.of == CHANGE)):
            yield packed_data(f"weights_{number}_{layer}", letters)
        yield packed_data(f"weights_{number}_strongest", packed_bytes(strongest(weights).tobytes()))
        pictures = b"".join(thumbnail(heads, signed=each.of == CHANGE).tobytes() for heads in weights)
        yield packed_data(f"weights_{number}_thumbnails", packed_bytes(pictures))


def _numbers(column: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(number) else float(number) for number in column]


def _notes(attention: Attention, text: Text) -> list[str]:
    """What must be said of the weights: rows that do not sum to 1. They are shown as they are."""
    sums = attention.row_sums
    empty = sums == 0
    off = sums[(np.abs(sums - 1) > SUM_TOLERANCE) & ~empty]
    rows = format_whole(sums.size)
    found = [text.filled("notes/empty", count=format_whole(int(empty.sum())), rows=rows)] if empty.any() else []
    if off.size:
        ends = {"low": format_number(off.min()), "high": format_number(off.max())}
        found.append(text.filled("notes/off", count=format_whole(off.size), rows=rows, **ends))
    return found


def _first_lengths(attention: Patterns) -> list[float | None] | None:
    """For each head the length of what the first token's value adds, in those of the others' median."""
    if not attention.lengths or not attention.is_self or len(attention.keys) < 3:
        return None
    lengths = np.concatenate([np.asarray(each) for each in attention.lengths])
    median = np.median(lengths[:, 1:], axis=1)
    return [
        float(first / middle) if middle > 0 else None for first, middle in zip(lengths[:, 0], median, strict=True)
    ]


def _marks() -> list[Part]:
    """What lies on the plane of a head: all keys, and the query that is shown."""
    return [
        vectors(constant("arrow_keys"), names=constant("key_names"), role="key", prefix="k", little=0.35),
        vectors(
            constant("arrow_queries"),
            names=constant("query_names"),
            role="query",
            prefix="q",
            only=constant("asking"),
        ),
    ]


def _arrows(attention: Patterns) -> dict[str, Any] | None:
    """For each head its queries and keys in a plane, and what that holds of them; the longest of each is 1."""
    if not attention.arrows or max(len(attention.queries), len(attention.keys)) > MOST_ARROWS:
        return None
    found: dict[str, Any] = {"query": [], "key": [], "held": []}
    for each in attention.arrows:
        for name in ("query", "key"):
            vectors = getattr(each, name)
            longest = np.linalg.norm(vectors, axis=-1).max(axis=1)[:, None, None]
            found[name] += (vectors / np.maximum(longest, np.finfo(float).tiny)).round(3).tolist()
        found["held"] += [format_share(held) for held in each.held]
    return found


def _columns(labels: Sequence[str], text: Text) -> list[Column]:
    texts = text.parts("text")
    heads = part("head_cells", title=text.plain("heads"), kinds=[*labels], texts=text.parts("controls"))
    account = part("head_account", texts={"first_length": text.plain("first_length")})
    tokens = part("token_text", title=text.plain("tokens"), texts=texts)
    pattern = pictured(part("pattern_canvas", title=text.plain("pattern"), texts=texts))
    form = options(constant("form"), text.plain("form"), [text.plain("forms/matrix"), text.plain("forms/lines")])
    of_arcs = {name: ui_text(f"arcs/{name}") for name in ("asks", "strongest", "off", "lens")}
    lines = part("head_lines", title=text.plain("forms/lines"), texts=of_arcs | text.parts("lines"))
    arrows = part(
        "head_vectors",
        title=text.plain("arrows/title"),
        held=text.plain("arrows/held"),
        plane=plane(
            None, ["", ""], _marks(), low=-1.1, high=1.1, title=text.plain("arrows/title"), hint="", small=True
        ),
    )
    save = part("save_head", title=text.plain("save"))
    player = part("written_text", title=text.plain("player/slider"), words=text.parts("player"))
    return [
        Column([heads], share=1, least=380),
        Column([account, player, tokens, form, pattern, lines, save, arrows], share=1.5, least=420),
    ]
