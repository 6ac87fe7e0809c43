"""The HTML of a view: its figure, and the packed weights as scripts."""

import html
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attention_lab.figure.browser_code import OwnParts
from attention_lab.figure.choices import options
from attention_lab.figure.layout import Column, pictured
from attention_lab.figure.parts import Part, constant, part
from attention_lab.figure.payload import plain_payload
from attention_lab.figure.planes import plane, vectors
from attention_lab.html_file.figure_page import SCRIPT
from attention_lab.html_file.shell import figure_place, figure_scripts, html_file, packed_data
from attention_lab.text import Text, read, ui_text

from .packed_view import PackedView

HERE = Path(__file__).parent
PARTS = OwnParts("own_attention", HERE / "browser")
ARROWS = ("arrow_queries", "arrow_keys", "query_names", "key_names", "asking")  # what the browser adds for a head
HEIGHT = 760  # px of a notebook's cell, until the page in it has said how high it is
# No browser shows what stands inside the element. Jupyter does, where it takes the frame out of a notebook.
CELL = """<iframe title="{title}" srcdoc="{page}" style="width: 100%; height: {height}px; border: 0">
{instead}</iframe>"""
NOTE = '<p class="note">{}</p>'


def cell(text: str, title: str) -> str:
    """Return an HTML file as a frame inside another page, such as a notebook's."""
    words = read("own_attention")
    title, instead = map(html.escape, (title or words.plain("view_title"), words.plain("not_trusted")))
    return CELL.format(title=title, page=html.escape(text, quote=True), height=HEIGHT, instead=instead)


def page(view: PackedView, pose: Mapping[str, int] | None = None) -> str:
    """Return the HTML file of a view, in the language that is spoken; it opens at a `pose`, else at its first."""
    text = read("own_attention")
    title = view.title or text.plain("view_title")
    constants = view_constants(view, text)
    payload = plain_payload(
        PARTS.name, view_columns(view, text), title, constants, pose or view.first_pose(), own=PARTS
    )
    scripts = figure_scripts(payload.decode(), SCRIPT, PARTS, more="\n".join(_data(view)))
    notes = [NOTE.format(html.escape(note)) for note in view.notes(text)]
    return html_file(title, "\n".join([figure_place(title), *notes]), scripts=scripts)


def view_constants(view: PackedView, text: Text) -> dict[str, Any]:
    """Return what the parts of a view's figure read, without the packed numbers."""
    return {"views": [each.payload(text) for each in view.patterns]} | dict.fromkeys(ARROWS, ())


def _data(view: PackedView) -> Iterator[str]:
    """The packed numbers as scripts."""
    for each in view.patterns:
        for name, data in each.data.items():
            yield packed_data(f"{each.known['id']}_{name}", b64encode(data).decode())


def _marks() -> list[Part]:
    """What lies on the plane of a head: all keys, and the query that is shown."""
    return [
        vectors(constant("arrow_keys"), names=constant("key_names"), role="key", prefix="k", little=0.35),
        vectors(
            constant("arrow_queries"),
            names=constant("query_names"),
            role="query",
            prefix="q",
            only=constant("asking"),
        ),
    ]


def view_columns(view: PackedView, text: Text) -> Sequence[Column]:
    """Return the columns of a view's figure: all heads, and the head that is shown."""
    labels = [each.label(text) for each in view.patterns]
    texts = text.parts("text")
    heads = part("head_cells", title=text.plain("heads"), kinds=labels, texts=text.parts("controls"))
    account = pictured(part("head_account", texts={"first_length": text.plain("first_length")}))
    tokens = part("token_text", title=text.plain("tokens"), texts=texts)
    pattern = pictured(part("pattern_canvas", title=text.plain("pattern"), texts=texts))
    form = options(constant("form"), text.plain("form"), [text.plain("forms/matrix"), text.plain("forms/lines")])
    of_arcs = {name: ui_text(f"arcs/{name}") for name in ("asks", "strongest", "off", "lens")}
    lines = pictured(part("head_lines", title=text.plain("forms/lines"), texts=of_arcs | text.parts("lines")))
    arrows = part(
        "head_vectors",
        title=text.plain("arrows/title"),
        held=text.plain("arrows/held"),
        plane=plane(
            None, ["", ""], _marks(), low=-1.1, high=1.1, title=text.plain("arrows/title"), hint="", small=True
        )
        | {"badge": None},
    )
    save = part("save_head", title=text.plain("save"))
    player = part("written_text", title=text.plain("player/slider"), words=text.parts("player"))
    return [
        Column([heads, account], share=1, least=380),
        Column([player, tokens, form, pattern, lines, save, arrows], share=1.5, least=420),
    ]
