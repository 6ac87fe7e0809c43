"""A fault in a page's code is one sentence on the page and in the terminal; a server for a class hides it."""

import logging
import re

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab import faults
from attention_lab.process import PROCESS

PAGE = """
from attention_lab.widgets import page_layout
from attention_lab.calculation import record

def attention(s):
    s.y = s.wieghts @ s.weights

with page_layout.faults_shown():
    record(attention, constants=["weights"])
"""
SENTENCE = "'wieghts' is not among the inputs and calculated values; did you mean 'weights'?"


def test_a_fault_is_said_on_the_page_and_in_the_terminal(caplog):
    at = AppTest.from_string(PAGE).run()
    assert SENTENCE in at.error[0].value.replace("\\", "").replace(":small[]", "")
    assert not at.exception
    assert SENTENCE in caplog.text
    assert "Traceback" not in caplog.text


def test_a_misspelt_import_is_a_sentence_that_says_where_it_stands(caplog):
    with pytest.raises(ImportError) as raised:
        from attention_lab.calculation.operations import nroms  # noqa: F401
    told = "'nroms' is not a name in attention_lab.calculation.operations; did you mean 'norms'?"
    assert faults.sentence(raised.value).endswith(f": {told}")
    assert faults.sentence(raised.value).startswith("tests/test_faults.py, line ")
    faults.log(raised.value)
    assert told in caplog.text
    assert "Traceback" not in caplog.text
    with pytest.raises(ImportError) as raised:
        import no_such_module  # noqa: F401
    assert re.match(
        r"tests/test_faults.py, line \d+: .*No module named 'no_such_module'", faults.sentence(raised.value)
    )


def test_a_server_for_a_class_keeps_it_to_its_log(monkeypatch):
    monkeypatch.setattr(PROCESS, "faults_hidden", True)
    at = AppTest.from_string(PAGE).run()
    assert at.exception
    assert not at.error


@pytest.mark.parametrize(("hidden", "told"), [(False, "unknown 'wrod'"), (True, "a part could not be drawn")])
def test_what_a_browser_reports_is_told_only_to_oneself(caplog, hidden, told):
    with caplog.at_level(logging.ERROR):
        faults.report("values", "unknown 'wrod'\n" + 400 * "x", hidden=hidden)
    assert told in caplog.text
    assert len(caplog.records[-1].getMessage()) < 400
    assert hidden != ("wrod" in caplog.text)
