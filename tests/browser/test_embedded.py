"""A page in a frame of another page: without sidebar and head, and nothing to be scrolled sideways, at 320 px."""

import pytest
from playwright.sync_api import expect

from tests.browser.hand import handle
from tests.browser.harness import rerun, settled
from tests.browser.test_every_page import sideways

NARROW = 320
FRAME = """([address, width]) => {
    const frame = document.createElement('iframe');
    Object.assign(frame, { src: address, width, height: 640, name: 'lab' });
    frame.style.border = 0;
    document.body.replaceChildren(frame);
}"""
HEADS = ("stSidebar", "stHeader", "stExpandSidebarButton", "stSidebarNav")


@pytest.fixture
def framed(open_page):
    """Opens pages in a frame of so many pixels, in a page that holds nothing else."""
    outer = open_page("_stcore/health", wait=False)

    def opened(address, width=NARROW):
        outer.evaluate(FRAME, [f"{outer.url.split('/_stcore')[0]}/{address}", width])
        outer.wait_for_function("frames.lab?.labRuns?.finished.length", polling=50)
        frame = outer.frame("lab")
        settled(frame, 60)
        return frame

    return opened


@pytest.mark.parametrize("address", ["", "worksheets"])
def test_a_page_fits_a_frame_of_320_pixels(framed, address):
    frame = framed(f"{address}?embed=true")
    assert frame.evaluate("innerWidth") == NARROW
    assert [name for name in HEADS if any(e.is_visible() for e in frame.get_by_test_id(name).all())] == []
    assert sideways(frame) <= 0


def test_in_a_frame_a_hand_moves_what_it_moves_elsewhere(framed):
    frame = framed("similarity?embed=true", 800)
    expect(frame.get_by_role("heading", name="Similarity", exact=True)).to_be_visible()
    expect(frame.get_by_test_id("stSidebar")).to_be_hidden()
    hand = handle(frame)
    before = hand.get_attribute("aria-valuetext")
    with rerun(frame):
        hand.press("ArrowUp")
    assert hand.get_attribute("aria-valuetext") != before
    assert "embed=true" in frame.url
    assert "vectors=" in frame.evaluate("location.search")
