"""The stage: the part of a page that follows the hand, at the screen's own rate.

A lesson says what lies on it (`plane`, `heatmap`, `formulas`, `goals` …) and what is calculated; the browser
draws and computes at every frame, and Python hears of it on release. What only one lesson draws with lies there.
"""

from .choices import options, preset, presets, slider
from .formula import formulas
from .layout import WHOLE_WIDTH, Column, beside, fold, heading, pictured, remark
from .models import cosines, measured, pattern, rebuild_on, senses
from .parts import IDS, OTHER, TABLE, WORD, WORDS, Part, Text, constant, part, pieces
from .planes import (
    addition,
    angle,
    are_tech_and_fruit,
    chain,
    diagonal,
    displacement,
    distance,
    hull,
    plane,
    projection,
    pulls,
    vectors,
    weight_matrix,
)
from .progress import goals
from .words import arcs, edge, explanation, heatmap, row_sums, sentence, switches, weights
