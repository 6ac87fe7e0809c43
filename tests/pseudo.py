"""A language made of English by a rule: every vowel in a reader's word has an accent.

What has none on a page has come there past `attention_lab.text`.

Placeholders, formulas, code, links and the keys of terms stay; headings are keys, and stay too.
"""

from __future__ import annotations

import re
from pathlib import Path

from attention_lab import text as prose
from attention_lab.text.sections import is_translated

ACCENTS = str.maketrans("aeiouAEIOU", "äëïöüÄËÏÖÜ")
KEPT = re.compile(
    r"(\{\w+\}|\$[^$\n]+\$|`[^`\n]+`|\]\([^)\s]+\)|:material/\w+:|(?<=\|)[^\]|]+(?=\]\])|https?://\S+)|\[\[([^\]|]+)\]\]"
)
# Sections that code reads: parameters of links, and the names of rooms.
FOR_CODE = re.compile(r"goal_settings/|names/|glossary/also$|minutes$")


def translate(text: str) -> str:
    """Return the text in the pseudo-language."""
    result, at = [], 0
    for found in KEPT.finditer(text):
        result.append(text[at : found.start()].translate(ACCENTS))
        term = found[2]
        result.append(found[0] if term is None else f"[[{term.translate(ACCENTS)}|{term}]]")
        at = found.end()
    return "".join([*result, text[at:].translate(ACCENTS)])


def write(folder: Path, code: str) -> Path:
    """Write English and the pseudo-language, under the `code` of a language, into a folder; return it."""
    english = prose.HERE / prose.ENGLISH
    (folder / code).mkdir(parents=True)
    (folder / prose.ENGLISH).symlink_to(english)
    for path in english.glob("*.md"):
        section = name = ""
        lines = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if heading := re.match(r"(##|###) (.+)", line):
                section = heading[2].strip() if heading[1] == "##" else section
                name = section if heading[1] == "##" else f"{section}/{heading[2].strip()}"
            keep = line.startswith("#") or not is_translated(path.stem, name) or FOR_CODE.match(name)
            lines.append(line if keep else translate(line))
        (folder / code / path.name).write_text("\n".join(lines), encoding="utf-8")
    return folder
