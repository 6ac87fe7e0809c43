"""Texts as HTML: Markdown, terms and formulas."""

import re
from html.parser import HTMLParser

import pytest

from attention_lab import text as prose
from attention_lab.export.html_text import formula, inline, to_html
from tests.visit import PAGES, lesson_of


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a *b* **c *d* e**", "a <em>b</em> <strong>c <em>d</em> e</strong>"),
        ("`W_Q` < 3 & more", "<code>W_Q</code> &lt; 3 &amp; more"),
        ("[text](https://a.example/?b=1&c=2)", '<a href="https://a.example/?b=1&amp;c=2">text</a>'),
    ],
)
def test_a_line_of_markdown_becomes_html(markdown, html):
    assert inline(markdown) == html


def test_paragraphs_and_lists_become_blocks():
    assert to_html("one\ntwo\n\n- a\n- b") == "<p>one two</p>\n<ul><li>a</li><li>b</li></ul>"


def test_a_term_shows_its_entry():
    assert re.search(r'<abbr tabindex=0 title="[^"]{20,}">query</abbr>', inline("[query](#term-query)"))


@pytest.mark.parametrize(
    ("tex", "mathml"),
    [
        ("x_A^2", "<msubsup><mi>x</mi><mi>A</mi><mn>2</mn></msubsup>"),
        (r"\sqrt{d_k}", "<msqrt><mrow><msub><mi>d</mi><mi>k</mi></msub></mrow></msqrt>"),
        (r"\mathrm{softmax}(x)", "<mtext>softmax</mtext><mo>(</mo><mi>x</mi><mo>)</mo>"),
    ],
)
def test_a_formula_becomes_mathml(tex, mathml):
    assert formula(tex) == f"<math>{mathml}</math>"


class Balance(HTMLParser):
    """Whether every element is closed by its own tag."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_text_of_every_page_is_well_formed_and_leaves_no_markdown(path):
    html = to_html(prose.read(lesson_of(path).LESSON.name)["text"])
    balance = Balance()
    balance.feed(html)
    assert balance.open == []
    assert not re.search(r"[$`]|\*\w|\w\*|\\\w", re.sub(r'title="[^"]*"', "", html))
