"""The first address that is opened after a start, whichever way it was started."""

from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.hand import across, handle, live, rerun_by_drag
from tests.browser.harness import AppServer, Tabs, settled
from tests.server.harness import Host, Opened
from tests.visit import EVERY, LESSONS, NAMES, title_of

WAYS = {
    "streamlit run": AppServer,
    "lab.py open": Opened,
    "lab.py serve": partial(Host, warm_up=2),
    "lab.py serve, not warmed up": Host,
}


LOADED = "performance.getEntriesByType('resource').map(each => each.name)"


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_the_first_deep_link_is_found_at_once_and_the_figures_code_comes_in_files(open_page, way):
    """Streamlit's "page not found" is a dialog over the page, and stays until it is closed."""
    path = LESSONS[NAMES.index("softmax")]
    with way() as cold:
        page = open_page("softmax", server=cold, wait=False)
        expect(page.get_by_role("heading", name=title_of(path), exact=True)).to_be_visible(timeout=60_000)
        expect(page.locator("[data-stage] [data-handle]").first).to_be_visible(timeout=60_000)
        expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(len(EVERY))
        expect(page.get_by_role("dialog")).to_have_count(0)
        files = [
            name.rpartition("/")[2].split(".")[0] for name in page.evaluate(LOADED) if "/static/lab/" in name
        ]
        assert {*files} - {"icons", "streamlit"} == {"library", "softmax", "words_en", "sans", "serif"}, (
            "not over the socket"
        )
        page.close()


WINDOW = {"width": 1440, "height": 900}


def test_a_tab_that_a_test_hands_on_is_as_new_and_has_its_scripts_still(browser, server):
    """What tests stand on: the page after the page is the same, and so is the one after it."""
    tabs, seen, name = Tabs(browser, server), [], "self_attention"
    for path in (name, name, "values", name):
        with tabs.tab() as page:
            page.set_viewport_size(WINDOW)
            tabs.open(page, path)
            settled(page)
            kept = page.evaluate(
                "[localStorage.made, sessionStorage.made, labRuns.asked.length, location.search]"
            )
            made = page.get_by_role("button", name="Undo", exact=True).is_enabled()
            seen.append((page.evaluate("performance.timeOrigin"), page.title(), live(page), kept, made))
            hand = handle(page)
            rerun_by_drag(page, hand, *across(hand))
            page.evaluate("localStorage.made = sessionStorage.made = 'here'")
            assert live(page) != seen[-1][2]
    tabs.close()
    assert len({loaded for loaded, *_ in seen}) == 1, "Streamlit's scripts were fetched once"
    assert seen[0] == seen[1] == seen[3]


def test_a_page_of_an_older_version_says_that_it_is_to_be_loaded_again(open_page):
    page = open_page("similarity", alone=True, allow=["The app was updated"])
    page.evaluate("attention_lab.version = 'older'")
    hand = handle(page)
    rerun_by_drag(page, hand, *across(hand))
    expect(page.get_by_text("The app was updated. Reload the page.")).to_be_visible()
