"""A reader's words stand as they were typed wherever Streamlit reads Markdown."""

import json
import random

import pytest
from playwright.sync_api import expect

from attention_lab.state.permalink import escape
from tests.browser.hand import handle
from tests.browser.harness import AppServer, open_change, rerun_by_click, rerun_by_key

SCRIPT = """
import json
import pandas as pd
import streamlit as st
from attention_lab.text.escape_markdown import escape_markdown

texts, few = json.loads({texts!r})
with st.container(key="paragraphs"):
    st.markdown("\\n\\n".join(f"It is **{{escape_markdown(text)}}**. $x^2$ :smile:" for text in texts))
with st.container(key="alone"):
    st.caption("\\n\\n".join(map(escape_markdown, texts)))
with st.container(key="warnings"):
    st.warning(escape_markdown(" ".join(texts)))
shown = [escape_markdown(text) for text in few]
with st.container(key="buttons"):
    for place, text in enumerate(shown):
        st.button(text, key=str(place))
with st.container(key="down"):
    st.table(pd.DataFrame({{"cell": shown}}, index=shown))
with st.container(key="across"):
    st.table(pd.DataFrame([shown], columns=shown))
"""
HOSTILE = [
    *["https://evil.example=1", "http://a.b", "HTTPS://A.B", "www.evil.example", "www", "a@evil.example"],
    *["a@b.c", ":material/delete:", ":material_delete:", ":streamlit:", ":smile:", ":red[x]", ":small[]"],
    *["::a", ":help[x]", "->", "<-", "<->", "--", ">=", "<=", "~=", "---", "***", "___", "===", "~~x~~", "<!--"],
    *["-", ">", "<", "~"],
    *["&amp;", "&#65;", "&", "<b>", "<script>alert(1)</script>", "<https://evil.example>", "[x](//evil.example)"],
    *["![x](/y)", "[^1]", "*a*", "_a_", "`a`", "``", "$x^2$", "$$", "|", "1.", "1)", "+", "#", "# a"],
    *["a\\b", "\\", "\\$", "{word}", "%s", "$&", "=cmd|'/c'!A1", "xmpp:a@b.c"],
    *["mailto:a@b.c", "😀", "é", "تفاح", "''", '"'],
]
PIECES = [":", "/", "//", "www", ".", "@", "-", "<", ">", "=", "~", "http", "material", "_", "a", "b.c", "\\"]


@pytest.fixture(scope="module")
def texts():
    """The hostile, and a few made at random of the signs that mean something."""
    drawn = random.Random(0)
    made = ["".join(drawn.choices(PIECES, k=drawn.randint(2, 7))) for _ in range(80)]
    return list(dict.fromkeys([*HOSTILE, *made]))


@pytest.fixture(scope="module")
def words_server(texts, tmp_path_factory):
    script = tmp_path_factory.mktemp("words") / "words.py"
    script.write_text(SCRIPT.format(texts=json.dumps([texts, HOSTILE])), encoding="utf-8")
    with AppServer(script=script) as running:
        yield running


def test_words_stand_as_they_were_typed(open_page, words_server, texts):
    page = open_page(server=words_server)
    read = "elements => elements.map(element => element.textContent)"
    for place in (".st-key-paragraphs strong", ".st-key-alone p"):
        assert page.locator(place).evaluate_all(read) == texts, place
    for place in (
        ".st-key-buttons button",
        ".st-key-down tbody td",
        ".st-key-down tbody th",
        ".st-key-across thead th",
        ".st-key-across tbody td",
    ):
        assert page.locator(place).evaluate_all(read) == HOSTILE, place
    assert page.locator(".st-key-warnings p").inner_text() == " ".join(texts)
    assert not page.locator("[data-testid=stMain] a, [data-testid=stMain] img").count()


WORDS = ["https://evil.example=1", "www.evil.example", ":material/delete:", ":material_delete:", ":smile:", "->"]
WORDS += ["--", "&amp;", "<b>", "$&", "$x^2$", "a@evil.example", "=cmd|'/c'!A1", "{word}", "**bold**", "`a`"]


def test_a_page_shows_words_as_they_were_typed(open_page):
    """Where a word is chosen, on the buttons of a guess, in a warning, in the figure and in the tables."""
    words = ".".join(map(escape, WORDS))
    page = open_page(
        f"similarity?example=own&words={words}&word={escape(WORDS[2])}&predict=1&https://evil.example=1"
    )
    read = "elements => elements.map(element => element.textContent)"
    chosen, *others = [WORDS[2], *(word for word in WORDS if word != WORDS[2])]
    buttons = page.locator("[class*='guess'] button")
    assert buttons.evaluate_all(read) == others
    main = page.get_by_test_id("stMain")
    assert "https://evil.exa" in main.get_by_test_id("stAlert").inner_text()
    open_change(page)
    select = page.get_by_test_id("stSelectbox").filter(has_text="Word of interest")
    assert chosen in (select.locator("input").get_attribute("value") or "", *select.inner_text().splitlines())
    select.locator("input").click()
    options = page.get_by_role("option")
    expect(options.first).to_be_visible()
    assert set(options.evaluate_all(read)) <= set(WORDS)
    page.keyboard.press("Escape")
    rerun_by_key(page, "Escape")
    rerun_by_click(page.get_by_role("button", name="Show answer"))
    rerun_by_click(page.get_by_role("button", name="Share"))
    rerun_by_click(page.get_by_role("tab", name="Table"))
    for word in WORDS:
        assert handle(page, word).get_attribute("aria-label") == word
    table = page.get_by_test_id("stTable").first
    assert table.locator("tbody th").evaluate_all(read) == WORDS
    assert not main.locator("a[href*=evil], [role=img][aria-label*=icon], strong:text-is('bold')").count()
    assert not main.locator(".katex", has_text="x").count()
