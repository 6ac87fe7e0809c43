"""What holds for the whole process."""

import pytest

from attention_lab.calculation import long_work
from attention_lab.process import PROCESS, Process


def test_server_changes_settings_only_while_it_runs():
    before = Process()
    with PROCESS.serving(faults_hidden=True, rooms_offered=False):
        assert (PROCESS.faults_hidden, PROCESS.rooms_offered, PROCESS.turns) == (True, False, before.turns)
    assert before == PROCESS
    with pytest.raises(ZeroDivisionError), PROCESS.serving(faults_hidden=1 / 1):
        1 / 0  # noqa: B018
    assert before == PROCESS


def test_long_work_waits_in_the_turns_of_the_process():
    class Turns(long_work.OneAtATime):
        def exclusive(self):
            entered.append("exclusive")
            return super().exclusive()

    entered = []
    with PROCESS.serving(turns=Turns()), long_work.exclusive():
        assert long_work.is_exclusive()
    with long_work.exclusive():
        pass
    assert entered == ["exclusive"]
    assert not long_work.is_exclusive()
