"""The pages as cards, in the app and in the course of files: each is a link, with a picture and a question."""

import html
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from attention_lab.course import PageLink
from attention_lab.html_file.html_text import inline
from attention_lab.text import ui_text

STYLE = (Path(__file__).parent / "cards.css").read_text(encoding="utf-8")
PICTURES = Path(__file__).parent.parent / "assets" / "cards"


def cards(pages: Sequence[PageLink], address: Callable[[str], str]) -> str:
    """Return the cards of the pages by their part, as HTML; `address` gives the address of a page."""
    parts = []
    for section, group in groupby(pages, lambda page: page.section):
        of_part = "".join(f"<li>{_card(page, address(page.page))}</li>" for page in group)
        parts.append(f"<h2>{html.escape(section)}</h2>\n<ul>{of_part}</ul>")
    return '<section class="course">\n{}\n</section>'.format("\n".join(parts))


def _card(page: PageLink, address: str) -> str:
    minutes = ui_text("page_links/minutes", count=page.minutes) if page.minutes else ""
    return (
        f'<a href="{html.escape(address)}" data-page="{page.page}">'
        f'<span class="sketch" aria-hidden="true">{picture(page.page)}</span>'
        f"<strong>{html.escape(page.title)}</strong> <span>{inline(page.text['question'])}</span> "
        f"<small>{minutes}</small></a>"
    )


@lru_cache(32)
def picture(page: str) -> str:
    """The page's picture as SVG; nothing for a page that has none, such as a new one: its place is empty."""
    file = PICTURES / f"{page}.svg"
    return file.read_text(encoding="utf-8") if file.exists() else ""
