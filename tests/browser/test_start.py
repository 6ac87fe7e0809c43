"""The first address that is opened after a start, whichever way it was started."""

import pytest
from playwright.sync_api import expect

from tests.browser.harness import AppServer
from tests.hosting.harness import Host, Opened
from tests.visit import EVERY, LESSONS, NAMES, title_of


@pytest.mark.parametrize("way", [AppServer, Opened, Host], ids=["streamlit run", "lab.py open", "lab.py serve"])
def test_the_first_deep_link_is_found_at_once(open_page, way):
    """Streamlit's "page not found" is a dialog over the page, and stays until it is closed."""
    path = LESSONS[NAMES.index("softmax")]
    with way() as cold:
        page = open_page("softmax", server=cold, wait=False)
        expect(page.get_by_role("heading", name=title_of(path), exact=True)).to_be_visible(timeout=60_000)
        expect(page.locator("[data-stage] [data-handle]").first).to_be_visible(timeout=60_000)
        expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(len(EVERY))
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.close()
