"""Where trained weights are missing or damaged, each page that loses something by it says so, and all go on."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attention_core.models import LOADERS, weights
from attention_core.models.weights import FOLDER
from lab import ROOT
from tests.visit import PAGES, Visit, as_shown, payloads

LOSES = {  # the files that each page says
    "embeddings": ["readable.npz"],
    "similarity": ["readable.npz"],
    "self_attention": ["trophy_or_box.npz", "gallery.npz"],
    "masking": ["readable.npz", "unmasked.npz", "gallery.npz"],
    "position": ["readable.npz", "gallery.npz"],
    "multi_head": ["readable.npz", "gallery.npz"],
    "cross_attention": ["aligned.npz", "through_encoder.npz", "two_heads.npz"],
    "scale": ["readable.npz"],
    "long_texts": ["smollm2.npz"],
}
GONE = {
    "trained_model": "readable.npz",
    "real_model": "gallery.npz",
    "generating": "readable.npz",
    "modern_model": "smollm2.npz",
}  # pages of nothing but a model
# What is learned is asked for by its address, which a page without it has to take as it is.
ASKS = {
    "embeddings": {"example": "learned_5f_robot", "goal": "outpulled"},
    "similarity": {"example": "learned_5f_colours"},
    "self_attention": {"example": "learned_5f_trophy_5f_big"},
    "position": {"table": "learned"},
    "multi_head": {"example": "learned_5f_creature"},
    "cross_attention": {"model": "aligned"},
    "scale": {"model": "readable"},
}


def visit_all(folder):
    """What each page says of weights, opened plainly and by an address of something learned."""
    weights.FOLDER = Path(folder)  # before any page has read one
    told = {}
    for path in PAGES:
        visit = Visit(path)
        told[visit.name] = [as_shown(i.value) for i in (*visit.at.info, *visit.at.error) if "npz" in i.value]
        figures = [data for data in payloads(visit.at) if "calculation" in data]
        assert bool(figures) == (visit.name not in GONE)
        if visit.name in LOSES:
            assert "learned" not in visit.nudge().badges, "it goes on"
            asked = Visit(path, **ASKS.get(visit.name, {}))
            assert "learned" not in asked.badges
            assert bool(asked.at.warning) == (visit.name in ASKS)
    return told


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """Of each kind of model one file cut short, one without an array, and one that is not there."""
    folder = tmp_path_factory.mktemp("weights")
    for name in ("readable", "aligned"):
        whole = (FOLDER / f"{name}.npz").read_bytes()
        (folder / f"{name}.npz").write_bytes(whole[: len(whole) // 2])
    for name in ("unmasked", "two_heads", "trophy_or_box"):
        with np.load(FOLDER / f"{name}.npz") as file:
            arrays = dict(file)
        del arrays[next(key for key in arrays if key.endswith("W_key"))]
        np.savez_compressed(folder / f"{name}.npz", **arrays)
    return folder


def test_each_page_says_in_one_line_what_is_missing_or_damaged_and_goes_on(broken):
    """In a process of its own: weights are read once."""
    script = (
        "import json; from tests.pages.test_missing_weights import visit_all; "
        f"print(json.dumps(visit_all({str(broken)!r})))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    for page, file in GONE.items():
        (line,) = told.pop(page)
        assert f"a model file is missing or damaged: {file}. To restore it" in line
    for page, lines in told.items():
        files = LOSES.get(page, [])
        assert len(lines) == bool(files), (page, lines)
        assert not files or f"Some model files are missing or damaged: {', '.join(files)}." in lines[0], page


def test_whatever_is_wrong_with_a_file_it_is_refused_by_name(broken, monkeypatch):
    monkeypatch.setattr(weights, "FOLDER", broken)
    monkeypatch.setattr(weights, "load", weights.load.__wrapped__)  # which keeps what it has read
    for name, load in LOADERS.items():
        with pytest.raises(ValueError, match=rf"{name}\.npz"):
            getattr(load, "__wrapped__", load)()  # some keep what they have read
