"""Predict first: questions that hide the results until they are answered."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from attention_lab.text import ui_text
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.languages import spoken

from .goals import ArgmaxQuestion, ChoiceQuestion
from .state import State, fingerprint

Verdict = tuple[int | None, int | None, str, str]  # the answer given, the right one, why, the language


@dataclass(frozen=True)
class Prediction:
    """A question of a lesson, judged by `numbers`; it may say ``{word}``, and whatever `names` holds.

    It is asked again for every example, its words and the word of interest, and where `again` is something else.
    One about what is yet to be done is asked `always`, whether or not the reader wants to predict first.
    """

    guess: ArgmaxQuestion | ChoiceQuestion
    numbers: Mapping[str, Any]
    again: tuple[Any, ...] = ()
    always: bool = False
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """A prediction as a page asks it, and the verdict once it is answered.

    A teacher's `own` question stands in the place of the page's first one, over the same answers. What is right
    of it nobody here knows: the page's own question is answered beside it.
    """

    page: str
    text: str
    own: str
    answers: Sequence[str]
    options: Sequence[int]  # places of the answers that can be chosen
    about: tuple
    same_for_all: str  # letters by which a room knows the question
    verdict: Verdict | None
    prediction: Prediction
    sections: Mapping[str, str]  # the page's words
    names: Mapping[str, str]

    def judge(self, answer: int | None) -> Verdict:
        """Return the verdict on an answer, or on none: on asking for what is right."""
        guess, numbers = self.prediction.guess, self.prediction.numbers
        right = guess.answer(numbers, self.options, answer)
        if right is None:
            return answer, right, "", spoken()
        value = guess.tell(numbers, right) if isinstance(guess, ArgmaxQuestion) else ""
        return answer, right, self.because(right, value), spoken()

    def because(self, right: int, value: str) -> str:
        """Why an answer, by its place, is the right one; `value` is its number as it is written."""
        guess = self.prediction.guess
        section = f"because/{guess.name}"
        if isinstance(guess, ChoiceQuestion) and f"{section}/{guess.answers[right][0]}" in self.sections:
            section += f"/{guess.answers[right][0]}"
        return self.sections.filled(
            section, **{**self.names, "answer": escape_markdown(self.answers[right]), "value": value}
        )

    @property
    def verdict_text(self) -> str:
        """What is said of the answer that was given; in another language, by the numbers as they are now."""
        answer, right, why, code = self.verdict
        if code != spoken():
            answer, right, why, _ = self.judge(answer)
        if self.own:
            return self._beside_own(answer, right, why)
        return verdict(answer, right, why, self.answers)

    def _beside_own(self, answer: int | None, right: int | None, why: str) -> str:
        """What is said of an answer to a teacher's own question: the answer, then what the page itself asks."""
        said = ""
        if answer is not None:
            chosen = f"**{escape_markdown(self.answers[answer])}**"
            said = ui_text("guess/own_said", own=escape_markdown(self.own), said=chosen)
        asked = ui_text("guess/own_page", question=self.text)
        return f"{said}\n\n{asked} {verdict(None, right, why, self.answers)}".strip()


def ask(state: State, predictions: Iterable[Prediction]) -> tuple[list[Question], list[bool]]:
    """Return the questions in sight, the last of them perhaps open, and for each prediction whether it hides."""
    questions: list[Question] = []
    hidden: list[bool] = []
    waiting, own = False, state.values.get("question", "")
    for prediction in predictions:
        if not waiting and (state.predict or prediction.always):
            question, own = _question(state, prediction, own), ""
            if question is not None:
                questions.append(question)
                waiting = question.verdict is None
        hidden.append(waiting)
    return questions, hidden


def every_question(state: State, predictions: Iterable[Prediction]) -> list[Question | None]:
    """Return the question of each prediction, whether or not it is in sight; None where it has no answers."""
    return [_question(state, prediction, "") for prediction in predictions]


def _question(state: State, prediction: Prediction, own: str) -> Question | None:
    guess, numbers = prediction.guess, prediction.numbers
    words, text = numbers.get("words", ()), state.text
    answers = _answers(text, prediction)
    in_every_language = [name for name, _ in guess.answers] if isinstance(guess, ChoiceQuestion) else answers
    options = [place for place in range(len(answers)) if answers is not words or place != numbers.get("word")]
    if not options:
        return None
    example = state.values.get("example")
    about = (guess.name, example, words, numbers.get("word"), tuple(in_every_language), *prediction.again)
    same_for_all = fingerprint(about)
    about += (own,) if own else ()
    word = escape_markdown(words[numbers["word"]]) if "word" in numbers else ""
    names = {"word": word, **prediction.names}
    asked = text.filled(f"predict/{guess.name}", **names)
    verdict = state.predictions.get(about)
    return Question(
        state.name, asked, own, answers, options, about, same_for_all, verdict, prediction, text, names
    )


def _answers(text: Any, prediction: Prediction) -> Sequence[str]:
    guess, numbers = prediction.guess, prediction.numbers
    if isinstance(guess, ArgmaxQuestion):
        return numbers["words"] if guess.among is None else numbers[guess.among]
    return [text.filled(f"predict/{guess.name}/{name}", **prediction.names) for name, _ in guess.answers]


def verdict(answer: int | None, right: int | None, why: str, names: Sequence[str]) -> str:
    """What is said of an answer (by its place among the `names`), what is right, and why."""
    if right is None:
        return ui_text("guess/undefined")
    shown = f"**{escape_markdown(names[right])}**"
    if answer is None:
        said = ui_text("guess/it_is", answer=shown)
    elif answer == right:
        said = ui_text("guess/right", answer=shown)
    else:
        said = ui_text("guess/wrong", said=escape_markdown(names[answer]), answer=shown)
    return f"{said} {why}"
