"""Generating text in a browser: tokens are added, chosen by the draw, stepped through, and in the link."""

from playwright.sync_api import expect

from tests.browser.hand import handle
from tests.browser.harness import settled


def test_tokens_are_written_by_the_draw_and_are_in_the_link(open_page):
    page = open_page("generating")
    tokens, add = page.locator(".tokens button"), page.locator("[data-handle=add]")
    expect(tokens).to_have_text(["the", "fluffy", "blue", "creature"])
    expect(page.locator(".coming")).to_have_text("loved")
    draw = handle(page, "draw")
    draw.press("End")
    expect(page.locator(".coming")).to_have_text("saw")
    draw.press("Home")
    expect(page.locator(".coming")).to_have_text("loved")
    add.click()
    expect(tokens).to_have_text(["the", "fluffy", "blue", "creature", "loved"])
    expect(page.locator(".growing .cell")).to_have_count(25)
    expect(page.locator(".growing .block")).to_have_count(10)
    expect(page.locator("[data-value='largest change']")).to_have_text("0")
    add.click()
    settled(page)
    written = tokens.all_text_contents()
    page.get_by_role("button", name="One token back").click()
    expect(page.locator(".later")).to_have_count(1)
    settled(page)
    page.reload()
    settled(page)
    assert tokens.all_text_contents() == written, "nothing that was written is lost"
    expect(page.locator(".later")).to_have_count(1)
