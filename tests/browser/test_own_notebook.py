"""The example notebook: it runs, and as a web page of nbconvert's it shows its views without a network."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from playwright.sync_api import expect

import attention_lab
from attention_lab.own_attention.page import HEIGHT
from lab import ROOT

EXAMPLE = ROOT / "docs" / "own_attention.ipynb"
VIEWS = ["Random weights", "Six names, twice", "Six names, twice", "Random Llama", "Eight tokens more"]


def run(program, file, *options):
    """Run one of Jupyter's programs on a file, in its folder."""
    command = [Path(sys.executable).with_name(program), *options, file]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=file.parent, env=environment, check=True, capture_output=True)


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The example in a folder of its own, executed."""
    file = tmp_path_factory.mktemp("notebook") / EXAMPLE.name
    file.write_bytes(EXAMPLE.read_bytes())
    run("jupyter-execute", file, "--inplace")
    return file


def output_of(notebook, line):
    """What the cell that has this line in it returned, as HTML."""
    (cell,) = (cell for cell in notebook.cells if cell.cell_type == "code" and line in cell.source)
    return cell.outputs[-1].data["text/html"]


def test_the_example_is_stored_without_outputs():
    stored = nbformat.read(EXAMPLE, as_version=4)
    nbformat.validate(stored)
    assert not any(cell.get("outputs") for cell in stored.cells)


def test_the_example_shows_views_sorts_heads_and_saves_a_file(executed):
    notebook = nbformat.read(executed, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    html = "\n".join(output.get("data", {}).get("text/html", "") for output in outputs)
    assert re.findall('^<iframe title="([^"]*)"', html, re.MULTILINE) == VIEWS
    table = output_of(notebook, 'sort_values("induction"')
    first = re.search(r"<tr>\s*<th>\d+</th>(.*?)</tr>", table, re.DOTALL)[1]
    layer, head, *_, induction, _, kind = re.findall("<td>(.*?)</td>", first)
    assert (layer, head, induction[:4], kind) == ("1", "1", "0.96", "induction")
    assert "<title>Eight tokens more</title>" in (executed.parent / "attention.html").read_text(encoding="utf-8")


def test_a_frame_that_may_not_set_its_height_shows_its_view_without_an_error(browser, tmp_path):
    file = tmp_path / "cell.html"
    cell = attention_lab.show(np.eye(3), list("abc"))._repr_html_()
    file.write_text(cell.replace("<iframe ", '<iframe sandbox="allow-scripts" '), encoding="utf-8")
    with browser.new_context(offline=True) as context:
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(file.as_uri())
        expect(page.frame_locator("iframe").locator(".token-text .says")).to_contain_text("attends most to")
        expect(page.locator("iframe")).to_have_css("height", f"{HEIGHT}px")
        assert page.locator("body").inner_text().strip() == ""
        assert errors == []


def test_nbconverts_page_of_the_example_shows_every_view_without_a_network(executed, browser):
    run("jupyter-nbconvert", executed, "--to=html")
    with browser.new_context(offline=True) as context:
        page, wrong = context.new_page(), []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        # The page around the views asks for MathJax and RequireJS: nbconvert has put that there.
        page.on("request", lambda asked: wrong.append(asked.url) if asked.frame != page.main_frame else None)
        page.goto(executed.with_suffix(".html").as_uri())
        frames = page.locator("iframe")
        expect(frames).to_have_count(len(VIEWS))
        for number in range(len(VIEWS)):
            inside = frames.nth(number).content_frame
            expect(inside.locator(".token-text .says")).not_to_be_empty()
            assert inside.locator(".pattern-canvas canvas").evaluate(
                "e => e.getContext('2d').getImageData(0, 0, e.width, e.height).data.some(x => x > 0)"
            )
            height = inside.locator("html").evaluate("e => e.offsetHeight")
            expect(frames.nth(number)).to_have_css("height", f"{height + 2}px")
        assert wrong == []
