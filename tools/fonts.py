"""Cut the course's fonts out of Streamlit's: Source Sans 3 and Source Serif 4. `python -m tools.fonts`.

After an upgrade of Streamlit, in an environment that has fonttools and brotli besides the app's own packages.
"""

from attention_lab import streamlit_internals
from attention_lab.fonts import ENGLISH, FOLDER, LATIN

SANS = ("SourceSansVF-Upright", {"wght": (400, 700)}, [])  # kerning would take 2 KB
SERIF = ("SourceSerifVariable-Roman", {"wght": 600, "opsz": 32}, ["kern"])
NOT_IN_TITLES = '"#$&*+/<=>@[\\]^_`{|}~‹›«»×÷²√∞→↑≈ΔΣ₁₂−'


def cut(name: str, source: str, axes: dict[str, object], features: list[str], letters: str) -> None:
    """Write a subset, and say how large it is and which letters it lacks."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont

    font = TTFont(next((streamlit_internals.STATIC / "static" / "media").glob(f"{source}.*.woff2")))
    lacks = [letter for letter in letters if ord(letter) not in font.getBestCmap()]
    subsetter = Subsetter(Options(layout_features=["tnum", *features], hinting=False, name_IDs=[0, 13, 14]))
    subsetter.populate(text=letters)
    subsetter.subset(font)
    font = instantiateVariableFont(font, axes)
    font.flavor = "woff2"
    font.save(FOLDER / f"{name}.woff2")
    print(name, (FOLDER / f"{name}.woff2").stat().st_size, "bytes; lacks", "".join(lacks) or "none")


if __name__ == "__main__":
    of_titles = "".join(letter for letter in ENGLISH if letter not in NOT_IN_TITLES)
    cut("sans", *SANS, ENGLISH)
    cut("sans-latin", *SANS, ENGLISH + LATIN)
    cut("serif", *SERIF, of_titles)
    cut("serif-latin", *SERIF, of_titles + LATIN)
