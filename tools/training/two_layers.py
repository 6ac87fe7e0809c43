"""Train two layers of one head to say at *it* what did not fit: `python -m tools.training.two_layers`.

The task and the training are those of the page *Train a head* (`attention_core.train`), in NumPy; of the seeds
the one is kept that looks most where the answer stands.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from attention_core import load_task, train
from tools.training.weights import save

NAME, TASK, SEEDS, STEPS = "trophy_or_box", "it", 8, 400


def main(given: list[str] | None = None) -> None:
    """Train with each seed and keep the one that does best."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.training.two_layers", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--folder", type=Path, help="where the weights go (default: where they are shipped)")
    chosen = parser.parse_args(given)
    task = load_task(TASK)
    runs = [train(task, seed, chosen.steps) for seed in range(chosen.seeds)]
    tried = {
        str(run.seed): {
            "steps": int(run.steps[-1]),
            "accuracy": round(float(run.accuracy[-1]), 3),
            "attention_on_answer": round(float(run.attention_on_answer[-1]), 3),
        }
        for run in runs
    }
    best = max(runs, key=lambda run: (run.accuracy[-1] >= 0.99, run.attention_on_answer[-1]))
    record = {
        "name": NAME,
        "made_by": f"python -m tools.training.two_layers --seeds {chosen.seeds} --steps {chosen.steps}",
        "task": TASK,
        "seed": best.seed,
        "seeds_tried": chosen.seeds,
        "tried": tried,
        "fingerprint": best.fingerprint,
        **tried[str(best.seed)],
    }
    save(NAME, best.at(-1), record, chosen.folder)


if __name__ == "__main__":
    main()
