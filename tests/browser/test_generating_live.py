"""The server's own model writes: a prompt is typed, and tokens come one by one, whatever a hand does."""

import os

import pytest
from playwright.sync_api import expect

from attention_lab import own_model
from attention_lab.lessons.generating.live import MOST
from tests.browser.harness import AppServer, settled
from tests.core.test_decoders import random_model, save

WATCH = """() => {
  const counts = (window.counts = []);
  const look = () => {
    const stage = [...document.querySelectorAll('*')].find(each => each.shadowRoot?.querySelector('.tokens'));
    const buttons = stage ? [...stage.shadowRoot.querySelectorAll('.tokens button')] : [];
    const shown = buttons.filter(button => !button.hidden).length;
    if (counts.at(-1) !== shown) counts.push(shown);
    requestAnimationFrame(look);
  };
  look();
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = save(
        random_model("llama"), tmp_path_factory.mktemp("models") / "tiny", {"max_position_embeddings": 128}
    )
    with_model = AppServer()
    with_model.environment = os.environ | {own_model.VARIABLE: str(folder)}
    with with_model:
        yield with_model


def test_a_prompt_is_typed_and_tokens_come_one_by_one(open_page, server):
    page = open_page("generating?model=live", server=server)
    tokens, line = page.locator(".tokens button:visible"), page.get_by_role("textbox")
    page.evaluate(WATCH)
    line.fill("The animal")
    line.press("Enter")
    expect(page.locator(".written-tokens .note")).to_contain_text("The model is writing")
    expect(page.locator(".written-tokens .note")).to_contain_text("The model writes no further", timeout=60_000)
    counts = page.evaluate("window.counts")
    counts = counts[max(k for k, count in enumerate(counts) if count == min(counts)) :]
    assert counts == sorted(counts), "no token is taken back"
    assert len(counts) > MOST / 2, f"they came one by one: {counts}"
    written = tokens.all_text_contents()
    assert counts[-1] == len(written) == counts[0] + MOST
    page.reload()
    settled(page)
    expect(tokens).to_have_text(written)


def test_whoever_steps_back_while_it_writes_stays_there(open_page, server):
    page = open_page("generating?model=live&written=The-street", server=server)
    tokens, pattern = page.locator(".tokens button"), page.locator(".growing .cell")
    expect(page.locator(".tokens .written").nth(2)).to_be_visible(timeout=30_000)
    page.locator(".tokens .written").first.click()
    page.get_by_label("Head", exact=True).select_option("3.1")
    expect(page.locator(".written-tokens .note")).to_have_text("", timeout=60_000)
    start = page.locator(".tokens .given").count()
    expect(tokens).to_have_count(start + MOST, timeout=60_000)
    expect(page.locator(".tokens button:visible")).to_have_count(start + 1)
    expect(pattern).to_have_count((start + 1) ** 2)
    expect(page.get_by_label("Head", exact=True)).to_have_value("3.1")
