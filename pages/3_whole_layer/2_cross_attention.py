"""Cross-attention.

Who looks across?
"""

import streamlit as st

import lessons.cross_attention as lesson
from controls import export, page_layout, predict, stage, vocabulary
from controls.page_state import open_page


@page_layout.fragment
def under_the_hand() -> None:
    """The stage; all of it follows the hand."""
    page.listen()
    now = lesson.calculate(page)
    hidden = size_hidden = predict.ask(page, lesson.ADJECTIVE, now, asks=page_layout.as_text(page.word))
    if not hidden and lesson.can_be_guessed(page):
        size_hidden = predict.ask(page, lesson.HOW_MANY, now, **lesson.sizes_named(page))
    vocabulary.say_without_features(page, lesson.BESIDE)
    columns = lesson.on_stage(page, now, hidden=hidden, size_hidden=size_hidden)
    stage.show(page, columns, now, title=page.text.plain("figure"), results_hidden=hidden)


page = open_page(lesson)
page_layout.head(page, __doc__)
with page_layout.tools():
    vocabulary.example_picker(page, sentence=True, width=300)
    ways = lesson.who_answers(page)
    st.segmented_control(
        page.text["looks"], list(ways), format_func=ways.get, required=True, **page.widget("looks")
    )
    vocabulary.editor(
        page,
        sentence=True,
        beside=lesson.BESIDE,
        features=True,
        spoken=lesson.editor_labels(page),
        belongs=lesson.BELONGS,
    )
    export.menu(page, lesson.tables, lesson.for_programs)
    page_layout.reset(page)
under_the_hand()
page_layout.words(page, "no_causal_mask", "sound")
