"""The code that draws figures in the browser: one library for all lessons, and parts of one lesson."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

from attention_lab import theme
from attention_lab.text import read
from attention_lab.text.languages import by_language, language

from . import terms
from .bundle import BROWSER, bundle, in_order

OPERATIONS = "operations.js"
LESSONS = Path(__file__).parent.parent / "lessons"
WORDS = "words_"  # how the name of a language's script begins
CORE = in_order([BROWSER / "stage.js", *sorted(BROWSER.glob("*.js"))])


UNSENT = re.compile(r"/\*.*?\*/|^\s+|\s+(?=[{\n])|(?<=[{:;,])[ ]", re.DOTALL | re.MULTILINE)  # of a style sheet


def _style() -> str:
    sheets = [BROWSER / "stage.css", *sorted(set(BROWSER.glob("*.css")) - {BROWSER / "stage.css"})]
    return f":host {{ {theme.tokens()} }}\n{_sheets(sheets)}"


def _sheets(paths: Iterable[Path]) -> str:
    return UNSENT.sub("", "\n".join(path.read_text(encoding="utf-8") for path in paths))


GLOBALS = (
    "const globals = (globalThis.attention_lab ??= { waiting: [], modules: {}, styles: {}, arrays: new Map() });"
)
WAKE = "for (const wake of globals.waiting.splice(0)) wake();"
AWAIT_LIBRARY = "while (!globals.modules.stage) await new Promise(wake => globals.waiting.push(wake));"


@dataclass(frozen=True)
class Script:
    """A module for the browser, in a file named after its content, so that a browser may keep it for good."""

    name: str
    text: str

    @cached_property
    def fingerprint(self) -> str:
        """Letters that stand for the content."""
        return sha256(self.text.encode()).hexdigest()[:16]

    @property
    def file(self) -> str:
        """The file's name."""
        return f"{self.name}.{self.fingerprint}.js"


@cache
def library() -> Script:
    """The library that every figure is drawn with. One that comes after an update replaces none."""
    modules, style = bundle(*CORE), _style()
    version = Script("library", modules + style).fingerprint
    return Script(
        "library",
        "\n".join(
            [
                modules,
                GLOBALS,
                f"if ((globals.version ??= '{version}') === '{version}') {{",
                *(f"globals.modules.{path.stem} = {path.stem}_module;" for path in CORE),
                f"globals.styles[''] = {json.dumps(style)};",
                "}",
                WAKE,
                "globals.modules.first?.begin();",
            ]
        ),
    )


def numbers() -> dict[str, object]:
    """How the browser writes numbers in the language that is spoken (`number_format.js`)."""
    spoken = language()
    rules = {name: getattr(spoken, name) for name in ("decimal", "group", "least_grouped", "comma")}
    return read("controls").parts("numbers") | rules


@by_language()
def words() -> Script:
    """The words that every figure brings along, in the language that is spoken."""
    text = read("controls")
    spoken = {
        "undrawn": text["stage/undrawn"],
        "outdated": text["stage/outdated"],
        "terms": terms.entries(),
        "taps": text.parts("stage/taps"),
        "numbers": numbers(),
        "badges": text.parts("badge_labels"),
    }
    code = language().code
    line = f"(globals.words ??= {{}}).{code} = {json.dumps(spoken, ensure_ascii=False)};"
    return Script(f"{WORDS}{code}", "\n".join([GLOBALS, line, WAKE]))


@cache
def library_version() -> str:
    """The version that the library gives itself: a payload names the one that it was made for."""
    return re.search(r"\(globals\.version \?\?= '(\w+)'\)", library().text)[1]


class OwnParts:
    """The parts of a figure that not every page draws with: the JavaScript modules and style sheets of a folder.

    ``figure.part("pairs", …)`` is drawn by the function `pairs` that one of the modules exports; the modules are
    among the page's globals, too. What `operations.js` exports are operations of the lesson's calculation.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._modules = sorted(folder.glob("*.js"))
        self._sheets = sorted(folder.glob("*.css"))
        self._parts = [path for path in self._modules if path.name != OPERATIONS]

    @cached_property
    def script(self) -> Script:
        """The parts as one script, to be run when the library is there."""
        modules, name = self._modules, json.dumps(self.name)
        shared = [path for path in in_order(modules) if path in CORE]
        text = "\n".join(
            [
                GLOBALS,
                "const open = () => {",
                *(f"const {path.stem}_module = globals.modules.{path.stem};" for path in shared),
                bundle(*modules, without=CORE),
                f"const kinds = (globals.modules.registry.ownParts[{name}] ??= {{}});",
                *(f"Object.assign(kinds, {path.stem}_module);" for path in self._parts),
                *(f"globals.modules.{path.stem} = {path.stem}_module;" for path in self._parts),
                *["Object.assign(globals.modules.calculation.operations, operations_module);"]
                * (len(modules) - len(self._parts)),
                f"globals.styles[{name}] = {json.dumps(_sheets(self._sheets))};",
                WAKE,
                "};",
                "const ready = async () => {",
                AWAIT_LIBRARY,
                "open();",
                "};",
                "ready();",
            ]
        )
        return Script(self.name, text)


@cache
def parts_of_lessons() -> Mapping[str, OwnParts]:
    """The own parts of each lesson that has any in its folder, by the lesson's name."""
    folders = {path.parent for path in LESSONS.glob("*/*") if path.suffix in (".js", ".css")}
    return {folder.name: OwnParts(folder.name, folder) for folder in sorted(folders)}
