"""A page's program as a notebook: valid, the same code, and it runs."""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from attention_lab.export import LIBRARIES, Program, notebook, program
from tests.visit import NAMES

LESSONS = [importlib.import_module(f"attention_lab.lessons.{name}").LESSON for name in ["home", *NAMES]]
WITH_PROGRAMS = [lesson for lesson in LESSONS if lesson.program]


def of_lesson(lesson):
    """The name, constants and files of a lesson's program in the state that it opens with."""
    state, _ = lesson.parse({})
    constants = lesson.program(state)
    is_other = isinstance(constants, Program)
    return (constants.name, constants, constants.files) if is_other else (lesson.name, constants, {})


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("lesson", WITH_PROGRAMS, ids=lambda lesson: lesson.name)
def test_a_notebook_is_valid_and_holds_the_program(lesson, library):
    name, constants, _ = of_lesson(lesson)
    read = nbformat.reads(notebook(library, name, constants, "# Title"), as_version=4)
    nbformat.validate(read)
    assert read.cells[0].source == "# Title"
    code = "\n".join(cell.source for cell in read.cells if cell.cell_type == "code")
    assert code.split() == program(library, name, constants).split()


def test_every_notebook_runs_and_prints_what_its_program_prints(tmp_path):
    written = {}
    for lesson in WITH_PROGRAMS:
        name, constants, files = of_lesson(lesson)
        for file, path in files.items():
            shutil.copy(path, tmp_path / file)
        written[name] = tmp_path / f"{name}.ipynb"
        written[name].write_text(notebook("numpy", name, constants, ""), encoding="utf-8")
        (tmp_path / f"{name}.py").write_text(program("numpy", name, constants), encoding="utf-8")
    jupyter = Path(sys.executable).with_name("jupyter-execute")
    subprocess.run(
        [jupyter, "--inplace", *written.values()], cwd=tmp_path, check=True, capture_output=True, timeout=300
    )
    for name, path in written.items():
        cells = nbformat.read(path, as_version=4).cells
        printed = "".join(output.text for cell in cells for output in cell.get("outputs", ()))
        command = [sys.executable, f"{name}.py"]
        ran = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
        assert printed == ran.stdout != "", name
