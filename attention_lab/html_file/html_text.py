"""The texts of the course as HTML, for pages that stand without Streamlit."""

import re
from html import escape, unescape
from xml.sax.saxutils import quoteattr

from attention_lab import text as prose
from attention_lab.figure.terms import names
from attention_lab.text.escape_markdown import SEAM

TOKEN = re.compile(
    r"\\(?P<typed>&\w+;|[^\w\s]|_)|:small\[\]|:material/(?P<icon>\w+):"
    r"|\$(?P<tex>[^$]+)\$|`(?P<code>[^`]+)`|\[(?P<label>[^\]]+)\]\((?P<target>[^)\s]+)\)"
    r"|\*\*(?P<strong>.+?)\*\*|\*(?P<em>[^*]+)\*"
)
ITEM = re.compile(r"[-*] |\d+\. ")
TEX = re.compile(r"\\[a-zA-Z]+|\\.|[a-zA-Z]|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
ICONS = {"check": "✓"}
SIGNS = {
    r"\cdot": "·",
    r"\times": "×",
    r"\top": "⊤",
    r"\infty": "∞",
    r"\Delta": "Δ",
    r"\alpha": "α",
    r"\ell": "ℓ",
    r"\sum": "∑",
    r"\log": "log",
    r"\ln": "ln",
    r"\to": "→",
    r"\le": "≤",
    r"\ge": "≥",
    r"\,": "\u2009",
    "-": "−",
}


def to_html(text: str) -> str:
    """Return Markdown as HTML: paragraphs, lists, emphasis, code, links, terms and simple formulas."""
    return "\n".join(map(_block, filter(str.strip, re.split(r"\n\s*\n", text))))


def json_in_html(data: str) -> str:
    """Return JSON as it may stand in a script element: no word in it ends the element or begins a comment."""
    return data.replace("<", "\\u003c")


def inline(text: str) -> str:
    """Return one line of Markdown as HTML."""
    return TOKEN.sub(_token, escape(text, quote=False))


def _block(block: str) -> str:
    lines = block.strip().splitlines()
    items = [line for line in lines if ITEM.match(line)]
    if not items:
        return f"<p>{inline(' '.join(lines))}</p>"
    tag = "ol" if items[0][0].isdigit() else "ul"
    before = lines[: lines.index(items[0])]
    start = f"<p>{inline(' '.join(before))}</p>" if before else ""
    shown = "".join(f"<li>{inline(ITEM.sub('', item, count=1))}</li>" for item in items)
    return f"{start}<{tag}>{shown}</{tag}>"


def _token(found: re.Match[str]) -> str:
    if found[0] == SEAM or found["typed"]:  # as `escape_markdown` writes what a reader has typed
        return found["typed"] or ""
    if found["icon"]:
        return ICONS[found["icon"]]
    if found["tex"]:
        return formula(unescape(found["tex"]))
    if found["code"]:
        return f"<code>{found['code']}</code>"
    if found["strong"] or found["em"]:
        tag = "strong" if found["strong"] else "em"
        return f"<{tag}>{TOKEN.sub(_token, found[tag])}</{tag}>"
    label, target = TOKEN.sub(_token, found["label"]), unescape(found["target"])
    if target.startswith("#term-"):
        entry = _entries().get(target.removeprefix("#"), "")
        return f"<abbr tabindex=0 title={quoteattr(entry)}>{label}</abbr>"
    return f"<a href={quoteattr(target)}>{label}</a>"


def _entries() -> dict[str, str]:
    """The glossary's entries in plain text, by the address of their terms."""
    glossary = prose.read("glossary")
    entries = {name: " ".join(glossary.plain(term).split()) for name, term in names().items()}
    # a voice reads the letters of W_O, not its sign
    return {prose.term_address(name): text.replace("W_", "W\N{NO-BREAK SPACE}") for name, text in entries.items()}


def formula(tex: str) -> str:
    """Return a simple TeX formula as MathML: letters, numbers, scripts, roots, fractions, upright names."""
    tokens = [token for token in TEX.findall(tex) if not token.isspace()]
    return f"<math>{''.join(_row(tokens))}</math>"


def _row(tokens: list[str], end: str = "") -> list[str]:
    """The elements up to the closing brace, which is taken away, too."""
    row: list[str] = []
    while tokens and tokens[0] != end:
        if tokens[0] in "_^" and row:
            row.append(_scripts(row.pop(), tokens))
        else:
            row.append(_element(tokens))
    if tokens:
        tokens.pop(0)
    return row


def _scripts(base: str, tokens: list[str]) -> str:
    scripts = {}
    while tokens and tokens[0] in "_^":
        sign = tokens.pop(0)
        scripts[sign] = _element(tokens)
    if len(scripts) == 2:
        return f"<msubsup>{base}{scripts['_']}{scripts['^']}</msubsup>"
    ((sign, script),) = scripts.items()
    tag = {"_": "msub", "^": "msup"}[sign]
    return f"<{tag}>{base}{script}</{tag}>"


def _element(tokens: list[str]) -> str:
    token = tokens.pop(0) if tokens else ""
    if token == "{":
        return f"<mrow>{''.join(_row(tokens, '}'))}</mrow>"
    if token == r"\sqrt":
        return f"<msqrt>{_element(tokens)}</msqrt>"
    if token == r"\frac":
        return f"<mfrac>{_element(tokens)}{_element(tokens)}</mfrac>"
    if token in (r"\mathrm", r"\text"):
        tokens[:1] = []  # the opening brace
        name = ""
        while tokens and (letter := tokens.pop(0)) != "}":
            name += letter
        return f"<mtext>{escape(name)}</mtext>"
    shown = escape(SIGNS.get(token, token.lstrip("\\")))
    tag = "mn" if token[:1].isdigit() else "mi" if token[-1:].isalpha() else "mo"
    return f"<{tag}>{shown}</{tag}>"
