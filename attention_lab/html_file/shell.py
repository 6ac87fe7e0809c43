"""The shell of an HTML file: its head, colours and fonts, and the code and data of its figure.

`attention_lab/export/web_page.py` puts a page of the course into it, `figure_page.py` a figure of given arrays.
"""

import gzip
import html
import os
import tomllib
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from attention_lab import fonts, theme
from attention_lab.figure.browser_code import OwnParts, Script, library, words
from attention_lab.figure.bundle import CONTROLS, bundle
from attention_lab.root import ROOT
from attention_lab.text import ui_text
from attention_lab.text.languages import language, spoken

from .html_text import inline, json_in_html

HERE = Path(__file__).parent
SHELL = """<!doctype html>
<html lang="{language}" dir="{direction}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="generator" content="Attention Lab">
<title>{title}</title>
{head}
<style>
{style}
</style>
{menu}
<main>
<h1{kind}>{heading}</h1>
{main}
</main>
{scripts}
</html>
"""
FIGURE = '<div id="figure"><noscript><p>{described}</p></noscript><p id="outdated" hidden>{outdated}</p></div>'
CODE = """<script type="application/json" id="payload">{payload}</script>{more}
<script>
{check}</script>
{code}
<script type="module">
{start}
{module}_module.start();
</script>"""
PACKED = '<script type="application/gzip+base64" id="{id}">{packed}</script>'
# In words that every browser reads: one that lacks these cannot run the code of the page.
CHECK = """if (!(window.DecompressionStream && window.structuredClone))
  document.getElementById('outdated').hidden = false;
"""
PREVIEWED = """<meta name="description" content="{promise}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Attention Lab">
<meta property="og:title" content="{title}">
<meta property="og:description" content="{promise}">
<meta property="og:image" content="{image}">
<meta name="twitter:card" content="summary_large_image">
"""
SETTINGS = ROOT / ".streamlit" / "config.toml"
NAMES = {
    "primaryColor": "--st-primary-color",
    "backgroundColor": "--st-background-color",
    "secondaryBackgroundColor": "--st-secondary-background-color",
    "textColor": "--st-text-color",
}


def html_file(
    title: str,
    main: str,
    *,
    head: str = "",
    style: str = "",
    menu: str = "",
    scripts: str = "",
    headline: str = "",
    folder: str | None = None,
) -> str:
    """Return a page in the language that is spoken. Its `headline` stands at the top in the title's place.

    The fonts lie in a `folder`, given by the way to it, or are in the file. A `style` follows that of every file.
    """
    return SHELL.format(
        language=language().code,
        direction=language().direction,
        title=html.escape(title),
        head=head,
        style="\n".join(filter(None, (_fonts(folder) + _style(), style))),
        menu=menu,
        kind=' class="headline"' if headline else "",
        heading=html.escape(headline or title),
        main=main,
        scripts=scripts,
    )


def link_preview(title: str, promise: str, image: str) -> str:
    """Return what a page's head says of how links to it look elsewhere; `image` is a picture's whole address."""
    escaped = {"title": title, "promise": promise, "image": image}
    return PREVIEWED.format(**{name: html.escape(text) for name, text in escaped.items()})


def theme_colours(kind: str) -> str:
    """Return the app's colours, ``light`` or ``dark``, under the names of Streamlit's components."""
    colours = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))["theme"][kind]
    return "".join(f"{name}: {colours[setting]}; " for setting, name in NAMES.items())


def _fonts(folder: str | None) -> str:
    if folder is not None:
        return fonts.faces(spoken(), lambda name: f"{folder}{name}", display="swap")
    inside = {name: f"data:font/woff2;base64,{b64encode(body).decode()}" for name, body in fonts.files().items()}
    return fonts.faces(spoken(), inside.get, alone=True, display="swap")


def _style() -> str:
    return f"{_theme()}\n{CONTROLS}\n{(HERE / 'shell.css').read_text(encoding='utf-8')}"


def _theme() -> str:
    """The app's colours as a style sheet, light or dark as the system is."""
    light, dark = map(theme_colours, ("light", "dark"))
    rest = "--st-font: var(--sans); "
    rest += "--st-button-radius: .6rem; --st-base-radius: .6rem; --pinned: .35rem; "
    rest += "--root-font: math; --st-border-color: color-mix(in srgb, var(--st-text-color) 20%, transparent); "
    rest += "--st-border-color-light: color-mix(in srgb, var(--st-text-color) 10%, transparent);"
    both = f":root {{ color-scheme: light dark; {theme.tokens()} {light}{rest} }}"
    return f"{both}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark}}} }}"


def figure_place(described: str) -> str:
    """Return the element that holds the figure, with a description for a browser that cannot draw it."""
    return FIGURE.format(
        described=inline(ui_text("first_picture/without_javascript", figure=described)),
        outdated=html.escape(ui_text("web_page/browser_outdated")),
    )


def figure_scripts(
    payload: str,
    module: Path,
    own_parts: OwnParts | None = None,
    *,
    folder: str | None = None,
    more: str = "",
) -> str:
    """Return a figure's data and code as scripts; the page begins with `start` of a JavaScript `module`.

    The code lies in a `folder`, given by the way to it, or is in the file. `more` are scripts with further data.
    """
    return CODE.format(
        payload=json_in_html(payload),
        more=more and f"\n{more}",
        code=_code(own_parts, folder),
        check=CHECK,
        start=_bundled(module),
        module=module.stem,
    )


@lru_cache(4)
def _bundled(module: Path) -> str:
    # Put in as text: a file that was opened from a disk may load no module by its address.
    return bundle(module)


def packed_script(name: str, text: str) -> str:
    """Return a script with an id that holds a long text, packed."""
    return PACKED.format(id=name, packed=packed(text))


def packed(text: str) -> str:
    """Return a long text in fewer letters."""
    return b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def code_of_figure(own_parts: OwnParts | None) -> list[Script]:
    """Return the scripts that draw a figure, in the order in which they run."""
    return [words(), library(), *([own_parts.script] if own_parts else [])]


def _code(own_parts: OwnParts | None, folder: str | None) -> str:
    scripts = code_of_figure(own_parts)
    if folder is not None:
        return "\n".join(f'<script defer src="{folder}{each.file}"></script>' for each in scripts)
    return packed_script("code", "\n".join(f"{{\n{script.text}\n}}" for script in scripts))


def save(text: str, file: Path) -> None:
    """Write the whole file or nothing, whatever was there before."""
    with whole_file(file) as part:
        part.write_text(text, encoding="utf-8")


@contextmanager
def whole_file(file: Path) -> Iterator[Path]:
    """Give the path of a file to write, which takes the place of `file` once it is whole."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")  # another process may write the same
    try:
        yield part
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def packed_data(name: str, letters: str) -> str:
    """Return a script with an id that holds what is packed already."""
    return PACKED.format(id=name, packed=letters)
