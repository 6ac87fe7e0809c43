"""Generating text in a browser: tokens are added, chosen by the draw, stepped through, and in the link."""

from playwright.sync_api import expect

from tests.browser.hand import handle
from tests.browser.harness import rerun_by_click, settled


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


def choose(page, label, option):
    page.get_by_role("combobox", name=label).click()
    rerun_by_click(page.get_by_role("option", name=option))


def test_a_recorded_text_is_revealed_and_everything_is_in_the_link(open_page):
    page = open_page("generating")
    choose(page, "Model", "SmolLM2-135M, recorded")
    choose(page, "Prompt", "the capital of Australia")
    tokens, add = page.locator(".tokens button:visible"), page.locator("[data-handle=add]")
    expect(tokens).to_have_count(8)
    expect(page.locator(".coming")).to_have_text("Sydney")
    expect(page.locator("[data-value='next Sydney']")).to_have_text("80.4%")
    expect(page.locator("[data-value='next Canberra']")).to_have_text("5.6%")
    expect(page.locator("[data-value='cached bytes']")).to_have_text("184,320")
    assert not page.locator(".thumb, [data-value=draw]").count()
    add.click()
    expect(tokens).to_have_count(9)
    expect(page.locator(".growing .cell")).to_have_count(81)
    expect(page.locator(".growing .block")).to_have_count(6 * 9)
    expect(page.locator("[data-value='cached bytes']")).to_have_text("207,360")
    expect(page.locator("section.goals.met")).to_contain_text("adds 23,040 bytes")
    page.get_by_label("Layer of the head").select_option("10")
    page.get_by_label("Number of the head in its layer").select_option("7")
    expect(page.locator(".growing .kind:not(.pale)")).to_have_text(["keys 3", "values 3"])
    settled(page)
    page.reload()
    settled(page)
    expect(tokens).to_have_count(9)
    expect(page.get_by_label("Layer of the head")).to_have_value("10")
    expect(page.get_by_label("Number of the head in its layer")).to_have_value("7")
