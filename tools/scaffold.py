"""A new page: its files are made from those in ``tools/templates``, and pass all tests as they are.

`NAME` in a template and in its path gives way to the page's name, `TITLE` to its title, and the template ``PAGE``
goes into its part, behind the last page there. A page is about a set of words or about a sentence: a line that
ends in ``# words`` or ``# sentence`` is for that kind alone.
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from pathlib import Path

TEMPLATES = Path("tools/templates")
KINDS = ("words", "sentence")
LONGEST = 24  # letters of a name: up to there every line of the templates fits
APART = ("0_start", "6_class")  # folders of pages that are no part of the course
TAKEN = ("app", "component", "health", "media", "static")  # addresses of the server's own
ONE_KIND = re.compile(rf"^(.*)  # ({'|'.join(KINDS)})\n", re.MULTILINE)


def new_page(root: Path, arguments: list[str]) -> list[Path]:
    """Make the files of the page that the `arguments` ask for, or end with a sentence and write nothing."""
    wanted = read_arguments(arguments)
    if wrong := unsuitable(wanted.name):
        sys.exit(f"{wanted.name!r} cannot be a page's name: {wrong}.")
    files = render_templates(root, part_of(root, wanted.part), wanted.name, wanted.kind)
    lesson = root / "attention_lab" / "lessons" / wanted.name
    for path in [*files, lesson, *root.glob(f"pages/*/*[0-9]_{wanted.name}.py")]:
        if path.exists():
            sys.exit(f"{path.relative_to(root).as_posix()} is there already: choose another name.")
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(files)


def read_arguments(arguments: list[str]) -> argparse.Namespace:
    """The command line: a name, a kind and a part."""
    parser = argparse.ArgumentParser(
        "python3 lab.py new", description="Make a page of your own, which passes all tests as it is."
    )
    parser.add_argument("name", metavar="NAME", help="its name in links: small letters, digits and _")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--words", dest="kind", action="store_const", const="words", help="about a set of words")
    kinds.add_argument("--sentence", dest="kind", action="store_const", const="sentence", help="about a sentence")
    parser.add_argument("--part", help="folder in pages/, such as 1_geometry (the last part)")
    parser.set_defaults(kind="words")
    return parser.parse_args(arguments)


def unsuitable(name: str) -> str:
    """Why a name cannot be an address and a module's name; nothing where it can."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        return "it takes small letters, digits and single _ between them, beginning with a letter"
    if len(name) > LONGEST:
        return f"it has {len(name)} letters, and {LONGEST} fit"
    if keyword.iskeyword(name):
        return "Python has that word for itself"
    return "the server has that address for itself" if name in TAKEN else ""


def part_of(root: Path, name: str | None) -> Path:
    """The folder of that name among those that pages can be added to, or the last one with pages."""
    paths = [init.parent for init in sorted(root.glob("pages/*/__init__.py"))]
    parts = [part for part in paths if part.name not in APART]
    if name is None:
        return [part for part in parts if numbers(part)][-1]
    if name not in (known := [part.name for part in parts]):
        sys.exit(f"There is no part {name!r}: there are {', '.join(known)}.")
    return root / "pages" / name


def numbers(part: Path) -> list[int]:
    """The numbers of a part's pages."""
    return [int(path.name.split("_")[0]) for path in part.glob("[0-9]*_*.py")]


def render_templates(root: Path, part: Path, name: str, kind: str) -> dict[Path, str]:
    """The texts of the new page's files by their paths."""
    number = max(numbers(part), default=0) + 1
    if number > 9:
        sys.exit(f"pages/{part.name} has nine pages, and the menu sorts by one digit: make a new part.")
    title, files = name.replace("_", " ").capitalize(), {}
    for template in sorted(path for path in (root / TEMPLATES).rglob("*.*") if path.suffix in (".py", ".md")):
        place = template.relative_to(root / TEMPLATES).as_posix().replace("NAME", name)
        place = place.replace("pages/PAGE", f"pages/{part.name}/{number}_{name}")
        text = ONE_KIND.sub(lambda line: f"{line[1]}\n" if line[2] == kind else "", template.read_text("utf-8"))
        files[root / place] = re.sub(r"\bNAME\b", name, re.sub(r"\bTITLE\b", title, text))
    return files
