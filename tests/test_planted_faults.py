"""The planted faults fit the code: `python -m tools.planted_faults` runs them, which takes minutes."""

from fnmatch import fnmatch

from tools.planted_faults import FAILED, FAULTS, PASSED, missing_files, occurrences, verdict

FOLDERS = """
attention_core/*.py attention_lab/calculation/*.py attention_lab/state/*.py attention_lab/figure/*.py
attention_lab/figure/browser/*.js attention_lab/charts/*.py attention_lab/text/*.py attention_lab/widgets/*.py
attention_lab/export/*.py attention_lab/worksheets/*.py attention_lab/classroom/*.py attention_lab/server/*.py
attention_lab/lessons/*.py pages/*.py
"""


def test_a_planted_fault_fits_its_file_and_its_tests_exist():
    assert [
        (fault.path, fault.old) for fault in FAULTS if occurrences(fault) != 1 or fault.new == fault.old
    ] == []
    assert [(fault.tests, missing_files(fault)) for fault in FAULTS if missing_files(fault)] == []


def test_every_folder_and_the_scripts_have_a_planted_fault():
    paths = [fault.path for fault in FAULTS]
    assert [pattern for pattern in FOLDERS.split() if not any(fnmatch(path, pattern) for path in paths)] == []
    assert any(path == "lab.py" or path.startswith("tools/") for path in paths)


def test_only_a_test_that_passes_without_the_fault_can_find_it():
    assert verdict(PASSED, FAILED) == "found"
    assert verdict(PASSED, PASSED) == "MISSED"
    assert verdict(FAILED, FAILED).startswith("NO TEST")
    assert verdict(PASSED, 2).startswith("NO TEST")
