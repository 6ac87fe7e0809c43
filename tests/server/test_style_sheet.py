"""Streamlit's style sheet with other fonts, and the page that names it."""

import re

from attention_lab import streamlit_internals
from attention_lab.server import style_sheet


def test_no_font_of_streamlits_that_every_page_would_load_is_left():
    page = style_sheet.put_into(streamlit_internals.INDEX.read_text(encoding="utf-8"), "/static/lab/")
    assert 'as="font"' not in page
    names = re.findall(r'href="\./static/lab/([^"]+)"', page)
    assert names
    for name in names:
        body, kind = style_sheet.files()[name]
        text = body.decode()
        assert kind == "text/css"
        assert "MaterialSymbols-" not in text
        assert "SourceSansVF" not in text
        assert re.search(r"icons\.[0-9a-f]{16}\.woff2", text)[0] in style_sheet.files()


def test_streamlits_own_sheet_is_linked_but_not_loaded():
    page = style_sheet.put_into(streamlit_internals.INDEX.read_text(encoding="utf-8"), "/static/lab/")
    sheets = [address for address in streamlit_internals.first_files() if address.endswith(".css")]
    assert sheets
    for address in sheets:
        assert re.findall(rf'<link [^>]*href="\.{re.escape(address)}">', page) == [
            f'<link rel="stylesheet" disabled crossorigin href=".{address}">'
        ]
