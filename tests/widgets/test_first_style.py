"""Heights held open: every page has them, and they follow the window's width."""

import json

from attention_lab.widgets import first_style
from tests.visit import EVERY, PAGES
from tools.heights import WIDTHS, name_of

HEIGHTS = json.loads((first_style.HERE / "heights.json").read_text("utf-8"))


def test_every_page_holds_its_heights_open():
    assert list(HEIGHTS) == [name_of(path) for path in EVERY]
    for path in PAGES:
        of = HEIGHTS[name_of(path)]
        assert all(height > 100 for _, height in of["stage"])
        assert [of["stage"][0][0], of["stage"][-1][0]] == [WIDTHS[0], WIDTHS[-1]]
