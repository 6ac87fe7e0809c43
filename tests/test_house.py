"""The arrows between the rooms, read from the imports: app → pages → lessons → controls, charts, prose → core."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# What each room may import besides the standard library and itself.
ROOMS = {
    "app": {"streamlit", "streamlit_internals", "controls", "classroom", "hosting"},
    "frame": {"streamlit", "controls", "classroom"},
    "classroom": {"streamlit", "numpy", "lessons", "controls", "prose"},
    "pages": {"streamlit", "lessons", "controls", "charts"},
    "lessons": {"numpy", "pandas", "controls", "charts", "prose", "attention_core", "theme", "faults"},
    "controls": {"streamlit", "numpy", "pandas", "prose", "attention_core", "theme", "faults"},
    "charts": {"altair", "numpy", "pandas", "attention_core", "theme"},
    "prose": {"faults"},
    "faults": set(),
    "attention_core": {"numpy"},
    "theme": set(),
    "hosting": {"streamlit", "streamlit_internals", "uvicorn", "starlette", "websockets", "classroom", "controls"}
    | {"faults"},
    "streamlit_internals": {"streamlit", "google"},
    "lab": {"scaffold"},
    "scaffold": set(),
}
SIDEWAYS = {"pages"}  # not even themselves: a page knows nothing of another
LONGEST_PAGE = 60  # lines


def python_files(room):
    return sorted((ROOT / room).rglob("*.py")) + [path for path in [ROOT / f"{room}.py"] if path.exists()]


def imports(path):
    """The top-level names that a file imports from outside its own folder, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from ((alias.name.split(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0], node.lineno


def test_imports_follow_the_arrows():
    wrong = []
    for room, allowed in ROOMS.items():
        own = set() if room in SIDEWAYS else {room}
        for path in python_files(room):
            for name, line in imports(path):
                if name not in allowed | own and name not in sys.stdlib_module_names:
                    wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", ["attention_core", "charts", "prose"])
def test_a_relative_import_stays_in_its_room(room):
    wrong = []
    for path in python_files(room):
        depth = len(path.relative_to(ROOT).parts) - 1
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level > depth:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not wrong, wrong


def test_every_module_of_the_app_has_a_room():
    """A new folder of code must say above what it may import."""
    apart = {"tests", "bench", "training", "deploy", "programs", "templates"}  # not part of the running app
    visible = [path for path in ROOT.iterdir() if path.name[0] not in "._" and not (path / "pyvenv.cfg").exists()]
    found = {path.stem for path in visible if path.suffix == ".py"}
    found |= {path.name for path in visible if path.is_dir() and any(path.rglob("*.py"))}
    assert found - apart <= set(ROOMS)


def test_the_app_runs_on_four_packages():
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    names = [re.match(r"[\w.-]+", line)[0].lower() for line in lines if line.strip() and line[0] != "#"]
    assert sorted(names) == ["altair", "numpy", "pandas", "streamlit"]


def test_no_folder_or_file_is_called_utils():
    code = [path.relative_to(ROOT) for room in ROOMS for path in python_files(room)]
    assert not [path for path in code if {"utils", "helpers", "misc"} & {*path.parts, path.stem}]


def test_the_app_asks_no_other_host():
    """No address of another host in the code; the names of the SVG and MathML languages look like one."""
    address = re.compile(r"https?://(?!www\.w3\.org/)\S*")
    found = []
    for room in ["app", "frame", "classroom", "pages", "lessons", "controls", "charts"]:
        others = [path for kind in ("js", "css", "html") for path in (ROOT / room).rglob(f"*.{kind}")]
        for path in python_files(room) + others:
            text = path.read_text(encoding="utf-8")
            found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in address.finditer(text)]
    assert not found, "\n".join(found)


PAGES = sorted((ROOT / "pages").glob("*/*.py"))
SCRIPTS = [path for path in PAGES if path.name != "__init__.py"]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_page_is_what_stands_on_the_screen(path):
    """At most 60 lines, no function but its fragment, no data, no cache: the rest is its lesson's."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) <= LONGEST_PAGE
    for node in ast.walk(tree):
        assert not isinstance(node, (ast.Lambda, ast.ClassDef)), f"line {node.lineno}"
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            decorated = [ast.unparse(decorator) for decorator in node.decorator_list]
            assert decorated == ["page_layout.fragment"], f"{node.name} is no fragment"
    assigned = [node for node in tree.body if isinstance(node, (ast.Assign, ast.AnnAssign))]
    for node in assigned:
        assert isinstance(node.value, (ast.Call, ast.Attribute)), f"line {node.lineno} holds data"
    found = [alias for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert [alias.name for alias in found if alias.name.startswith("lessons")] == [f"lessons.{address(path)}"]


def address(path):
    return path.stem.lstrip("0123456789_")


def test_every_page_has_its_lesson():
    assert {address(path) for path in SCRIPTS} == {
        path.stem for path in (ROOT / "lessons").iterdir() if path.stem not in ("__init__", "__pycache__")
    }
