"""A figure of given arrays as an HTML file: what it needs of the app."""

import json
import subprocess
import sys

import numpy as np
import pytest

from attention_lab import faults, figure
from attention_lab.figure.parts import constant
from attention_lab.figure.payload import plain_payload
from attention_lab.html_file.figure_page import figure_page
from lab import ROOT

UNUSED = ("streamlit", "pandas", "altair", "attention_lab.lesson", "attention_lab.lessons")


def test_a_page_of_given_arrays_needs_no_lesson_and_no_streamlit():
    code = f"""
import sys
import attention_lab
assert "numpy" not in sys.modules, "a command begins with it"
import attention_lab.html_file.figure_page
print([name for name in {UNUSED} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_figure_names_only_what_it_is_given():
    unknown = [figure.Column([figure.arcs({"": constant("wrod")}, title="")])]
    with pytest.raises(faults.UnknownNameError, match="wrod"):
        plain_payload("figure", unknown, "", {"words": [], "sentence": []}, {"word": 0})


def test_arrays_and_pose_reach_the_browser():
    column = figure.Column([figure.heading([constant("pose"), constant("array")])])
    payload = json.loads(plain_payload("figure", [column], "", {"array": np.array([[1, np.nan]])}, {"pose": 1}))
    assert payload["constants"] == {"array": [[1, None]]}
    assert payload["pose"] == {"pose": 1}
    assert payload["calculation"] == []


def test_a_title_is_text_in_the_page():
    page = figure_page([], "<script>&", {}, {})
    assert "<title>&lt;script&gt;&amp;</title>" in page
    assert "<script>&" not in page
