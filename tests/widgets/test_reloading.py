"""A lesson that is changed while the app runs."""

import importlib
import os
import sys
import time
from types import ModuleType

import pytest

from attention_lab.widgets import reloading


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with a lesson in a file and a lesson in a folder."""
    name = f"lessons_{os.getpid()}_{tmp_path.name}"
    root = tmp_path / name
    (root / "large").mkdir(parents=True)
    (root / "__init__.py").touch()
    (root / "small.py").write_text("number = 1")
    (root / "large" / "__init__.py").write_text("from .inner import number")
    (root / "large" / "inner.py").write_text("number = 1")
    (root / "large" / "part.js").write_text("")
    for file in root.rglob("*.*"):
        os.utime(file, (time.time() - 60,) * 2)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(reloading, "LESSONS", reloading.Reloader(name))
    yield root
    for module in [module for module in sys.modules if module.startswith(name)]:
        del sys.modules[module]


def save(file, text):
    file.write_text(text)
    os.utime(file, (time.time() + 60,) * 2)


def lesson(package, name):
    reloading.LESSONS.forget_changed()
    return importlib.import_module(f"{package.name}.{name}")


@pytest.mark.parametrize(
    ("file", "text", "number"),
    [("small.py", "number = 2", 2), ("large/inner.py", "number = 2", 2), ("large/part.js", "// changed", 1)],
)
def test_only_a_changed_lesson_is_imported_again(package, file, text, number):
    name, other = ("small", "large") if file == "small.py" else ("large", "small")
    before, beside = lesson(package, name), lesson(package, other)
    assert lesson(package, name) is before
    save(package / file, text)
    after = lesson(package, name)
    assert after is not before
    assert after.number == number
    assert lesson(package, other) is beside


def test_a_lesson_with_a_syntax_error_is_tried_again(package):
    lesson(package, "large")
    save(package / "large" / "inner.py", "number = ")
    for _ in range(2):
        with pytest.raises(SyntaxError):
            lesson(package, "large")
    save(package / "large" / "inner.py", "number = 3")
    assert lesson(package, "large").number == 3


def test_another_thread_may_import_meanwhile(package, monkeypatch):
    class ImportsAnother(str):
        def startswith(self, *prefix):
            monkeypatch.setitem(sys.modules, "imported_meanwhile", ModuleType("imported_meanwhile"))
            return super().startswith(*prefix)

    monkeypatch.setitem(sys.modules, ImportsAnother("imported_before"), ModuleType("imported_before"))
    assert lesson(package, "small").number == 1
