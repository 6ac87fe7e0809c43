"""What lies on the stage: the run from first step to last, the planes, the sentence that is asked about."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from attention_core.training import Task
from attention_lab import figure
from attention_lab.calculation import Results, name_of
from attention_lab.lesson import Hidden
from attention_lab.state.state import State
from attention_lab.text import listed
from attention_lab.text.number_format import format_fixed, format_number, format_share
from attention_lab.theme import MEANINGS

from . import fields
from .calculation import ONE, TWO, right_in_time, switched, time_limit, usual_run, usual_values
from .goals import MOST_WORDS, OPENS, reachable_goals
from .runs import Run, moved

WHOLE = 0.9999  # of the spread: two axes show all of it
JUMP = 20  # steps, among which those are sought in which the loss falls most


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The run beside the words, below both the sentence; of two runs in rows; the rest in folds."""
    run, second, text = fields.run_of(state.values), fields.second_run(state), state.text
    names = {"steps": str(time_limit(state)), "usual": str(usual_run(state).learned_at)}
    goals = figure.goals(state, reachable_goals(state), now, begin=before_anything(state), names=names)
    above = [figure.pictured(timeline(state, run, second)), *measures(state, run)]
    says = [text["force/off_says"], text["force/on_says"]]
    forces = figure.options(ONE.force, text["force"], [text["force/off"], text["force/on"]], descriptions=says)
    sentence = [figure.pictured(asked(state))]
    folds = figure.Column([inside(state, run, second), about(state, run)], least=figure.WHOLE_WIDTH)
    if second is None:
        words = figure.Column([figure.pictured(words_plane(state, run, "")), forces], share=1, least=440)
        strip = figure.Column(sentence, least=figure.WHOLE_WIDTH)
        return [goals, figure.Column(above, share=1.3, least=500), words, strip, folds]
    columns = [
        figure.Column([figure.heading(name), figure.pictured(words_plane(state, one, end))], least=400)
        for name, one, end in zip(names_of_runs(state), (run, second), ("", "_2"), strict=True)
    ]
    whole = [figure.Column(parts, least=figure.WHOLE_WIDTH) for parts in (above, [*sentence, forces])]
    return [goals, whole[0], *columns, whole[1], folds]


def inside(state: State, run: Run, second: Run | None) -> figure.Part:
    """The fold with queries, keys and values, and of one run the attention pattern."""
    title = state.text["folds/inside"]
    if second is not None:
        both = zip(names_of_runs(state), (run, second), ("", "_2"), strict=True)
        columns = [
            figure.Column([figure.heading(name), small_planes(state, one, end)], least=400)
            for name, one, end in both
        ]
        return figure.fold(title, *columns, figure.Column(which(state), least=figure.WHOLE_WIDTH))
    pattern = figure.pattern(state, ONE.weights, ONE.scores, row=ONE.asks, column=None)
    return figure.fold(
        title,
        figure.Column([small_planes(state, run, ""), *which(state)], share=1.15, least=400),
        figure.Column([figure.heading(state.text["pattern"]), pattern], share=1, least=400),
    )


def about(state: State, run: Run) -> figure.Part:
    """The fold that says where the run's numbers come from, with an experiment on its start."""
    line = figure.part("run_line", of=name_of(ONE.step), last=run.last, text=provenance(state, run))
    return figure.fold(state.text["folds/run"], figure.Column([line, *together(state, run)], least=400))


def measures(state: State, run: Run) -> list[figure.Part]:
    """What the measures of a run mean; once words were moved, what that has changed."""
    text, at = state.text, run.learned_at
    usual, count = usual_run(state).learned_at, len({row[1] for row in state.moves})
    if state.task != OPENS or not count or switched(state) or usual is None:
        return [figure.remark(text.plain("measures"))]
    if count > MOST_WORDS:
        case = "many"
    elif at is None:
        case = "never"
    else:
        case = "slower" if at > usual else "faster" if at < usual else "same"
    return [figure.remark(text.plain(f"moved/{case}", usual=str(usual), at=str(at), count=str(count)))]


def before_anything(state: State) -> dict[str, Any]:
    """How things were before a hand or a switch changed them, for the progress towards a goal."""
    usual, values = usual_run(state), usual_values(state.task)
    return {
        "sentence": values["sentence"],
        "asks": int(values["asks"]) - 1,
        "step": values["step"],
        "layer": int(values["layer"]) - 1,
        "head": 0,
        "trained": usual.packed.arrays,
        "scaled": values["scaled"] == fields.ON,
        "causal": values["causal"] == fields.ON,
        "moved_words": 0,
        "switched": 0,
        "learned_at": np.inf if usual.learned_at is None else usual.learned_at,
        "right_at_end": float(usual.accuracy[-1]),
        "right_in_time": right_in_time(state, usual),
        "apart": 1.0,
    }


def names_of_runs(state: State) -> list[str]:
    """What each of two runs is called: the one setting in which they differ, and what it is."""
    values, text, name = state.values, state.text, state.second
    if name == fields.NOTHING:
        return [""]
    said = [value_of(state, name, each) for each in (values, fields.second_values(values))]
    return [text.plain("runs/name", setting=text.plain(f"settings/{name}"), value=value) for value in said]


def value_of(state: State, name: str, values: dict[str, Any]) -> str:
    """A setting's value in words."""
    if name == fields.HAND:
        return state.text.plain("runs/moved" if len(values["moves"]) else "runs/unmoved")
    value = str(values[fields.SEED if name == fields.SEED else name])
    return state.text.get(f"values/{value}", value)


def timeline(state: State, run: Run, second: Run | None) -> figure.Part:
    """Play, step and scrub; the loss with the line of chance; loss, accuracy and attention at the step shown."""
    text, names = state.text, names_of_runs(state)
    s = ONE if second is None else TWO
    told = [
        {
            "run": s[f"trained{end}"],
            "snapshot": s[f"snapshot{end}"],
            "loss": s[f"loss{end}"],
            "accuracy": s[f"accuracy{end}"],
            "attention": s[f"attention{end}"],
            "end": end,
            "name": name,
        }
        for end, name in zip(("", "_2"), names, strict=False)
    ]
    return figure.part(
        "timeline",
        title=text["timeline"],
        of=name_of(ONE.step),
        moves=name_of(ONE.moves),
        counted_moves=ONE.counted_moves,
        learned_at=ONE.learned_at,
        runs=told,
        chance=run.end.chance,
        words=text.parts("timeline"),
    )


def provenance(state: State, run: Run) -> str:
    """Where the numbers come from: the task, the seed and the step; what a hand did on the way; how it ended."""
    text, end = state.text, run.end
    said = [text.plain("provenance", task=text.plain(f"tasks/{state.task}"), seed=str(state.seed))]
    if len(state.moves):
        steps = sorted({int(move[0]) for move in state.moves})
        section = "provenance/moved" if len(steps) == 1 else "provenance/moved_often"
        said.append(text.plain(section, steps=listed(map(str, steps))))
    if in_one_place(state, run):
        said.append(text.plain("provenance/one_place"))
    if run.learned_at is not None:
        said.append(text.plain("provenance/learned", at=str(run.learned_at)))
    else:
        said.append(text.plain("provenance/never", last=str(run.last)))
    if state.task == "induction" and run.learned_at is not None:
        before, after = run.steepest(JUMP)
        loss, attention = (run.whole[name][[before, after]] for name in ("loss", "attention"))
        numbers = dict(zip(("high", "low"), map(format_number, loss), strict=True))
        numbers |= dict(zip(("little", "much"), map(format_share, attention), strict=True))
        steps = {"first": str(run.whole["steps"][before]), "last": str(run.whole["steps"][after])}
        said.append(text.plain("provenance/jump", **steps, **numbers))
    if end.overflow_at is not None:
        at = run.last - int(end.steps[-1]) + end.overflow_at
        said.append(text.plain("provenance/overflow", at=str(at)))
    said.append(text.plain("provenance/fingerprint", fingerprint=end.fingerprint))
    if second := fields.second_run(state):
        _, name = names_of_runs(state)
        said.append(text.filled("provenance/fingerprint_of", name=name, fingerprint=second.end.fingerprint))
    return " ".join(said)


def in_one_place(state: State, run: Run) -> bool:
    """Whether a hand has put all words at one place before the first step."""
    begun = [move for move in fields.moves_of(state.values) if move[0] == 0]
    table = moved(run.parameters["embeddings"][0], run.axes["words"], begun)
    return bool(np.ptp(table, axis=0).max() < 1e-6)


def together(state: State, run: Run) -> list[figure.Part]:
    """A button that puts all words at one place before the first step, where they have but two numbers."""
    start = run.parameters["embeddings"][0].astype(float)
    if start.shape[1] != 2:
        return []
    rows = [[0, word, *(float(-number) for number in vector)] for word, vector in enumerate(start)]
    text = state.text["together"]
    return [figure.presets({text: figure.preset((ONE.moves, rows), (ONE.step, 0))}, title=text)]


@lru_cache(8)
def meanings(task: Task) -> Sequence[str]:
    """What each word of a task decides: fruit, tech or nothing; nothing at all of other tasks."""
    if not set(MEANINGS) <= set(task.outputs[0]):
        return ()
    sentence, asking, deciding = task.answers[:, 0].nonzero()
    word, target = task.sentences[sentence, deciding], task.targets[sentence, asking, 0]
    decided = dict(zip(word.tolist(), target.tolist(), strict=True))
    named = (task.outputs[0][decided[each]] if each in decided else "" for each in range(len(task.words)))
    return tuple(named)


def words_plane(state: State, run: Run, end: str) -> figure.Part:
    """Every word's vector, the way that it has come, and perhaps where the next step pushes it."""
    s = TWO if end else ONE
    at, meant = s[f"words_at{end}"], meanings(fields.task_of(state.task))
    marks = [
        figure.part("trails", run=s[f"trained{end}"], snapshot=s[f"snapshot{end}"], now=at, meanings=meant),
        figure.displacement(at, s[f"pushed{end}"], role="force", when=s.force, result=True),
        figure.vectors(
            at,
            names=s.vocabulary,
            meanings=meant,
            places=True,
            handles=not end,
            moved=None if end else (s.moves, s.at),
            base=None if end else s.words_before,
            among=s.sentence[0] if len(state.sentence) == 1 else None,
        ),
    ]
    both = [state.values, fields.second_values(state.values)]
    far = max(fields.run_of(values, ()).reach["words"] for values in both if values)  # whatever the hand does
    # the words' only dimensions, or the two that show most of more
    kind = "" if run.spread["words"] > WHOLE else "_principal"
    return figure.plane(
        state,
        [state.text.plain(f"axes/{name}{kind}") for name in ("first", "second")],
        marks,
        low=-far,
        high=far,
        title=picture_name(state, "words", end),
        hint="hint" if not end else "",
        caption=caption(state, run, "words"),
    )


def small_planes(state: State, run: Run, end: str) -> figure.Part:
    """Queries and keys; values, where they are mixed, and which answer is given where."""
    s = TWO if end else ONE
    queries = figure.plane(
        state,
        ["", ""],
        [
            figure.vectors(s[f"keys_at{end}"], role="key"),
            figure.vectors(s[f"queries_at{end}"], role="query", only=s.asks, prefix="q"),
        ],
        low=-run.reach["keys"],
        high=run.reach["keys"],
        title=picture_name(state, "keys", end),
        caption=caption(state, run, "keys"),
        small=True,
    )
    marks = [
        *regions(state, run, end),
        figure.pulls(s[f"contexts_at{end}"][s.asks], s[f"values_at{end}"], s[f"row{end}"]),
        figure.vectors(s[f"values_at{end}"], role="value", places=True),
        figure.vectors(s[f"contexts_at{end}"], role="context", only=s.asks),
    ]
    values = figure.plane(
        state,
        ["", ""],
        marks,
        low=-run.reach["values"],
        high=run.reach["values"],
        title=picture_name(state, "values", end),
        caption=caption(state, run, "values"),
        small=True,
    )
    planes = [figure.rebuild_on(plane, of=s.sentence) for plane in (queries, values)]  # they name the words
    return figure.beside(*(figure.Column([plane], least=150) for plane in planes))


def regions(state: State, run: Run, end: str) -> list[figure.Part]:
    """Which answer is given where a head's values are mixed, where these are all that the answer is made of."""
    s, task = TWO if end else ONE, fields.task_of(state.task)
    *_, width, _ = run.parameters["W_vocabulary"].shape
    heads = run.parameters["W_query"].shape[2]
    if width != 2 or (heads > 1 and len(task.outputs) != heads):
        return []
    group = (s[f"head{end}"] if heads > 1 else 0,)
    W, bias = (s[f"parameters{end}"][name][group] for name in ("W_vocabulary", "bias"))
    return [figure.part("regions", of=W, bias=bias, names=list(task.outputs[0]))]


def picture_name(state: State, name: str, end: str) -> str:
    """A plane's name; where there are two runs, with which of them it shows."""
    said, names = state.text.plain(f"planes/{name}"), names_of_runs(state)
    return f"{said} · {names[bool(end)]}" if len(names) > 1 else said


def caption(state: State, run: Run, name: str) -> str:
    """What a plane shows; of more than two numbers, which part of their spread."""
    sentence = state.text.plain(f"planes/{name}")
    if run.spread[name] > WHOLE:
        return sentence
    return state.text.plain("planes/spread", plane=sentence, part=format_fixed(100 * run.spread[name], 0))


def asked(state: State) -> figure.Part:
    """The sentence, what its asking word looks at, and what it answers."""
    text, task = state.text, fields.task_of(state.task)
    s, ends = (ONE, [""]) if fields.second_run(state) is None else (TWO, ["", "_2"])
    unseen = [
        {"tokens": tokens.tolist(), "right": task.targets[place].T.tolist()}
        for tokens, place in zip(fields.sentences_of(state.task), task.shown, strict=True)
    ]
    runs = [{"row": s[f"row{end}"], "probabilities": s[f"probabilities{end}"], "end": end} for end in ends]
    return figure.part(
        "asked",
        title=text["asked"],
        sentence=name_of(ONE.sentence),
        asks=name_of(ONE.asks),
        vocabulary=s.vocabulary,
        words=s.words,
        runs=runs,
        outputs=[list(group) for group in task.outputs],
        meanings=[name if name in MEANINGS else "" for name in task.outputs[0]],
        groups=[text.get(f"groups/{name}", name) for name in task.groups],
        questions=[
            text.get(f"questions/{state.task}/{name}") or text[f"questions/{name}"] for name in task.groups
        ],
        unseen=unseen,
        texts=text.parts("asked"),
        about=np.shape(state.sentence),
    )


def which(state: State) -> list[figure.Part]:
    """Which head and which layer is shown, where there are several."""
    text, result = state.text, []
    for name, of in (("layer", ONE.layer), ("head", ONE.head)):
        if len(state.options(name)) > 1:
            names = [text.filled(f"which/{name}", number=number) for number in state.options(name)]
            result.append(figure.options(of, text[f"which/{name}s"], names))
    return result
