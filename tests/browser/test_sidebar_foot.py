"""What the sidebar offers in place of Streamlit's menu, and what of Streamlit's doesn't show."""

from playwright.sync_api import expect

from tests.browser.harness import arrived, menu_link, settled

SCHEME = "getComputedStyle(document.querySelector('[data-testid=stApp]') ?? document.body).colorScheme"


def test_the_theme_that_is_chosen_holds_on_every_page_and_after_a_reload(open_page):
    page = open_page("similarity")
    button = page.get_by_role("button", name="Theme")

    def look(scheme):
        page.wait_for_function(f"scheme => {SCHEME} === scheme", arg=scheme)

    look("light")
    loaded = page.evaluate("performance.timeOrigin")
    button.click()
    look("dark")
    assert page.evaluate("performance.timeOrigin") == loaded
    expect(page.get_by_test_id("stMainMenuPopover")).to_have_count(0)
    menu_link(page, "values").click()
    arrived(page, "**/values*")
    look("dark")
    for path in ("softmax", "worksheets"):
        page.goto(page.url.rpartition("/")[0] + f"/{path}")
        settled(page)
        look("dark")
    button.click()
    look("light")
    page.emulate_media(color_scheme="dark")
    look("dark")  # as the system


# Streamlit shows it after half a second of a run; here it stands there at once.
STATUS = """connection => {
    const app = document.querySelector('[data-testid=stApp]');
    const status = Object.assign(document.createElement('div'), { textContent: 'Stop' });
    status.dataset.testid = 'stStatusWidget';
    app.dataset.testConnectionState = connection;
    app.querySelector('[data-testid=stHeader]').append(status);
    return status.checkVisibility();
}"""


def test_streamlits_menu_and_its_sign_of_a_running_script_do_not_show(open_page):
    page = open_page("similarity?lang=de", alone=True)
    expect(page.get_by_test_id("stMainMenu")).to_be_hidden()
    page.evaluate("window.print = () => { window.printed = true }")
    asked = page.evaluate("labRuns.asked.length")
    page.get_by_role("button", name="Drucken").click()
    assert page.evaluate("printed && labRuns.asked.length") == asked
    expect(page.get_by_test_id("stSkipToContent")).to_have_text("Zum Inhalt springen")
    page.get_by_test_id("stSidebar").get_by_text("Über", exact=True).click()
    expect(page.get_by_text("Apache-Lizenz 2.0")).to_be_visible()
    assert not page.evaluate(STATUS, "CONNECTED")
    assert page.evaluate(STATUS, "DISCONNECTED")
