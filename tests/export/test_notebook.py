"""A page's program as a notebook: valid, the same code, and it runs."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

from attention_lab.export import LIBRARIES, notebook, program
from attention_lab.lesson import Program
from tests.visit import PAGES, lesson_of


def programs():
    """Return name, constants and files of each lesson's program in the state that it opens with."""
    for lesson in (lesson_of(path).LESSON for path in PAGES):
        if lesson.program:
            constants = lesson.program(lesson.parse({})[0])
            special = isinstance(constants, Program)
            yield (constants.name, constants, constants.files) if special else (lesson.name, constants, {})


def test_every_notebook_is_valid_and_holds_the_program():
    for name, constants, _ in programs():
        for library in LIBRARIES:
            read = nbformat.reads(notebook(library, name, constants, "# Title"), as_version=4)
            nbformat.validate(read)
            assert read.cells[0].source == "# Title"
            assert read.metadata.language_info.file_extension == ".py", "a converter names the program by it"
            code = [cell.source for cell in read.cells if cell.cell_type == "code"]
            for cell in code:
                compile(cell, name, "exec")
            assert "\n".join(code).split() == program(library, name, constants).split(), (name, library)


def test_a_notebook_with_files_prints_in_jupyter_what_its_program_prints(tmp_path):
    name, constants, files = next(found for found in programs() if found[2])
    for file, path in files.items():
        shutil.copy(path, tmp_path / file)
    file = tmp_path / "page.ipynb"
    file.write_text(notebook("numpy", name, constants, ""), encoding="utf-8")
    jupyter = Path(sys.executable).with_name("jupyter-execute")
    subprocess.run([jupyter, "--inplace", file], cwd=tmp_path, check=True, capture_output=True)
    cells = nbformat.read(file, as_version=4).cells
    printed = "".join(output.text for cell in cells for output in cell.get("outputs", ()))
    command = [sys.executable, "-c", program("numpy", name, constants)]
    assert printed == subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout != ""
