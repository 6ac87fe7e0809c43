"""Training a small attention network: tasks, gradients and runs."""

from attention_core.training.gradients import ForwardPass, forward, loss_and_gradients
from attention_core.training.programs import for_programs
from attention_core.training.run import TrainingRun, initial_parameters, train
from attention_core.training.tasks import Task, load_task, task_names, without_answer
