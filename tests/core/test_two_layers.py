"""The shipped network of two layers: its record is what it reaches."""

import numpy as np
import pytest

from attention_core import load_task
from attention_core.models import weights
from attention_core.training import forward


def test_the_record_is_what_the_weights_reach():
    arrays, record = weights.load("trophy_or_box", ("trophy_or_box",))
    task = load_task(record["task"])
    held_out = task.held_out
    through = forward(dict(arrays), task.sentences[held_out])
    asked = task.targets[held_out][:, :, 0] >= 0
    right = np.reshape(through.logits, (*asked.shape, -1)).argmax(-1) == task.targets[held_out][:, :, 0]
    assert right[asked].mean() == pytest.approx(record["accuracy"], abs=0.002)
    shares = np.reshape(through.layers[1].weights, task.answers[held_out][:, 0].shape)
    on_answer = (shares * task.answers[held_out][:, 0]).sum(-1)[asked].mean()
    assert on_answer == pytest.approx(record["attention_on_answer"], abs=0.002)
    assert min(record["accuracy"], record["attention_on_answer"]) > 0.98
    assert len(record["tried"]) == record["seeds_tried"] == 8
