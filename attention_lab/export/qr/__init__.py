"""QR codes of pages' addresses, drawn in the browser by `vendor/qrcode-generator`: no host is asked.

A page brings `QR` once and then shows a `code` or a `link`. For scripts,
``attention_lab.modules.qr.qr(text)`` makes an SVG of any text.
"""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from attention_lab import figure
from attention_lab.figure import Part
from attention_lab.figure.browser_code import OwnParts
from attention_lab.text import ui_text

QR = OwnParts("qr", Path(__file__).parent)


def address(page: str, settings: Mapping[str, str]) -> str:
    """The address of a page with these settings, beside any other page's: ``similarity?goal=twice``."""
    return f"{'./' if page == 'home' else page}{'?' if settings else ''}{urlencode(settings)}"


def code(path: str, label: str, *, shown: bool = False) -> Part:
    """The code of the page at `path`; `label` says what it leads to. `shown`: the address stands below it."""
    return figure.part("qr_code", path=path, label=label, shown=shown, too_long=ui_text("qr/too_long"))


def link(path: str, label: str, *, compact: bool = False) -> Part:
    """A link for others: the address of the page at `path`, to be copied, and its code.

    Where it is `compact`, the address is not shown, only the button that copies it.
    """
    texts = {
        "text": ui_text("take_away/copy"),
        "done": ui_text("take_away/copied"),
        "too_long": ui_text("qr/too_long"),
    }
    return figure.part("class_link", path=path, label=label, compact=compact, **texts)
