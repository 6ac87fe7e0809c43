"""The stage: the part of a page that follows the hand, at the screen's own rate.

A page says what lies on it as data (`plane`, `pairs`, `formula`, `goals` …) and what is computed
(`controls.calculation`); the browser draws and computes at every frame, and Python hears of it on release.
"""

from .choices import options, presets, ruler, slider
from .component import WHOLE_WIDTH, Column, keep, library, show, still
from .layout import beside, heading, remark
from .planes import addition, displacement, plane, pulls, vectors, weight_matrix
from .progress import goal_field, goals
from .shares import bars, bound, bounds, panel, ring
from .sizes import account, entry, floor_plan, size
from .stations import path, station, way
from .words import (
    coordinates,
    edge,
    heatmap,
    links,
    masks,
    mixture,
    order,
    outputs,
    pairs,
    sentence,
    tallied,
    tally,
    told,
    weights,
)

__all__ = [
    "WHOLE_WIDTH",
    "Column",
    "account",
    "addition",
    "bars",
    "beside",
    "bound",
    "bounds",
    "coordinates",
    "displacement",
    "edge",
    "entry",
    "floor_plan",
    "goal_field",
    "goals",
    "heading",
    "heatmap",
    "keep",
    "library",
    "links",
    "masks",
    "mixture",
    "options",
    "order",
    "outputs",
    "pairs",
    "panel",
    "path",
    "plane",
    "presets",
    "pulls",
    "remark",
    "ring",
    "ruler",
    "sentence",
    "show",
    "size",
    "slider",
    "station",
    "still",
    "tallied",
    "tally",
    "told",
    "vectors",
    "way",
    "weight_matrix",
    "weights",
]
