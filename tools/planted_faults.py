"""Planted faults: does a test find each of forty faults that a change could bring in?

    python -m tools.planted_faults [--only N …]

copies the repository into a temporary folder and plants one fault at a time there. The tests named beside a fault
must pass without it and fail with it. Exit status 1 where a fault is missed or where its text has changed: then
name the new text, or write the missing test. Faults that need a browser want CHROMIUM, as the tests do.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
NO_SOURCE = (".git", ".venv", "__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis", "out")
PASSED, FAILED = 0, 1  # exit codes of pytest


@dataclass(frozen=True)
class PlantedFault:
    """One fault: `old` occurs once in the file at `path`, and `new` in its place is the fault."""

    path: str
    old: str
    new: str
    why: str  # why it matters
    tests: str  # arguments of pytest: the files that find it, perhaps with -k


STATE = "tests/state/test_state.py -k "
SESSION = "tests/widgets/test_session.py -k "
EVERY_PAGE = "tests/pages/test_every_page.py -k "

FAULTS = (
    # The core
    PlantedFault(
        "attention_core/masks.py",
        '- position) <= checks.whole_number(width, "width", 0)',
        '- position) < checks.whole_number(width, "width", 0)',
        "a window of width 0 would hide a word from itself",
        "tests/core/test_masks.py",
    ),
    PlantedFault(
        "attention_core/softmax.py",
        "return scores.max(axis=-1, keepdims=True, initial=np.finfo(scores.dtype).min)",
        "return np.zeros_like(scores[..., :1])",
        "scores near 1000 would overflow",
        "tests/core/test_softmax.py",
    ),
    PlantedFault(
        "attention_core/attention.py",
        "scale = query.shape[-1] ** -0.5 if",
        "scale = query.shape[-2] ** -0.5 if",
        "scores would be scaled by the number of words instead of d_k",
        "tests/core/test_attention.py",
    ),
    PlantedFault(
        "attention_core/heads.py",
        "context = heads.context.swapaxes(-3, -2).reshape(*leading, n, h * d_v)",
        "context = heads.context.reshape(*leading, n, h * d_v)",
        "the concatenated outputs would mix the heads of different words",
        "tests/core/test_heads.py",
    ),
    PlantedFault(
        "attention_core/positions.py",
        "x[..., 0::2] * cos - x[..., 1::2] * sin",
        "x[..., 0::2] * cos + x[..., 1::2] * sin",
        "a rotation would change lengths",
        "tests/core/test_positions.py",
    ),
    PlantedFault(
        "attention_core/scale.py",
        "return self.num_layers + 2 * self.decoder_layers",
        "return self.num_layers + self.decoder_layers",
        "cross-attention would cost nothing",
        "tests/core/test_scale.py",
    ),
    PlantedFault(
        "attention_core/training/run.py",
        "trained[rng.integers(len(trained), size=(steps + 1, BATCH))]",
        "rng.integers(len(trained), size=(steps + 1, BATCH))",
        "the head would be trained on the sentences that measure it",
        "tests/core/test_training_runs.py -k held_out_are_trained_on",
    ),
    PlantedFault(
        "attention_core/models/language_model.py",
        "strengths[layer, head] = 0",
        "strengths[layer, head - 1] = 0",
        "an ablation would switch another head off",
        "tests/core/test_language_model.py -k head_that_is_off",
    ),
    # Calculation
    PlantedFault(
        "attention_lab/calculation/caches.py",
        "(len(self._values) > self.most or self.nbytes > self.most_bytes)",
        "self.nbytes > self.most_bytes",
        "a cache shared by all sessions would hold any number of values",
        "tests/calculation/test_caches.py",
    ),
    PlantedFault(
        "attention_lab/calculation/result_cache.py",
        "return value.dtype.str, value.shape, value.tobytes()",
        "return value.dtype.str, value.tobytes()",
        "a matrix would get the results of one with the same numbers in another shape",
        "tests/calculation/test_result_cache.py",
    ),
    # State
    PlantedFault(
        "attention_lab/state/update.py",
        "return _change(state, _moved(state, moved, rows))",
        "return replace(state, values=_possible(state.fields, _moved(state, moved, rows)))",
        "Undo would pass over what a hand has moved",
        STATE + "undo",
    ),
    PlantedFault(
        "attention_lab/state/update.py",
        "[-MOST_STEPS:], redo_stack=())",
        "[-MOST_STEPS:])",
        "Redo would go on to values that a newer change has replaced",
        STATE + "undo_and_redo",
    ),
    PlantedFault(
        "attention_lab/state/update.py",
        "return _reach(state, [goal]) if state.open_goal == shown else state",
        "return _reach(state, [goal])",
        "a goal that was met before it was shown would be ticked",
        STATE + "ticked",
    ),
    PlantedFault(
        "attention_lab/state/state.py",
        "if self._moved(*names):",
        "if self._moved():",
        "a badge would still call numbers published that the reader has moved",
        STATE + "badge",
    ),
    PlantedFault(
        "attention_lab/state/predictions.py",
        "waiting = question.verdict is None",
        "waiting = False",
        "results would be shown behind an open question",
        EVERY_PAGE + "'predict_first_hides and similarity'",
    ),
    PlantedFault(
        "attention_lab/state/permalink.py",
        "if not same(value, field.default(before)):",
        "if not field.shared and not same(value, field.default(before)):",
        "a link would lose predict=1, and show what the teacher wanted to be guessed",
        "tests/pages/test_class_links.py -k 'goes_to_no_other_page or stays_so'",
    ),
    PlantedFault(
        "attention_lab/state/vocabulary.py",
        "angle = FIRST_ANGLE + k * GOLDEN_ANGLE",
        "angle = FIRST_ANGLE + k * GOLDEN_ANGLE / 100",
        "all new words would lie close to one point",
        "tests/state/test_vocabulary.py -k near_zero",
    ),
    PlantedFault(
        "attention_lab/lesson.py",
        "ShowGoal(goal, met=not self.results_hidden and met(self.now))",
        "ShowGoal(goal, met=met(self.now))",
        "a goal would be ticked behind an open question",
        "tests/test_lesson.py -k open_question",
    ),
    # Figures
    PlantedFault(
        "attention_lab/figure/payload.py",
        "if f.from_example and f.name in inputs",
        "if f.from_example",
        "a moved matrix would turn the badge of a picture that it has no part in",
        EVERY_PAGE + "leaves_the_badge",
    ),
    PlantedFault(
        "attention_lab/figure/browser/mathematics.js",
        "if (top === -Infinity) return row.map(() => 0);",
        "",
        "a word whose keys are all masked would have undefined weights",
        "tests/browser/test_stage_mathematics.py -k core_computes",
    ),
    PlantedFault(
        "attention_lab/figure/browser/plane.js",
        "makeDraggable(item.hit, stage, item.handle);",
        "item.hit.dataset.handle = item.handle.name;",
        "a vector's handle would be dead",
        "tests/browser/test_similarity.py -k cores_in_dragging",
    ),
    PlantedFault(
        "attention_lab/figure/browser/stage.js",
        "unacknowledged.filter(([number]) => number > version)",
        "unacknowledged.filter(([number]) => number >= version)",
        "what Python has taken back would be done again",
        "tests/browser/test_stage_by_itself.py -k not_done_again",
    ),
    PlantedFault(
        "attention_lab/figure/browser/goals.js",
        "if (met && !passing && stage.openGoal === goal.name && ",
        "if (met && !passing && ",
        "a goal that was met before it was shown would be ticked in the browser",
        "tests/browser/test_goals.py -k missed_first",
    ),
    PlantedFault(
        "attention_lab/figure/browser/elements.js",
        "element.replaceChildren(...nodes);",
        "element.innerHTML = text;",
        "a reader's word would be read as HTML",
        "tests/figure/test_stage_modules.py -k as_text",
    ),
    PlantedFault(
        "attention_lab/figure/browser/drag.js",
        "(event.shiftKey || event.key in PAGES ? LONG : 1)",
        "(event.shiftKey ? LONG : 1)",
        "PageUp would move a handle by one step instead of ten",
        "tests/browser/test_hands.py -k page_keys",
    ),
    # Charts and text
    PlantedFault(
        "attention_lab/charts/heatmap.py",
        "j + i / (n + 1) if turned else i + j / (m + 1)",
        "j + i / (n + 1)",
        "rows and columns would stand in another order than the sentence",
        "tests/charts/test_heatmap.py",
    ),
    PlantedFault(
        "attention_lab/text/escape_markdown.py",
        'f"\\\\{c}" if c in punctuation else c',
        "c",
        "a reader's word would be read as Markdown",
        "tests/text/test_escape_markdown.py",
    ),
    # Widgets
    PlantedFault(
        "attention_lab/widgets/session.py",
        "type(number) is int and last < number < LAST",
        "type(number) is int and number < LAST",
        "an old message of the browser would undo a newer one",
        SESSION + "old_event",
    ),
    PlantedFault(
        "attention_lab/widgets/session.py",
        "there, session.left_out = self.lesson.parse(texts, known)",
        "there, _ = self.lesson.parse(texts, known)",
        "nobody would be told of the part of a link that could not be read",
        EVERY_PAGE + "'said_in_one_line and similarity'",
    ),
    PlantedFault(
        "attention_lab/widgets/predict.py",
        "question=escape_markdown(question.own) or question.text",
        "question=question.own or question.text",
        "a question in a link would be read as Markdown",
        "tests/pages/test_class_links.py -k text_it_is",
    ),
    PlantedFault(
        "attention_lab/widgets/vocabulary.py",
        "neighbours(beside, page.state.worked_example)) != known:",
        "neighbours(beside, page.state.worked_example)) == ():",
        "text typed for one example would change the words of another",
        "tests/pages/test_own_words.py -k another_example",
    ),
    PlantedFault(
        "attention_lab/widgets/matrix.py",
        "dict.fromkeys((name, *along), read_rows(text, shape))",
        "{name: read_rows(text, shape)}",
        "one matrix typed for queries and keys would change the queries alone",
        "tests/pages/test_queries_keys.py -k typed_matrix",
    ),
    # Export, worksheets, classroom, server
    PlantedFault(
        "attention_lab/export/__init__.py",
        'FORMULA = tuple("=+-@',
        'FORMULA = tuple("=',
        "a spreadsheet would calculate a reader's word",
        "tests/export/test_export.py -k formula",
    ),
    PlantedFault(
        "attention_lab/worksheets/answers.py",
        "read_number(piece) for piece",
        'read_number(piece.rstrip("%")) for piece',
        "25% would be the wrong answer where 0.25 is right",
        "tests/worksheets/test_tasks.py -k people_write",
    ),
    PlantedFault(
        "attention_lab/classroom/rooms.py",
        'if not member.leads:\n            raise TurnedAwayError("rights")',
        'if not member.client_id:\n            raise TurnedAwayError("rights")',
        "every student could lead the class",
        "tests/classroom/test_rooms.py",
    ),
    PlantedFault(
        "attention_lab/server/capacity.py",
        "self.left = min(self.burst, self.left + (now - self.seen) * self.rate) - cost",
        "self.left = min(self.burst, self.left) - cost",
        "a token bucket would never refill: an address could use its burst once",
        "tests/server/test_capacity.py",
    ),
    PlantedFault(
        "attention_lab/server/scheduler.py",
        "len(self._at_work) < self._slots",
        "len(self._at_work) <= self._slots",
        "a script too many would run at the same time",
        "tests/server/test_scheduler.py",
    ),
    # Lessons, pages, tools
    PlantedFault(
        "attention_lab/lessons/similarity/__init__.py",
        'Goal("opposites", COSINE <= -0.98',
        'Goal("opposites", COSINE <= 0.98',
        "a goal would be met before anything was moved, and no longer offered",
        "tests/pages/test_goals.py -k 'offered_on_some and similarity'",
    ),
    PlantedFault(
        "pages/2_one_head/5_position.py",
        "if page.revealed():\n",
        "if page:\n",
        "the page would show charts that help to answer its question",
        EVERY_PAGE + "'predict_first_hides and position'",
    ),
    PlantedFault(
        "lab.py",
        "if not wanted.items() <= installed.items():",
        "if not installed:",
        "a changed requirement would not be installed",
        "tests/test_lab.py -k requirement_changes",
    ),
)


def occurrences(fault: PlantedFault) -> int:
    """Count how often the text that a fault replaces occurs in its file."""
    path = ROOT / fault.path
    return path.read_text(encoding="utf-8").count(fault.old) if path.exists() else 0


def missing_files(fault: PlantedFault) -> list[str]:
    """Return the files of a fault's tests that are not there; it must name one."""
    named = [each for each in shlex.split(fault.tests) if each.startswith("tests/")]
    return [each for each in named or ["tests/"] if not (ROOT / each).is_file()]


def run_tests(copy: Path, tests: str) -> int:
    """Run tests in a copy of the repository and return pytest's exit code."""
    options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, *shlex.split(tests)]
    return subprocess.run(command, cwd=copy, capture_output=True).returncode


def plant(copy: Path, fault: PlantedFault) -> int:
    """Run a fault's tests in a copy while the fault is planted there."""
    path = copy / fault.path
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    try:
        return run_tests(copy, fault.tests)
    finally:
        shutil.copy2(ROOT / fault.path, path)  # its time, too: Python tells compiled files by it


def verdict(sound: int, planted: int) -> str:
    """Say what the exit codes of pytest, without the fault and with it, mean."""
    if sound != PASSED:
        return f"NO TEST: exit code {sound} without the fault"
    return {PASSED: "MISSED", FAILED: "found"}.get(planted, f"NO TEST: exit code {planted}")


def main(arguments: Sequence[str]) -> int:
    """Plant the faults one after another and print what became of each."""
    parser = argparse.ArgumentParser(prog="tools.planted_faults", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", type=int, nargs="+", metavar="N", choices=range(1, len(FAULTS) + 1))
    chosen = parser.parse_args(arguments).only or range(1, len(FAULTS) + 1)
    all_found = True
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT, Path(folder) / "copy", ignore=shutil.ignore_patterns(*NO_SOURCE))
        without = cache(lambda tests: run_tests(copy, tests))
        for number in chosen:
            fault, seconds = FAULTS[number - 1], 0.0
            if (count := occurrences(fault)) != 1:
                result = f"CHANGED: its text occurs {count} times"
            elif missing := missing_files(fault):
                result = f"NO TEST: {', '.join(missing)}"
            else:
                sound, began = without(fault.tests), time.perf_counter()
                result = verdict(sound, plant(copy, fault))
                seconds = time.perf_counter() - began
            all_found &= result == "found"
            print(f"{number:2}  {fault.path:46}  {result:8}  {seconds:5.1f} s  {fault.why}", flush=True)
    return 0 if all_found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
