"""Words of the reader's in a Markdown place: every character of them is text."""

import re
from string import punctuation

from hypothesis import given
from hypothesis import strategies as st

from attention_lab.text.escape_markdown import SEAM, escape_markdown


def test_punctuation_is_escaped():
    escaped = {mark: escape_markdown(f"a{mark}b").replace(SEAM, "") for mark in punctuation}
    assert escaped == {mark: f"a\\{mark}b" for mark in punctuation}


@given(st.text())
def test_escaped_text_comes_back_and_has_no_bare_punctuation(text):
    shown = escape_markdown(text).replace(SEAM, "")
    assert re.sub(r"\\(.)", r"\1", shown, flags=re.DOTALL) == text
    assert not set(re.sub(r"\\.", "", shown)) & set(punctuation)
