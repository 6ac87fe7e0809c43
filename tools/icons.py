"""The few icons that the app and Streamlit draw, cut out of Streamlit's icon font: `python -m tools.icons`.

After an upgrade of Streamlit, or with a new icon, in an environment that has fonttools and brotli besides the
app's own packages. The subset lies in `attention_lab/assets/icons/` beside the list of its icons;
`attention_lab/server/style_sheet.py` has it take the whole font's place.
"""

from __future__ import annotations

import re
from pathlib import Path

from attention_lab import streamlit_internals
from attention_lab.root import ROOT

FOLDER = ROOT / "attention_lab" / "assets" / "icons"
FONT, LIST = FOLDER / "icons.woff2", FOLDER / "icons.txt"
NAME = re.compile(r":material/([a-z0-9_]+)")
QUOTED = re.compile(r'"([a-z0-9_]+)"')  # an icon may be a name that is put in: what is none does no harm
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_"


def named() -> set[str]:
    """The names of all icons that the app's pages and texts or Streamlit's own page write out."""
    ours = [path for end in ("py", "md") for path in (ROOT / "attention_lab").rglob(f"*.{end}")]
    theirs = (streamlit_internals.STATIC / "static" / "js").glob("*.js")
    files = [*(ROOT / "pages").rglob("*.py"), *ours, *theirs]
    return {name for path in files for name in NAME.findall(path.read_text(encoding="utf-8"))}


def quoted() -> set[str]:
    """The words in quotation marks on pages and in widgets."""
    files = [*(ROOT / "pages").rglob("*.py"), *(ROOT / "attention_lab" / "widgets").glob("*.py")]
    return {name for path in files for name in QUOTED.findall(path.read_text(encoding="utf-8"))}


def cut(font: Path) -> None:
    """Write the subset of a font, and the list of its icons."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    whole = TTFont(font)
    letters = whole.getBestCmap()
    icons: dict[str, str] = {}  # by name, the glyph
    for lookup in whole["GSUB"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            for first, ligatures in getattr(getattr(table, "ExtSubTable", table), "ligatures", {}).items():
                spelt = {glyph: chr(code) for code, glyph in letters.items()}
                for each in ligatures:
                    name = "".join(spelt.get(glyph, "?") for glyph in (first, *each.Component))
                    icons[name] = each.LigGlyph
    wanted = sorted(icons.keys() & (named() | quoted()))
    options = Options(layout_features=["*"], layout_closure=False, flavor="woff2", glyph_names=False)
    subsetter = Subsetter(options)
    subsetter.populate(glyphs=[icons[name] for name in wanted], unicodes=[ord(letter) for letter in LETTERS])
    subsetter.subset(whole)
    whole.flavor = "woff2"
    FOLDER.mkdir(parents=True, exist_ok=True)
    whole.save(FONT)
    LIST.write_text("\n".join(wanted) + "\n", encoding="utf-8")
    print(f"{len(wanted)} icons, {FONT.stat().st_size} bytes; missing: {named() - icons.keys()}")


if __name__ == "__main__":
    cut(next((streamlit_internals.STATIC / "static" / "media").glob("MaterialSymbols-*.woff2")))
