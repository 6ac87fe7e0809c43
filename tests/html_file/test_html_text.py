"""Texts as HTML: Markdown, terms and formulas."""

import re
from xml.etree import ElementTree

from attention_lab import text as prose
from attention_lab.html_file.html_text import formula, inline, to_html
from tests.visit import PAGES, lesson_of

LEFT_OVER = re.compile(r"[$`]|\*\w|\w\*|\\\w")  # Markdown or TeX that was not translated


def test_markdown_becomes_html():
    assert inline("a *b* **c *d* e**") == "a <em>b</em> <strong>c <em>d</em> e</strong>"
    assert inline("`W_Q` < 3 & more") == "<code>W_Q</code> &lt; 3 &amp; more"
    assert inline("[text](https://a.example/?b&c=2)") == '<a href="https://a.example/?b&amp;c=2">text</a>'
    assert to_html("one\ntwo\n\n- a\n- b") == "<p>one two</p>\n<ul><li>a</li><li>b</li></ul>"


def test_a_term_shows_its_glossary_entry():
    assert re.search(r'<abbr tabindex=0 title="[^"]{20,}">query</abbr>', inline("[query](#term-query)"))


def test_a_formula_becomes_mathml():
    for tex, mathml in (
        ("x_A^2", "<msubsup><mi>x</mi><mi>A</mi><mn>2</mn></msubsup>"),
        (r"\sqrt{d_k}", "<msqrt><mrow><msub><mi>d</mi><mi>k</mi></msub></mrow></msqrt>"),
        (r"\mathrm{softmax}(x)", "<mtext>softmax</mtext><mo>(</mo><mi>x</mi><mo>)</mo>"),
    ):
        assert formula(tex) == f"<math>{mathml}</math>"


def test_every_pages_text_becomes_well_formed_html_without_markdown():
    offenders = []
    for path in PAGES:
        html = to_html(prose.read(lesson_of(path).LESSON.name)["text"]).replace("tabindex=0", 'tabindex="0"')
        text = "".join(ElementTree.fromstring(f"<body>{html}</body>").itertext())
        offenders += [(path.stem, left_over) for left_over in LEFT_OVER.findall(text)]
    assert offenders == []
