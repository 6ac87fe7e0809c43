"""A real model of the reader's own: `ATTENTION_LAB_MODEL` names its folder, which is read once a process.

Its weights are mapped into memory and shared by all sessions. A folder that is none, or is damaged, leaves the
app as it is without one; why, is said in one sentence.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from threading import Lock

from attention_core import PretrainedModel, read_model
from prose import say

VARIABLE = "ATTENTION_LAB_MODEL"
ADDRESS = "real_model?model=live"  # where the page of real models shows it
LEAST_TOKENS = 32  # that a model must be able to read: the least that sentences ask for, in whatever pieces


@dataclass(frozen=True, eq=False)
class OwnModel:
    """The model, if there is one, and else why not; both are empty where none was asked for."""

    model: PretrainedModel | None = None
    fault: str = ""


_lock = Lock()
_read: dict[str, OwnModel] = {}


def read() -> OwnModel:
    """The model of this process."""
    folder = os.environ.get(VARIABLE, "").strip()
    if not folder:
        return OwnModel()
    with _lock:
        if folder not in _read:
            try:
                model = read_model(folder)
                short = model.longest < LEAST_TOKENS
                fault = say("own_model/short", count=model.longest, least=LEAST_TOKENS) if short else ""
                _read[folder] = OwnModel(None if short else model, fault)
            except (ValueError, OSError) as why:
                _read[folder] = OwnModel(fault=str(why))
        return _read[folder]


def announce() -> None:
    """Say in the terminal which model there is, or why there is none."""
    own = read()
    if own.model:
        print(say("own_model/there", name=own.model.name, sha256=own.model.sha256), file=sys.stderr)
    elif own.fault:
        print(say("own_model/fault", why=own.fault), file=sys.stderr)
