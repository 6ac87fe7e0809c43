"""A view of attention weights beside what others show in a notebook: `python -m tools.bench.notebook`.

12 layers of 12 heads, causal, of random scores. All viewers take turns: each makes its HTML in a fresh process,
and a fresh Chromium opens it. The bytes are those that a notebook stores. The time to the HTML is that of
one call, after one for two tokens. The first picture comes when a canvas has been painted, or another drawing has
its shapes. Ours has all small pictures and the first head's pattern by then.

BertViz loads its code from another host. Here it comes from npm's packages on the disk, so that its first picture
has no network's delay. Of CircuitsVis it is the HTML with its code inside, which it shows without a network.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from statistics import median

import numpy as np
from playwright.sync_api import sync_playwright

from lab import ROOT
from tests.browser.harness import launch
from tools.bench.notebook_html import VIEWERS
from tools.bench.page import machine

MAKE = Path(__file__).with_name("notebook_html.py")
ENVIRONMENT = Path(tempfile.gettempdir()) / "attention_lab_viewers"
MISSING = """The other viewers are not in {folder}. Make an environment for them, of packages of Python and npm:
  python -m venv {folder}
  {folder}/bin/pip install bertviz circuitsvis inspectus attnview
  npm install --prefix {folder} requirejs@2.3.6 d3@5.7.0 jquery@2.2.4
or pass --peers with the folder of one."""
PATIENCE = 60  # s, for one HTML and for one picture
MEMORY = 6_000_000_000  # bytes that a viewer may take for one HTML, and each process of a browser for its picture
HOVERED = 256  # tokens
HEAD = ["tokens", "viewer", "MB", "ours ÷ it", "HTML, s", "ours ÷ it", "first picture, s", "ours ÷ it", ""]


def weights_of(tokens: int) -> np.ndarray:
    """Causal patterns of random scores, (12, 12, tokens, tokens): some sharp, some nearly uniform."""
    random = np.random.default_rng(tokens)
    scores = random.normal(size=(12, 12, tokens, tokens)).astype(np.float32)
    scores *= random.uniform(0.5, 4, (12, 12, 1, 1)).astype(np.float32)
    weights = np.exp(scores) * np.tri(tokens, dtype=np.float32)
    return weights / weights.sum(axis=-1, keepdims=True)


def seconds_to_html(viewer: str, python: str | Path, source: Path, target: Path) -> float | str:
    """How many seconds a viewer took for its HTML, or why there is none."""
    command = [python, MAKE, viewer, source, target, str(MEMORY)]
    path = {"PYTHONPATH": str(ROOT)} if viewer.startswith("ours") else {}
    target.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            command, cwd=target.parent, env=os.environ | path, capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return f"no HTML after {PATIENCE} s"
    if "no memory" in done.stderr:
        return f"no HTML with {MEMORY / 1e9:.0f} GB"
    return float(done.stdout) if done.returncode == 0 else f"no HTML: {last_line(done.stderr)}"


def last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1][:200]


def seen(viewer: str, file: Path, peers: Path, hovered: bool) -> tuple[float | str, str]:
    """How many seconds there are to a viewer's first picture, or why there is none; and the frames of a hover."""
    command = [sys.executable, "-m", "tools.bench.notebook_picture", viewer, file, peers, str(MEMORY)]
    with subprocess.Popen(
        [*command, *(["hover"] if hovered else [])],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            printed, wrong = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return f"no picture after {PATIENCE} s", ""
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if not printed:
        limit = f"no picture with {MEMORY / 1e9:.0f} GB"
        return (limit if "crash" in wrong else f"no picture: {last_line(wrong)}"), ""
    drawn, frames = json.loads(printed)
    return drawn, frames and f"hover: {frames['drawn']:.1f} of {frames['shown']:.1f} frames a second"


def rows(tokens: int, found: dict[str, dict[str, list]], bytes_of: dict[str, int]) -> Iterable[str]:
    """Return the lines of a table: medians, and ours beside each."""

    def middle(viewer: str, what: str) -> float | None:
        numbers = [each for each in found[viewer][what] if isinstance(each, float)]
        return median(numbers) if numbers else None

    for viewer in VIEWERS:
        own = "ours, one layer" if viewer.endswith("one layer") else "ours"
        cells = [f"{tokens:,}", viewer]
        sizes = [bytes_of.get(name) for name in (viewer, own)]
        for mine, beside, how in (
            (*(size and size / 1e6 for size in sizes), ".2f"),
            *((middle(viewer, what), middle(own, what), ".2f") for what in ("html", "picture")),
        ):
            cells.append("–" if mine is None else format(mine, how))
            cells.append("" if viewer == own else "–" if None in (mine, beside) else f"**{beside / mine:.2g}**")
        said = [
            each for what in ("html", "picture", "hover") for each in found[viewer][what] if isinstance(each, str)
        ]
        yield f"| {' | '.join([*cells, said[-1] if said else ''])} |"


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.notebook", description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", default="16,64,256,1024", help="lengths of the text (default 16,64,256,1024)")
    parser.add_argument("--rounds", type=int, default=3, help="how often all take their turn (default 3)")
    parser.add_argument(
        "--peers", type=Path, default=ENVIRONMENT, help=f"their environment (default {ENVIRONMENT})"
    )
    given = parser.parse_args()
    peer = given.peers / "bin" / "python"
    if not peer.exists() or not (given.peers / "node_modules").is_dir():
        sys.exit(MISSING.format(folder=given.peers))
    with sync_playwright() as playwright, launch(playwright) as browser:
        print(machine(browser), flush=True)
    with tempfile.TemporaryDirectory() as name:
        print(f"| {' | '.join(HEAD)} |\n| --: | --- |{' --: |' * 6} --- |", flush=True)
        for tokens in map(int, given.tokens.split(",")):
            source, target = Path(name) / "weights.npy", Path(name) / "view.html"
            np.save(source, weights_of(tokens))
            found = {viewer: {"html": [], "picture": [], "hover": []} for viewer in VIEWERS}
            bytes_of: dict[str, int] = {}
            for _ in range(given.rounds):
                for viewer, results in found.items():
                    if any(isinstance(each, str) for each in results["html"] + results["picture"]):
                        continue  # once is enough
                    python = sys.executable if viewer.startswith("ours") else peer
                    results["html"].append(seconds := seconds_to_html(viewer, python, source, target))
                    if isinstance(seconds, str):
                        print(tokens, viewer, seconds, file=sys.stderr, flush=True)
                        continue
                    bytes_of[viewer] = target.stat().st_size
                    target.write_bytes(b"<!doctype html>\n<meta charset=utf-8>\n" + target.read_bytes())
                    hovered = viewer == "ours" and tokens == HOVERED
                    picture, frames = seen(viewer, target, given.peers, hovered)
                    results["picture"].append(picture)
                    print(tokens, viewer, seconds, picture, file=sys.stderr, flush=True)
                    if frames:
                        results["hover"].append(frames)
            print(*rows(tokens, found, bytes_of), sep="\n", flush=True)


if __name__ == "__main__":
    main()
