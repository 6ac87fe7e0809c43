"""A lesson that is changed while the app runs."""

import importlib
import os
import sys
import threading
import time
from types import ModuleType

import pytest

from attention_lab.widgets import reloading


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with a lesson in a file and a lesson in a folder; its name."""
    name = f"lessons_{os.getpid()}_{tmp_path.name}"
    root = tmp_path / name
    (root / "large").mkdir(parents=True)
    (root / "__init__.py").touch()
    (root / "small.py").write_text("said = 1")
    (root / "large" / "__init__.py").write_text("from .inner import said")
    (root / "large" / "inner.py").write_text("said = 1")
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
    ("name", "file", "text", "said"),
    [
        ("small", "small.py", "said = 2", 2),
        ("large", "large/inner.py", "said = 2", 2),
        ("large", "large/part.js", "// changed", 1),
    ],
)
def test_what_has_changed_is_read_anew_and_nothing_else(package, name, file, text, said):
    other = {"small": "large", "large": "small"}[name]
    before, beside = lesson(package, name), lesson(package, other)
    assert lesson(package, name) is before
    save(package / file, text)
    after = lesson(package, name)
    assert after is not before
    assert after.said == said
    assert lesson(package, other) is beside


def test_a_lesson_that_cannot_be_read_is_tried_again(package):
    lesson(package, "large")
    save(package / "large" / "inner.py", "said = ")
    for _ in range(2):
        with pytest.raises(SyntaxError):
            lesson(package, "large")
    save(package / "large" / "inner.py", "said = 3")
    assert lesson(package, "large").said == 3


def test_others_may_import_while_it_looks(package):
    """Each session looks in a thread of its own, and imports what its page needs."""
    done = threading.Event()

    def import_and_forget():
        while not done.is_set():
            for name in names:
                sys.modules[name] = ModuleType(name)
            for name in names:
                del sys.modules[name]

    names = [f"imported_{number}" for number in range(100)]
    other, usual = threading.Thread(target=import_and_forget), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    other.start()
    try:
        for _ in range(200):
            assert lesson(package, "small").said == 1
    finally:
        done.set()
        other.join()
        sys.setswitchinterval(usual)
