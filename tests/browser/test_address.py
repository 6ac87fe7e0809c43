"""The URL of a page, which the browser alone writes: Back, and a server that has forgotten everything."""

from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from lab import ROOT
from tests.browser.hand import across, drag, handle, live, place, rerun_by_drag
from tests.browser.harness import AppServer, arrived, rerun, rerun_by_click, settled
from tests.browser.test_every_page import AWAY, TITLES, address


def move(page, part=1.0):
    hand = handle(page)
    dx, dy = across(hand)
    rerun_by_drag(page, hand, part * dx, part * dy)
    return place(hand)


def test_a_link_with_what_cannot_be_used_stays_until_something_is_moved(open_page):
    page = open_page("similarity?word=phone&colour=red")
    assert address(page) == {"word": ["phone"], "colour": ["red"]}
    move(page)
    assert set(address(page)) == {"word", "vectors", "other"}


def test_back_on_the_same_page_brings_the_pose_of_its_link(open_page):
    page = open_page("similarity")
    first = move(page)
    page.evaluate("history.pushState(null, '', location.href + '#there')")
    second = move(page, 0.4)
    assert second != first
    with rerun(page):
        page.go_back()
    assert place(handle(page)) == first


def test_what_was_made_after_back_outlives_a_restart(open_page):
    """Streamlit goes on sending the query that Back has brought."""
    with AppServer() as server:
        page = open_page("similarity", server=server, allow=AWAY)
        page.keyboard.press("Escape")  # Streamlit's "page not found", once per server start
        settled(page)
        move(page, 0.5)
        page.get_by_test_id("stSidebarNavLink").filter(has_text=TITLES["softmax"]).click()
        arrived(page, "**/softmax*")
        page.go_back()
        arrived(page, "**/similarity*")
        made = move(page, 0.4)
        url = page.url
        asked = page.evaluate("labRuns.asked.length")
        server.restart()
        page.wait_for_function("asked => labRuns.asked.length > asked", arg=asked, timeout=60_000)
        settled(page, 60)
        assert (place(handle(page)), page.url) == (made, url)
        move(page, -0.2)
        assert "vectors=" in page.url


def test_python_learns_what_was_moved_while_no_server_was_there(open_page):
    """Streamlit then sends the query that the page was opened by."""
    with AppServer() as server:
        page = open_page("values?orientation=columns", server=server, allow=AWAY)
        page.keyboard.press("Escape")
        settled(page)
        asked = page.evaluate("labRuns.asked.length")
        server.stop()
        hand = handle(page)
        drag(page, hand, *across(hand))
        made = place(hand)
        server.start()
        page.wait_for_function("asked => labRuns.asked.length > asked", arg=asked, timeout=60_000)
        settled(page, 60)
        expect(page.locator("[data-stage] .badge:visible", has_text="yours").first).to_be_visible()
        assert place(hand) == made
        rerun_by_click(page.get_by_role("button", name="Undo", exact=True))
        assert place(hand) != made
        assert address(page) == {"orientation": ["columns"]}
        page.close()


def test_a_page_whose_session_has_ended_loads_again_and_has_its_pose(open_page):
    """Streamlit ends a session that gets the hash of a message which the browser does not have."""
    page = open_page("similarity", allow=["Cached ForwardMsg MISS", "fatal error"])
    made, numbers = move(page), live(page)
    loaded = page.evaluate("performance.timeOrigin")
    page.evaluate("bytes => labRuns.receive(bytes)", list(ForwardMsg(ref_hash="unknown").SerializeToString()))
    page.wait_for_function("before => performance.timeOrigin > before", arg=loaded)
    settled(page)
    assert (place(handle(page)), live(page)) == (made, numbers)
    expect(page.get_by_role("dialog")).to_have_count(0)
    rerun_by_click(page.get_by_role("button", name="Reset", exact=True))
    assert place(handle(page)) != made


SLOWLY = """
import time

from attention_lab.widgets.session import Page

view, begun = Page.view, []


def slowly(page):
    if page.name == "softmax" and not begun:
        begun.append(True)
        time.sleep(4)
    return view(page)


Page.view = slowly
"""


def test_a_setting_changed_before_the_figure_is_there_stands_in_the_url(open_page, tmp_path):
    """The change comes while the run that read the URL goes on; another one follows it."""
    script = tmp_path / "slow.py"
    script.write_text((ROOT / "app.py").read_text() + SLOWLY)
    with AppServer(script=script) as server:
        page = open_page("similarity", server=server, allow=AWAY)
        # Not by loading it: a first picture would cover the switch.
        page.evaluate("labRuns.go('/softmax?temperature=2')")
        expect(page.get_by_role("heading", name=TITLES["softmax"], exact=True)).to_be_visible()
        page.get_by_text("Predict first").click()
        page.wait_for_url("**/softmax?*predict=1*")
        assert address(page) == {"temperature": ["2"], "predict": ["1"]}
        page.close()
