"""The planted faults fit the code: `python -m tools.planted_faults` runs them, which takes minutes."""

import pytest

from tools.planted_faults import FAILED, FAULTS, PASSED, missing_files, occurrences, verdict

FOLDERS = {
    "attention_core": ".py",
    "attention_lab/calculation": ".py",
    "attention_lab/state": ".py",
    "attention_lab/figure": ".py",
    "attention_lab/figure/browser": ".js",
    "attention_lab/charts": ".py",
    "attention_lab/text": ".py",
    "attention_lab/widgets": ".py",
    "attention_lab/export": ".py",
    "attention_lab/worksheets": ".py",
    "attention_lab/classroom": ".py",
    "attention_lab/server": ".py",
    "attention_lab/lessons": ".py",
    "pages": ".py",
}


@pytest.mark.parametrize("number", range(1, len(FAULTS) + 1))
def test_planted_fault_fits_its_file_and_its_tests(number):
    fault = FAULTS[number - 1]
    assert occurrences(fault) == 1, f"{fault.path} no longer has, once: {fault.old}"
    assert fault.new != fault.old
    assert missing_files(fault) == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_folder_has_a_planted_fault(folder):
    assert any(f.path.startswith(f"{folder}/") and f.path.endswith(FOLDERS[folder]) for f in FAULTS)


def test_scripts_have_a_planted_fault():
    assert any(f.path == "lab.py" or f.path.startswith("tools/") for f in FAULTS)


def test_few_planted_faults_need_a_browser():
    assert sum("tests/browser/" in f.tests for f in FAULTS) <= 6


@pytest.mark.parametrize(
    ("sound", "planted", "said"),
    [(PASSED, FAILED, "found"), (PASSED, PASSED, "MISSED"), (FAILED, FAILED, "NO TEST"), (PASSED, 2, "NO TEST")],
)
def test_only_a_test_that_passes_without_the_fault_can_find_it(sound, planted, said):
    assert verdict(sound, planted).startswith(said)
