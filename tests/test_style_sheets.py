"""Pages run from right to left, too: style sheets name the start and the end of a line, not left and right."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PHYSICAL = re.compile(
    r"(?<![\w-])((?:(?:margin|padding|border)-(?:left|right)(?:-\w+)?|left|right|"
    r"border-(?:top|bottom)-(?:left|right)-radius)\s*:[^;}]*|(?:text-align(?:-last)?|float|clear)\s*:\s*(?:left|right))"
)
FOUR = re.compile(r"(?<![\w-])(margin|padding|inset|border-radius)\s*:\s*([^;}]*)")
VALUE = re.compile(r"(?:[^\s()]|\((?:[^()]|\([^()]*\))*\))+")
# What means a side of the window, or stands on a scale that runs from left to right on every page.
ON_PURPOSE = {
    "figure/browser/cloud.css": {"margin-left: -1.5px"},  # half a mark's width, placed by `left` on a scale
    "lessons/softmax/bars.css": {"margin-left: -1.5px"},  # the same
    "lessons/queries_keys/ruler.css": {"left: 50%"},  # the middle of a mark on a scale
    "lessons/trained_model/trained.css": {"left: 0"},  # a list, placed by `left` below the word that is written
    # On a page from right to left only: formulas and words of a column alike, though each runs its own way
    "figure/browser/stage.css": {"text-align: left", "text-align: right"},
    "lessons/scale/scale.css": {"text-align: right"},
}


def classes_alone(path: Path) -> set[str]:
    """Return the classes whose elements a style sheet draws wherever they stand: `.grid`, `svg.picture`."""
    style = re.sub(r"\([^()]*\)", "", without_comments(path.read_text("utf-8")))
    selectors = ",".join(re.findall(r"([^{}]+)\{", style)).split(",")
    return {found[1] for selector in selectors if (found := re.fullmatch(r"\s*\w*\.([\w-]+)\s*", selector))}


def physical(style: str) -> set[str]:
    """Return the declarations that name left or right, or give the two sides of a box different lengths."""
    style = without_comments(style)
    found = {re.sub(r"\s*:\s*", ": ", declaration.strip()) for declaration in PHYSICAL.findall(style)}
    for name, value in FOUR.findall(style):
        sides = VALUE.findall(value.replace("!important", "").split("/")[0])
        if name == "border-radius":
            unlike = len(sides) in (2, 3) or (len(sides) == 4 and (sides[0] != sides[1] or sides[2] != sides[3]))
        else:
            unlike = len(sides) == 4 and sides[1] != sides[3]
        found |= {f"{name}: {value.strip()}"} if unlike else set()
    return found


def without_comments(style: str) -> str:
    return re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)


def test_style_sheets_name_no_side_of_the_window():
    found = {}
    for path in (ROOT / "attention_lab").rglob("*.css"):
        # `right_to_left.css` mends what Streamlit has placed at a side
        if "vendor" not in path.parts and path.name != "right_to_left.css":
            found[path.relative_to(ROOT / "attention_lab").as_posix()] = physical(path.read_text("utf-8"))
    assert {name: sides for name, sides in found.items() if sides} == ON_PURPOSE


def test_every_size_of_type_is_one_of_the_six():
    """But for how large a rem is, type in print, and no type at all."""
    token = re.compile(r"var\(--text-[1-6]\)|inherit|0$|\d+\.?\d*pt|clamp\(var\(--text|max\(var\(--text")
    found = {}
    for path in (ROOT / "attention_lab").rglob("*.css"):
        style = re.sub(
            r"html:root \{ font-size[^}]*\}|@font-face[^}]*\}", "", without_comments(path.read_text("utf-8"))
        )
        sizes = re.findall(r"(?<![\w-])font(?:-size)?\s*:\s*([^;}]*)", style)
        if others := [size for size in sizes if not token.search(size)]:
            found[path.name] = others
    assert found == {}


def test_a_class_of_a_shared_part_is_not_drawn_by_a_lesson_as_well():
    browser = ROOT / "attention_lab/figure/browser"
    shared = set().union(*map(classes_alone, browser.glob("*.css")))
    assert "grid-line" in shared
    own = {path: classes_alone(path) for path in (ROOT / "attention_lab/lessons").rglob("*.css")}
    both = {path.name: names & shared for path, names in own.items() if names & shared}
    assert both == {
        "train.css": {"tint-0", "tint-1", "tint-2"},  # on purpose: colours of its own
    }


def test_right_to_left_rules_hold_on_such_pages_only():
    sheet = (ROOT / "attention_lab/widgets/right_to_left.css").read_text("utf-8")
    rules = re.findall(r"([^{}]+)\{", without_comments(sheet))
    assert rules
    assert all(rule.strip().startswith('html[dir="rtl"]') for rule in rules)


def test_physical_declarations_are_found():
    assert physical(".a { margin-left: 1px; text-align: right; padding: 0 1px 0 2px }") == {
        "margin-left: 1px",
        "text-align: right",
        "padding: 0 1px 0 2px",
    }
    assert physical(".a { border-radius: 0 .5rem .5rem 0; left: auto }") == {
        "border-radius: 0 .5rem .5rem 0",
        "left: auto",
    }
    assert not physical(
        ".a { inset: 1px auto 0; margin: 0 auto; text-align: start; grid-area: left; /* left: 0 */ }"
    )
