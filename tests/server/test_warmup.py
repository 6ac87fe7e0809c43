"""A page that fails or never ends when it is opened for the first time ends the start with a sentence."""

import asyncio
import json
import os
import shutil
import subprocess
import sys

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attention_lab import own_model
from attention_lab.server import warmup
from lab import ROOT
from tests.browser.harness import free_port
from tests.core.test_pretrained import bert_folder
from tests.visit import LESSONS, Visit

WHY = "did you mean 'title'?"
FAILURES = {
    "raises": ("softmax", 'raise ValueError("what somebody wrote")', "The page softmax failed."),
    "does not parse": ("softmax", "def (", "The page softmax cannot be read: invalid syntax, line 3."),
    "misspells": (
        "softmax",
        'from attention_lab.text import read\nread("softmax")["titel"]',
        "The page softmax failed.",
    ),
    "never ends": ("home", "import time\ntime.sleep(600)", "The page home did not end in time."),
}


@pytest.mark.parametrize("how", FAILURES)
def test_start_ends_with_the_name_of_the_page(tmp_path, how):
    page, code, sentence = FAILURES[how]
    for part in ROOT.iterdir():
        if part.name not in (".git", ".venv", "pages"):
            (tmp_path / part.name).symlink_to(part)
    # What is linked finds itself by its own path, so what looks for the pages is copied.
    (tmp_path / "attention_lab").unlink()
    shutil.copytree(ROOT / "attention_lab", tmp_path / "attention_lab")
    shutil.copytree(ROOT / "pages", tmp_path / "pages")
    (path,) = (tmp_path / "pages").rglob(f"*{page}.py")
    path.write_text(f'"""A page."""\n\n{code}\n')
    command = [sys.executable, "-m", "attention_lab.server", "--port", str(free_port())]
    command += ["--start-seconds", "1" if how == "never ends" else "300"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    lines = [json.loads(line) for line in ended.stderr.splitlines()]
    events = [line["event"] for line in lines if line["level"] == "critical"]
    assert [event for event in events if event.endswith(sentence)], ended.stderr
    assert "somebody" not in ended.stderr
    reasons = [line["why"] for line in lines if "why" in line]
    assert bool(reasons) is (how == "misspells")
    assert all(each.endswith(WHY) for each in reasons)


@pytest.mark.parametrize("given", [False, True])
def test_own_model_is_read_before_the_first_reader_comes(monkeypatch, tmp_path, given):
    """What takes the model seconds is then made: its page is asked for as a reader asks who looks at it."""
    if given:
        monkeypatch.setenv(own_model.VARIABLE, str(bert_folder(tmp_path / "model")))
    asked = []

    async def app(_, receive, send):
        while (message := await receive())["type"] != "websocket.disconnect":
            if message.get("bytes"):
                rerun = BackMsg.FromString(message["bytes"]).rerun_script
                asked.append((rerun.page_name, rerun.query_string))
                done = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)
                await send({"type": "websocket.send", "bytes": done.SerializeToString()})

    asyncio.run(warmup.warm_up(app, ROOT / "pages", 10, times=1))
    assert ("real_model", "") in asked
    assert (asked[-1] == ("real_model", "model=live")) == given
    page = next(path for path in LESSONS if path.stem.endswith("real_model"))
    assert Visit(page, model="live").values["model"] == ("live" if given else "gallery")
