"""The languages in a real browser: chosen by link, browser or sidebar, kept, and never another reader's."""

import json
import re
import urllib.request
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.hand import drag, handle
from tests.browser.harness import INIT_SCRIPT, click, reload, settled
from tests.visit import words_of


def asked(page):
    return {name: text for name, (text,) in parse_qs(urlsplit(page.url).query).items()}


AT_REST = """async element => {
    for (let at = null; at !== (at = element.getBoundingClientRect().top); )
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


def choose(page, name):
    choice = page.get_by_test_id("stSidebar").get_by_role("combobox")
    choice.focus()
    choice.evaluate(AT_REST)  # the list would close while the sidebar scrolls to it
    choice.press("ArrowDown")
    click(page.get_by_role("option", name=name, exact=True))


def language_of(page):
    return page.evaluate("[document.documentElement.lang, document.documentElement.dir]")


def number(page, what="cosine apple phone"):
    return page.locator(f"[data-value='{what}']").first


def test_a_link_in_german_is_kept_when_spanish_is_chosen(open_page):
    page = open_page("similarity?lang=de")
    assert language_of(page) == ["de", "ltr"]
    expect(page.locator("h1")).to_have_text(words_of("de", "similarity")["title"])
    drag(page, handle(page, "phone"), -120, -60)
    settled(page)
    shown = number(page)
    expect(shown).to_have_text(re.compile(r"^−?0,\d+$"))
    assert float(shown.get_attribute("data-exact")) == pytest.approx(
        float(shown.inner_text().replace(",", ".")), abs=1e-3
    )
    before = asked(page)
    assert before["lang"] == "de"

    choose(page, "Español")
    expect(page.locator("h1")).to_have_text(words_of("es", "similarity")["title"])
    assert language_of(page) == ["es", "ltr"]
    expect(page).to_have_url(re.compile("lang=es"))
    assert asked(page) == before | {"lang": "es"}, "what was dragged stays"
    assert number(page).inner_text() == shown.inner_text()

    reload(page)
    expect(page.locator("h1")).to_have_text(words_of("es", "similarity")["title"])
    assert asked(page) == before | {"lang": "es"}
    page.get_by_test_id("stSidebarNav").get_by_text(words_of("es", "softmax")["title"], exact=True).click()
    expect(page.locator("h1")).to_have_text(words_of("es", "softmax")["title"])
    expect(page).to_have_url(re.compile(r"/softmax\?lang=es"))

    choose(page, "English")
    expect(page.locator("h1")).to_have_text(words_of("en", "softmax")["title"])
    expect(page).not_to_have_url(re.compile("lang="))


def test_a_right_to_left_page_says_so(open_page):
    page = open_page("masking?lang=ar&example=ar_makhluq_azraq")
    assert language_of(page) == ["ar", "rtl"]
    expect(page.locator("[data-stage='masking']")).to_contain_text("مخلوق")


def test_the_browser_is_asked_where_the_link_says_nothing(browser, server):
    context = browser.new_context(locale="de-AT")
    page = context.new_page()
    page.add_init_script(INIT_SCRIPT)
    page.goto(f"{server.url}/similarity")
    settled(page)
    expect(page.locator("h1")).to_have_text(words_of("de", "similarity")["title"])
    expect(page).to_have_url(re.compile("lang=de"))
    choose(page, "English")
    expect(page.locator("h1")).to_have_text(words_of("en", "similarity")["title"])
    expect(page).to_have_url(re.compile("lang=en"))  # or it would be German again
    reload(page)
    expect(page.locator("h1")).to_have_text(words_of("en", "similarity")["title"])
    context.close()


@pytest.mark.parametrize(
    ("query", "wishes", "code"), [("", "de,en;q=0.5", "de"), ("lang=es", "de", "es"), ("", "", "en")]
)
def test_the_first_picture_is_in_the_language_that_is_asked_for(server, query, wishes, code):
    request = urllib.request.Request(
        f"{server.url}/similarity?{query}", headers={"Accept": "text/html", "Accept-Language": wishes}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        html = answer.read().decode()
        assert "Accept-Language" in answer.headers["Vary"]
    assert f'<html lang="{code}" dir="ltr">' in html
    if 'id="first-payload"' in html:  # it was soon there
        payload = re.search(r'id="first-payload">(.*?)</script>', html)[1]
        assert json.loads(payload)["lang"] == code
        assert words_of(code, "similarity")["title"] in html
