"""A real model of the reader's own: `ATTENTION_LAB_MODEL` names it or its folder, which is read once a process.

Its weights are mapped into memory and shared by all sessions. A folder that is none, or is damaged, leaves the
app as it is without one; why, is said in one sentence.
"""

import os
import sys
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock

from attention_core import PretrainedModel, read_model
from attention_core.models.memory import format_gigabytes, free_bytes
from attention_lab.model_packages import NONE, WHAT_IS_INSTALLED, chosen
from attention_lab.text import ui_text

VARIABLE = "ATTENTION_LAB_MODEL"
ADDRESS = "real_model?model=live"  # where the page of real models shows it
LEAST_TOKENS = 32  # that a model must be able to read: the least that sentences ask for, in whatever pieces
MOST_TOKENS = 64  # of a text of the reader's own: its patterns are all drawn


@dataclass(frozen=True, eq=False)
class OwnModel:
    """The model, if there is one, and else why not; both are empty where none was asked for."""

    model: PretrainedModel | None = None
    fault: str = ""


_lock = Lock()


def read() -> OwnModel:
    """The model of this process."""
    wanted = os.environ.get(VARIABLE, "").strip()
    if wanted in ("", NONE):
        return OwnModel()
    with _lock:
        return _read(wanted)


@lru_cache(1)
def _read(wanted: str) -> OwnModel:
    try:
        package = chosen(wanted)
        if wanted == WHAT_IS_INSTALLED and not package:
            return OwnModel()
        model = read_model(package.path if package else wanted)
    except (ValueError, OSError) as why:
        return OwnModel(fault=str(why))
    if model.longest < LEAST_TOKENS:
        return OwnModel(fault=ui_text("own_model/short", count=model.longest, least=LEAST_TOKENS))
    return OwnModel(replace(model, name=package.title) if package else model)


def announce() -> None:
    """Say in the terminal which model there is, or why there is none."""
    own = read()
    if own.model:
        print(ui_text("own_model/there", name=own.model.name, sha256=own.model.sha256), file=sys.stderr)
        needed, free = own.model.weights.needed, free_bytes()
        if needed and free is not None:
            sizes = {"needed": format_gigabytes(needed), "free": format_gigabytes(free)}
            print(ui_text("own_model/memory", **sizes), file=sys.stderr)
    elif own.fault:
        print(ui_text("own_model/fault", why=own.fault), file=sys.stderr)
