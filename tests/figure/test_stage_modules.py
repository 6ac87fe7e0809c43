"""The stage's JavaScript: every module stands behind those that it imports, and text goes in as text."""

import json
import re

import pytest

from attention_lab.figure.browser_code import OPERATIONS
from attention_lab.figure.bundle import BROWSER, bundle, exports, imports, in_order, scoped
from lab import ROOT

SHARED = sorted(BROWSER.glob("*.js"))
APART = sorted((ROOT / "attention_lab" / "export" / "qr").glob("*.js"))  # loaded where a page asks for it
MODULES = [*SHARED, *APART, *sorted((ROOT / "attention_lab" / "lessons").glob("*/*.js"))]
VENDORED = sorted((ROOT / "attention_lab" / "vendor").rglob("*.js"))
every_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)


def test_what_only_one_lesson_uses_lies_with_it():
    of_the_stage = in_order([BROWSER / "stage.js"])
    for path in [path for path in SHARED if path not in of_the_stage]:
        lessons = {other.parent for other in MODULES if other not in SHARED and path in imports(other)}
        assert len(lessons) > 1, f"{path.name} belongs to {lessons or 'nobody'}"


def test_no_two_modules_of_one_script_have_the_same_name():
    parts = [path for path in MODULES if path.name != OPERATIONS]  # a lesson's operations stay in its own script
    assert len({path.stem for path in parts}) == len(parts)


@every_module
def test_a_module_stands_behind_those_it_imports(path):
    order = in_order([path])
    assert order[-1] == path
    assert set(imports(path)) <= set(order[:-1])


@every_module
def test_every_imported_name_is_exported(path):
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"^import \{([^}]*)\} from '", text, re.MULTILINE)
    for names, source in zip(found, [i for i in imports(path) if f"* as {i.stem}" not in text], strict=True):
        assert {name.strip() for name in names.split(",")} - {""} <= set(exports(source))
    assert not re.search(r"^(import|export)\b", scoped(path), re.MULTILINE)


def test_one_module_alone_writes_the_url():
    sources = [p for p in (ROOT / "attention_lab").rglob("*.js") if p not in VENDORED]
    writes = re.compile(
        r"\bhistory\s*\.\s*(?:push|replace)State\b|\blocation\s*(?:\.\s*\w+\s*)?=[^=]|location\.assign"
    )
    assert [p.name for p in sources if writes.search(p.read_text(encoding="utf-8"))] == ["address.js"]
    python = [*(ROOT / "attention_lab").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    written = re.compile(r"st\.query_params(?:\[[^]]*\] =|\.(?:clear|update|from_dict|pop)\b)")
    assert [p.name for p in python if written.search(p.read_text(encoding="utf-8"))] == []


def test_a_circle_of_imports_is_refused(tmp_path):
    (tmp_path / "a.js").write_text("import { b } from './b.js';\nexport const a = 1;\n")
    (tmp_path / "b.js").write_text("import { a } from './a.js';\nexport const b = 1;\n")
    with pytest.raises(ValueError, match="imports itself"):
        bundle(tmp_path / "a.js")


LINE = json.loads((ROOT / ".ci" / "biome.json").read_text(encoding="utf-8"))["formatter"]["lineWidth"]
SCRIPTS = [
    path
    for folder in ("attention_lab", "tests", "tools")
    for path in sorted((ROOT / folder).rglob("*.js"))
    if path not in VENDORED
]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_no_line_is_too_long_to_be_read(path):
    """The formatter leaves comments and texts as long as they are."""
    lines = path.read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if len(line) > LINE]


@every_module
def test_a_text_is_filled_in_by_one_function(path):
    """`replace` reads signs such as `$&` in what it puts in: `filled` does not, nor twice what one word holds."""
    if path.stem != "figures":
        assert not re.search(r"""\.replace\(['"`/]\\?\{""", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", [*MODULES, *VENDORED], ids=lambda path: path.stem)
def test_text_goes_in_as_text(path):
    """No word of a reader's is ever read as HTML."""
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval)\b|new Function", text)
