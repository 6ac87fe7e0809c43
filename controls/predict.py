"""Predict first: the result stays hidden until the reader has guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from .furniture import as_text
from .goals import Estimate, Guess
from .lesson import Lesson


def ask(lesson: Lesson, guess: Guess | Estimate, scope: Mapping[str, Any], **names: str) -> bool:
    """Ask for a guess where the reader wants to; True while the result is still to be hidden.

    A guess is made anew for every example, its words and the word of interest. The question may say ``{word}``,
    and whatever `names` holds.
    """
    if not lesson.predict:
        return False
    words = scope.get("words", ())
    answers = _answers(lesson, guess, scope, names)
    options = [place for place in range(len(answers)) if answers is not words or place != scope.get("word")]
    if not options:
        return False
    about = (guess.name, lesson.memory.values.get("example"), words, scope.get("word"), tuple(answers))
    made, keep = lesson.memory.guesses, lesson.memory.guess
    with st.container(border=True):
        word = as_text(words[scope["word"]]) if "word" in scope else ""
        question = lesson.text.filled(f"predict/{guess.name}", word=word, **names)
        if about not in made:
            st.markdown(f"**Guess first.** {question}")
            with st.container(horizontal=True, vertical_alignment="center"):
                for place in options:
                    key = f"{lesson.name}.guess.{place}"
                    verdict = place, guess.answer(scope, options, place)
                    st.button(as_text(answers[place]), key=key, on_click=keep, args=(about, verdict))
                key = f"{lesson.name}.reveal"
                verdict = None, guess.answer(scope, options)
                st.button("Reveal", key=key, on_click=keep, args=(about, verdict), type="tertiary")
            return True
        st.markdown(_verdict(*made[about], answers))  # as it was when the guess was made, whatever moves since
    return False


def _answers(
    lesson: Lesson, guess: Guess | Estimate, scope: Mapping[str, Any], names: Mapping[str, str]
) -> Sequence[str]:
    if isinstance(guess, Guess):
        return scope[guess.among]
    return [lesson.text.filled(f"predict/{guess.name}/{name}", **names) for name, _ in guess.answers]


def _verdict(said: int | None, answer: int | None, names) -> str:
    if answer is None:
        return "Here it is undefined: a vector of length zero has no direction."
    right = f"**{as_text(names[answer])}**"
    if said is None:
        return f"It is {right}."
    if said == answer:
        return f":material/check: You said {right}, and so it is."
    return f"You said {as_text(names[said])}; it is {right}. What made the difference?"
