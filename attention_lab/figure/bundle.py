"""JavaScript modules as one script: each in a scope of its own, behind those that it imports.

Streamlit takes a component's code as one text and has no bundler. Modules import by relative paths and are known
by their file's name, so that no two of one script may bear the same.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from attention_lab.faults import AuthoringError

BROWSER = Path(__file__).parent / "browser"
CONTROLS = (BROWSER / "controls.css").read_text(encoding="utf-8")  # for what stands beside a figure, too
IMPORT = re.compile(r"""^import (\{[^}]*\}|\* as \w+) from ['"](\.[\w./-]*)\.js['"];?$""", re.MULTILINE)
EXPORT = re.compile(r"^export (?:const|let|(?:async )?function\*?) (\w+)", re.MULTILINE)
# Comments, empty lines and indents. No text in our code has two slashes behind a space.
UNSENT = re.compile(r"^[ \t]*(?://[^\n]*)?\n|^[ \t]+|[ \t]+// [^\n]*", re.MULTILINE)
DEFAULT = re.compile(r"^export default \w+;$", re.MULTILINE)
LINKS = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)  # what one of these has to read
UNREAD = (
    "`{}` cannot be put into the page. Write `import {{ name }} from './file.js';`, `export const name = …` or "
    "`export function name`."
)


@lru_cache(256)
def read(path: Path) -> str:
    """The text of a module."""
    return path.read_text(encoding="utf-8")


def check(path: Path) -> None:
    """Refuse an import or export of a form that is not read here: it would break the figure in the browser."""
    text = read(path)
    known = {found.start() for each in (IMPORT, EXPORT, DEFAULT) for found in each.finditer(text)}
    if link := next((found for found in LINKS.finditer(text) if found.start() not in known), None):
        line = text.count("\n", 0, link.start()) + 1
        raise AuthoringError(f"{path.parent.name}/{path.name}, line {line}: {UNREAD.format(link[0])}")


def imports(path: Path) -> list[Path]:
    """The modules that a module imports, in the order in which it names them."""
    return [(path.parent / f"{source}.js").resolve() for _, source in IMPORT.findall(read(path))]


def exports(path: Path) -> list[str]:
    """The names that a module exports."""
    return EXPORT.findall(read(path))


def in_order(paths: Iterable[Path]) -> list[Path]:
    """The modules and all that they import, each behind those that it imports itself."""
    result: list[Path] = []

    def add(path: Path, importing: tuple[Path, ...]) -> None:
        if path in importing:
            raise ValueError(f"{path.name} imports itself, by way of {importing[-1].name}")
        if path not in result:
            for other in imports(path):
                add(other, (*importing, path))
            result.append(path)

    for path in paths:
        add(path.resolve(), ())
    return result


def scoped(path: Path) -> str:
    """One module as a constant: an object of what it exports, made in a scope of its own."""
    check(path)

    def replacement(match: re.Match) -> str:
        names, source = match[1], Path(match[2]).name
        return f"const {names.removeprefix('* as ')} = {source}_module;"

    text = DEFAULT.sub("", IMPORT.sub(replacement, read(path)))  # here everything is imported by its name
    text = re.sub(r"^export ", "", UNSENT.sub("", text), flags=re.MULTILINE)
    return f"const {path.stem}_module = (() => {{\n{text}\nreturn {{ {', '.join(exports(path))} }};\n}})();"


def bundle(*paths: Path, without: Iterable[Path] = ()) -> str:
    """One script of the modules and all that they import; those `without` are there already."""
    left_out = {path.resolve() for path in without}
    return "\n".join(scoped(path) for path in in_order(paths) if path not in left_out)
