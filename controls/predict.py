"""Predict first: the result stays hidden until the reader has guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from prose import say

from .calculation import Results
from .goals import Estimate, Guess
from .page_layout import as_text
from .page_state import PageState


def ask(page: PageState, guess: Guess | Estimate, now: Results, **names: str) -> bool:
    """Ask for a guess where the reader wants to; True while the result is still to be hidden.

    A guess is made anew for every example, its words and the word of interest. The question may say ``{word}``,
    and whatever `names` holds.
    """
    if not page.predict:
        return False
    words = now.get("words", ())
    answers = _answers(page, guess, now, names)
    options = [place for place in range(len(answers)) if answers is not words or place != now.get("word")]
    if not options:
        return False
    about = (guess.name, page.memory.values.get("example"), words, now.get("word"), tuple(answers))
    made, keep = page.memory.guesses, page.memory.guess
    with st.container(border=True):
        word = as_text(words[now["word"]]) if "word" in now else ""
        question = page.text.filled(f"predict/{guess.name}", word=word, **names)
        if about not in made:
            st.markdown(say("guess/ask", question=question))
            with st.container(horizontal=True, vertical_alignment="center"):
                for place in options:
                    key = f"{page.name}.guess.{place}"
                    verdict = place, guess.answer(now, options, place)
                    st.button(as_text(answers[place]), key=key, on_click=keep, args=(about, verdict))
                key = f"{page.name}.reveal"
                verdict = None, guess.answer(now, options)
                st.button(say("guess/reveal"), key=key, on_click=keep, args=(about, verdict), type="tertiary")
            return True
        st.markdown(_verdict(*made[about], answers))  # as it was when the guess was made, whatever moves since
    return False


def _answers(page: PageState, guess: Guess | Estimate, now: Results, names: Mapping[str, str]) -> Sequence[str]:
    if isinstance(guess, Guess):
        return now["words"] if guess.among is None else now[guess.among]
    return [page.text.filled(f"predict/{guess.name}/{name}", **names) for name, _ in guess.answers]


def _verdict(said: int | None, answer: int | None, names) -> str:
    if answer is None:
        return say("guess/undefined")
    right = f"**{as_text(names[answer])}**"
    if said is None:
        return say("guess/it_is", answer=right)
    if said == answer:
        return say("guess/right", answer=right)
    return say("guess/wrong", said=as_text(names[said]), answer=right)
