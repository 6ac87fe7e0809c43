"""What is learned, how soon, and where it looks: every task over ten seeds, and what never learns.

    python -m tools.bench.training             # everything, some minutes
    python -m tools.bench.training reverse it  # only these tasks

Each run lasts 300 steps whatever it has learned before. "Steps" are those until 99% of the answers
on held-out sentences are right, the fewest and the most over the seeds; accuracy and the weight on the
answer are the median after the last step. The time is processor time on one thread, of a run that
stops when it has learned, with all its snapshots and measures.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import sys
from statistics import median
from time import process_time

from attention_core import load_task, task_names, train

SEEDS, STEPS = range(10), 300
WITHOUT = {  # what is taken away, by name
    "previous_word": {"without positions": {"positions": False}},
    "reverse": {"without positions": {"positions": False}},
    "own_adjective": {"without positions": {"positions": False}},
    "trophy_box": {"without positions": {"positions": False}},
    "same_shape": {"one matrix for queries and keys": {"shared_query_key": True}},
    "two_adjectives": {"answered from both heads": {"own_heads": False}, "one head": {"num_heads": 1}},
    "both_neighbours": {"answered from both heads": {"own_heads": False}, "one head": {"num_heads": 1}},
    "it": {"one layer": {"num_layers": 1}},
    "induction": {"one layer": {"num_layers": 1}},
}


def row(task, name, settings):
    runs = [train(task, seed=seed, steps=STEPS, stop_when_learned=False, **settings) for seed in SEEDS]
    steps = [run.learned_at for run in runs if run.learned_at is not None]
    accuracy = median(run.accuracy[-1] for run in runs)
    on_answer = [median(run.attention_by_group[-1, group] for run in runs) for group in range(len(task.groups))]
    seconds = []
    for seed in SEEDS:
        start = process_time()
        train(task, seed=seed, **settings)
        seconds.append(process_time() - start)
    numbers = sum(array[0].size for array in runs[0].parameters.values())
    some = f"{min(steps)}–{max(steps)}" if steps else "–"
    return (
        f"| {name} | {numbers} | {len(steps)} of {len(runs)} | {some} | {100 * accuracy:.0f}% | "
        f"{' / '.join(f'{share:.2f}' for share in on_answer)} | {median(seconds):.2f} s |"
    )


def after_the_penalty(task):
    """The same after sixty more steps with a price on undecided weights."""
    learned = [train(task, seed=seed) for seed in SEEDS]
    more = {"steps": 60, "entropy_penalty": 0.1, "stop_when_learned": False}
    runs = [train(task, seed=run.seed, start=run.at(-1), **more) for run in learned]
    right = sum(run.accuracy[-1] >= 0.99 for run in runs)
    return (
        f"| {task.name}, then 60 steps with entropy_penalty 0.1 | | {right} of {len(runs)} | | "
        f"{100 * median(run.accuracy[-1] for run in runs):.0f}% | "
        f"{median(run.attention_on_answer[-1] for run in runs):.2f} | |"
    )


def main():
    print("| task | numbers | seeds | steps to 99% | right at the end | weight on the answer | a run |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    for name in sys.argv[1:] or task_names():
        task = load_task(name)
        print(row(task, name, {}), flush=True)
        for without, settings in WITHOUT.get(name, {}).items():
            print(row(task, f"{name}, {without}", settings), flush=True)
        if name == "same_shape":
            print(after_the_penalty(task), flush=True)


if __name__ == "__main__":
    main()
