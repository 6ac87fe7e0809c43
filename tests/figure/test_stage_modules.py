"""The stage's JavaScript: every module stands behind those that it imports, and text goes in as text."""

import json
import re

import pytest

from attention_lab.faults import AuthoringError
from attention_lab.figure.browser_code import OPERATIONS
from attention_lab.figure.bundle import BROWSER, bundle, exports, imports, in_order, scoped
from lab import ROOT

SHARED = sorted(BROWSER.glob("*.js"))
APART = sorted((ROOT / "attention_lab" / "export" / "qr").glob("*.js"))  # loaded where a page asks for it
MODULES = [*SHARED, *APART, *sorted((ROOT / "attention_lab" / "lessons").glob("*/*.js"))]
ALONE = sorted((ROOT / "attention_lab" / "export").glob("*.js"))  # of a page that stands alone
VENDORED = sorted((ROOT / "attention_lab" / "vendor").rglob("*.js"))
SCRIPTS = {path for folder in ("attention_lab", "tests", "tools") for path in (ROOT / folder).rglob("*.js")}


def having(pattern, paths):
    """The files in which a pattern is found, by their names."""
    found = re.compile(pattern, re.MULTILINE)
    return sorted(path.name for path in paths if found.search(path.read_text(encoding="utf-8")))


def test_what_only_one_lesson_uses_lies_with_it():
    of_the_stage = in_order([BROWSER / "message.js"])
    for path in [path for path in SHARED if path not in of_the_stage]:
        lessons = {other.parent for other in MODULES if other not in SHARED and path in imports(other)}
        assert len(lessons) > 1, f"{path.name} belongs to {lessons or 'nobody'}"


def test_no_two_modules_of_one_script_have_the_same_name():
    parts = [path for path in MODULES if path.name != OPERATIONS]  # a lesson's operations stay in its own script
    assert len({path.stem for path in parts}) == len(parts)


def test_a_module_stands_behind_those_it_imports_and_imports_only_what_they_export():
    for path in [*MODULES, *ALONE]:
        *before, last = in_order([path])
        assert last == path
        assert set(imports(path)) <= set(before), path
        text = path.read_text(encoding="utf-8")
        named = re.findall(r"^import \{([^}]*)\} from '", text, re.MULTILINE)
        sources = [source for source in imports(path) if f"* as {source.stem}" not in text]
        for names, source in zip(named, sources, strict=True):
            assert {name.strip() for name in names.split(",")} - {""} <= set(exports(source)), path
        assert not re.search(r"^(import|export)\b", scoped(path), re.MULTILINE), path


def test_one_module_alone_writes_the_url():
    sources = [path for path in (ROOT / "attention_lab").rglob("*.js") if path not in VENDORED]
    writes = r"\bhistory\s*\.\s*(?:push|replace)State\b|\blocation\s*(?:\.\s*\w+\s*)?=[^=]|location\.assign"
    assert having(writes, sources) == ["address.js"]
    python = [*(ROOT / "attention_lab").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    assert having(r"st\.query_params(?:\[[^]]*\] =|\.(?:clear|update|from_dict|pop)\b)", python) == []


def test_a_circle_of_imports_is_refused(tmp_path):
    (tmp_path / "a.js").write_text("import { b } from './b.js';\nexport const a = 1;\n")
    (tmp_path / "b.js").write_text("import { a } from './a.js';\nexport const b = 1;\n")
    with pytest.raises(ValueError, match="imports itself"):
        bundle(tmp_path / "a.js")


@pytest.mark.parametrize(
    "line",
    [
        "import a from './a.js';",
        "import './a.js';",
        "import { a } from 'a';",
        "export { a };",
        "export class A {}",
    ],
)
def test_a_line_that_would_break_the_page_is_named_with_its_place(tmp_path, line):
    (tmp_path / "own.js").write_text(f"// One line above.\n{line}\n")
    with pytest.raises(AuthoringError, match=r"own\.js, line 2: `(im|ex)port .* Write `import"):
        bundle(tmp_path / "own.js")


def test_a_module_may_be_imported_with_either_quotes(tmp_path):
    (tmp_path / "a.js").write_text("export const a = 1;\n")
    for line in ("import { a } from './a.js';", 'import { a } from "./a.js"', "import * as a from './a.js';"):
        path = tmp_path / f"b{len(list(tmp_path.iterdir()))}.js"
        path.write_text(f"{line}\n")
        assert "import" not in bundle(path)


def test_no_line_is_too_long_to_be_read():
    """The formatter leaves comments and texts as long as they are."""
    biome = json.loads((ROOT / ".ci" / "biome.json").read_text(encoding="utf-8"))
    longest = biome["formatter"]["lineWidth"]
    assert having(rf"^.{{{longest + 1}}}", SCRIPTS.difference(VENDORED)) == []


def test_a_text_is_filled_in_by_one_function():
    """`replace` reads signs such as `$&` in what it puts in: `filled` does not, nor twice what one word holds."""
    assert having(r"""\.replace\(['"`/]\\?\{""", MODULES) == ["number_format.js"]


def test_text_goes_in_as_text():
    """No word of a reader's is ever read as HTML."""
    html = r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval)\b|new Function"
    assert having(html, [*MODULES, *VENDORED]) == []
