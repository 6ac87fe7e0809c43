"""The pages for a class in a browser, at every width and in the dark; an answer is typed, a link is made."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.harness import axe, click, rerun, rerun_by_click, settled
from tests.browser.test_layout import expect_clear


@pytest.mark.parametrize(
    "address", ["worksheets?topic=queries_keys&key=1", "worksheets?sheets=3&key=1", "lesson_plan", "test?key=1"]
)
def test_nothing_lies_on_another_and_axe_finds_nothing(open_page, address):
    page = open_page(address, reduced_motion=True)
    assert axe(page) == []
    expect_clear(page, *((width, 844) for width in (1440, 768, 390, 320)))
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.wait_for_function(
        """() => Math.max(...getComputedStyle(document.querySelector('.stApp')).backgroundColor
            .match(/\\d+/g).slice(0, 3)) < 80"""
    )
    settled(page)
    assert axe(page, only="color-contrast") == []


# As a browser's translation does: each text is replaced by elements with other words.
TRANSLATE = """verdict => {
  const texts = document.createTreeWalker(verdict, NodeFilter.SHOW_TEXT), all = [];
  while (texts.nextNode()) all.push(texts.currentNode);
  for (const text of all) {
    const inner = document.createElement('font'), outer = document.createElement('font');
    inner.textContent = `translated: ${text.data}`;
    outer.append(inner);
    text.replaceWith(outer);
  }
}"""


def test_an_answer_is_checked_in_a_translated_page_too_and_the_next_sheet_begins_empty(open_page):
    page = open_page("worksheets?topic=scale&seed=5", alone=True)
    field, verdicts = page.get_by_label("Answer 1", exact=True), page.locator("[class*=st-key-verdict]")
    for answer, right, translates in (("1", 0, True), ("8,192", 1, False)):
        with rerun(page):
            field.fill(answer)
            field.press("Enter")
        expect(page.get_by_text(f"Correct answers: {right} of 7")).to_be_visible()
        if translates:
            for verdict in verdicts.all():
                verdict.evaluate(TRANSLATE)
    expect(verdicts.filter(has_text="translated")).to_have_count(0)
    expect(verdicts).to_have_count(2)
    rerun_by_click(page.get_by_role("button", name="Another sheet"))
    expect(page.get_by_role("heading", name="Scale · worksheet 6")).to_be_visible()
    expect(page.get_by_label("Answer 1", exact=True)).to_have_value("")
    assert "seed=6" in page.url


def test_a_link_for_a_class_opens_what_was_chosen(open_page):
    page = open_page("similarity?measure=cosine")
    click(page.get_by_role("button", name="Share"))
    page.get_by_role("tab", name="Link for a class").click()
    panel = page.get_by_test_id("stPopoverBody")
    rerun_by_click(panel.get_by_text("Predict first", exact=True))
    with rerun(page):
        panel.get_by_label("Your own question", exact=True).fill("<b>Which</b> *word* wins?")
        panel.get_by_label("Your own question", exact=True).press("Enter")
    field = panel.get_by_role("textbox", name="Link for the class")
    link = field.input_value()
    assert link.startswith(page.url.split("?")[0])
    expect(panel.get_by_role("img", name="Link for the class")).to_be_visible()
    student = open_page(link.split("/", 3)[3])
    expect(student.get_by_text("Predict first. <b>Which</b> *word* wins?")).to_be_visible()


def test_the_lesson_plans_link_to_home_leads_there_in_a_new_tab_too(open_page):
    page = open_page("lesson_plan")
    link = page.get_by_test_id("stPageLink-NavLink").filter(has_text="Home").first
    link.hover()
    assert urlsplit(link.evaluate("e => e.href"))[2:4] == ("/", "goal=turn_away")
