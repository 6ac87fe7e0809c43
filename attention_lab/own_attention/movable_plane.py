"""One head's queries and keys of two dimensions, on a plane where they can be moved: the weights follow."""

from typing import Any

import numpy as np

from attention_lab.calculation import record
from attention_lab.calculation.operations import scaled_dot_product_attention
from attention_lab.figure.layout import Column, heading, pictured, remark
from attention_lab.figure.parts import Part, constant
from attention_lab.figure.planes import plane, projection, vectors
from attention_lab.figure.words import heatmap
from attention_lab.html_file.figure_page import figure_page
from attention_lab.text import read

from .attention import Attention

MOST = 12  # queries, and keys


def _attend(s) -> None:
    s.trace = scaled_dot_product_attention(s.query, s.key, s.value, s.mask, s.scale)


MOVED = ("query", "key", "word", "other")
s = record(_attend, MOVED, ("value", "mask", "scale", "words", "key_words"))


def movable(given: Any) -> Any:
    """Return the trace of one head whose queries and keys have two dimensions, and are few; else None."""
    if not (hasattr(given, "masked_scores") and hasattr(given, "query")):
        return None
    is_plane = given.query.ndim == given.key.ndim == 2 and given.query.shape[1] == 2
    return given if is_plane and max(len(given.query), len(given.key)) <= MOST else None


def movable_page(trace: Any, attention: Attention, title: str) -> str:
    """Return the HTML file of a plane of a trace's queries and keys, (n_q, 2) and (n_k, 2), and its weights."""
    text = read("own_attention")
    title = title or text.plain("view_title")
    known = {
        "value": trace.value,
        "mask": trace.mask,
        "scale": trace.scale,
        "words": attention.queries,
        "key_words": attention.keys,
    }
    pose = {"query": trace.query.tolist(), "key": trace.key.tolist(), "word": len(trace.query) - 1, "other": 0}
    both = np.abs(np.concatenate([trace.query, trace.key])).max()
    reach = float(np.ceil(1.2 * max(both, 1)))
    labels = text.parts("plane")
    weights = heatmap(
        s.trace.weights,
        title=text.plain("pattern"),
        what="weight",
        limit=1.0,
        scale="share",
        form="share",
        columns=constant("key_words"),
        computed_from=[s.trace.scaled_scores],
        badge=False,
    )
    columns = [
        Column([pictured(_plane(title, labels["hint"], reach))], share=1.2, least=330),
        Column(
            [heading(text.plain("plane/weights")), pictured(weights), remark(labels["says"])], share=1, least=300
        ),
    ]
    return figure_page(columns, title, known, pose, s)


def _plane(title: str, hint: str, reach: float) -> Part:
    hand = {"handles": True, "takes": True}
    marks = [
        projection(s.key[s.other], onto=s.query[s.word]),
        vectors(s.key, names=constant("key_words"), role="key", prefix="k", handle="key", focus=s.other, **hand),
        vectors(s.query, role="query", prefix="q", handle="query", focus=s.word, **hand),
    ]
    made = plane(None, ["", ""], marks, low=-reach, high=reach, title=title, hint="")
    return made | {"hint": hint, "badge": None}
