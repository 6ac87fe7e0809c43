"""Predict first: the result stays hidden until the reader has guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from attention_lab.calculation import Results
from attention_lab.state.goals import Estimate, Guess
from attention_lab.state.page_state import ASKED_ANEW, PageState, fingerprint
from attention_lab.text import say

from .page_layout import as_text


def ask(
    page: PageState,
    guess: Guess | Estimate,
    now: Results,
    *,
    anew: tuple[Any, ...] = (),
    always: bool = False,
    **names: str,
) -> bool:
    """Ask for a guess where the reader wants to; True while the result is still to be hidden.

    A guess is made anew for every example, its words and the word of interest, and where `anew`
    is something else. The question may say ``{word}``, and whatever `names` holds. A question about what is yet
    to be done stands there `always`, whether or not the reader wants everything hidden until then.

    A teacher's own question stands in the place of the page's first one, over the same answers. What is right of
    it nobody here knows: the page's own question is answered beside it.
    """
    if not (page.predict or always):
        page.memory.asked = {}
        return False
    own, page.memory.to_ask = page.memory.to_ask, ""
    words = now.get("words", ())
    answers = _answers(page, guess, now, names)
    options = [place for place in range(len(answers)) if answers is not words or place != now.get("word")]
    if not options:
        return False
    about = (guess.name, page.memory.values.get("example"), words, now.get("word"), tuple(answers), *anew)
    same_for_all = fingerprint(about) if page.room or ASKED_ANEW in st.session_state else ""
    about += (own,) if own else ()
    made, keep = page.memory.guesses, page.memory.guess
    if st.session_state.get(ASKED_ANEW) == same_for_all:
        del st.session_state[ASKED_ANEW]
        made.pop(about, None)
    if page.room:
        called = [str(answer) if place in options else None for place, answer in enumerate(answers)]
        page.memory.asked = {"of": same_for_all, "answers": called, "open": about not in made}
    with st.container(border=True):
        word = as_text(words[now["word"]]) if "word" in now else ""
        question = page.text.filled(f"predict/{guess.name}", word=word, **names)
        if about not in made:
            st.markdown(say("guess/ask", question=as_text(own) or question))
            with st.container(horizontal=True, vertical_alignment="center"):
                for place in options:
                    key = f"{page.name}.guess.{place}"
                    judged = _judged(page, guess, now, options, place, answers, {"word": word, **names})
                    st.button(as_text(answers[place]), key=key, on_click=keep, args=(about, judged))
                key = f"{page.name}.reveal"
                judged = _judged(page, guess, now, options, None, answers, {"word": word, **names})
                st.button(say("guess/reveal"), key=key, on_click=keep, args=(about, judged), type="tertiary")
            return True
        # as it was when the guess was made, whatever moves since
        st.markdown(beside_own(own, question, *made[about], answers) if own else verdict(*made[about], answers))
    return False


def _answers(page: PageState, guess: Guess | Estimate, now: Results, names: Mapping[str, str]) -> Sequence[str]:
    if isinstance(guess, Guess):
        return now["words"] if guess.among is None else now[guess.among]
    return [page.text.filled(f"predict/{guess.name}/{name}", **names) for name, _ in guess.answers]


def _judged(
    page: PageState,
    guess: Guess | Estimate,
    now: Results,
    options: Sequence[int],
    said: int | None,
    answers: Sequence[str],
    names: Mapping[str, str],
) -> tuple[int | None, int | None, str]:
    """What was said, what is right, and why that is so: ``because/<name>``, perhaps one for each answer."""
    right = guess.answer(now, options, said)
    if right is None:
        return said, right, ""
    section = f"because/{guess.name}"
    if isinstance(guess, Estimate) and f"{section}/{guess.answers[right][0]}" in page.text:
        section += f"/{guess.answers[right][0]}"
    value = guess.tell(now, right) if isinstance(guess, Guess) else ""
    why = page.text.filled(section, **{**names, "answer": as_text(answers[right]), "value": value})
    return said, right, why


def beside_own(
    own: str, question: str, said: int | None, answer: int | None, why: str, names: Sequence[str]
) -> str:
    """What is told of a guess at a teacher's own question: what was said, and then what the page itself asks."""
    told = "" if said is None else say("guess/own_said", own=as_text(own), said=f"**{as_text(names[said])}**")
    return f"{told}\n\n{say('guess/own_page', question=question)} {verdict(None, answer, why, names)}".strip()


def verdict(said: int | None, answer: int | None, why: str, names: Sequence[str]) -> str:
    """What is told of a guess: what was said (by its place among the `names`), what is right, and why."""
    if answer is None:
        return say("guess/undefined")
    right = f"**{as_text(names[answer])}**"
    if said is None:
        told = say("guess/it_is", answer=right)
    elif said == answer:
        told = say("guess/right", answer=right)
    else:
        told = say("guess/wrong", said=as_text(names[said]), answer=right)
    return f"{told} {why}"
