"""Heights held open: every page has them, and they follow the window's width."""

import json

from attention_lab.widgets import first_style
from tests.heights import ALWAYS, WIDTHS, name_of, simplify
from tests.visit import EVERY, PAGES

HEIGHTS = json.loads((first_style.HERE / "heights.json").read_text("utf-8"))


def test_every_page_holds_its_heights_open():
    assert list(HEIGHTS) == [name_of(path) for path in EVERY]
    for path in PAGES:
        of = HEIGHTS[name_of(path)]
        assert all(height > 100 for _, height in of["stage"])
        assert [of["stage"][0][0], of["stage"][-1][0]] == [WIDTHS[0], WIDTHS[-1]]


def test_a_height_runs_straight_from_one_width_to_the_next():
    style = first_style._held_open(".x", [(400, 1000), (500, 900), (600, 900)])
    assert style == (
        ".x{--held:1000px;@media(min-width:400px){--held:calc(1400px + -100vw)};"
        "@media(min-width:500px){--held:900px};@media(min-width:600px){--held:900px}}"
    )


def test_what_a_straight_line_comes_near_to_is_left_out():
    pairs = [(width, round(2000 - width + 5 * (width == 500))) for width in WIDTHS]
    assert [width for width, _ in simplify(pairs)] == [width for width in WIDTHS if width in ALWAYS]
    bent = [(width, height + 300 * (width == 641)) for width, height in pairs]
    assert {640, 641, 767} <= {width for width, _ in simplify(bent)}
