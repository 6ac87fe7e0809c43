"""The page at /cross_attention, from top to bottom."""

import attention_lab.lessons.cross_attention as lesson
from attention_lab.widgets import export, figure, page_layout, predict, settings, vocabulary


@page_layout.fragment
def figure_and_charts() -> None:
    """Draw the figure and everything that depends on it."""
    page.sync_inputs()
    page_layout.remarks(lesson.learned_parts.remarks(page.state))
    view = page.view()
    if not lesson.is_learned(page.state.values):
        vocabulary.say_without_features(page, lesson.calculation.BESIDE)
    figure.show(page, view)


page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    settings.select(
        page,
        "model",
        lesson.learned_parts.model_names(page.state),
        width=180,
        on_choose=lesson.learned.choose_model,
    )
    if lesson.is_learned(page.state.values):
        settings.select(page, "beside", lesson.learned_parts.names_beside(page.state), width=200)
    else:
        vocabulary.example_picker(page, sentence=True, width=225)
        words_of = {"spoken": lesson.editor_labels(page.state), "belongs": lesson.BELONGS}
        vocabulary.editor(page, sentence=True, beside=lesson.calculation.BESIDE, features=True, **words_of)
    export.menu(page)
    page_layout.reset(page)
predict.ask(page)
figure_and_charts()
if not lesson.is_learned(page.state.values):
    with page_layout.tools("_below"):
        page_layout.choose(page, "looks", page.text["looks"], lesson.key_sources(page.state), outside=True)
page_layout.words(page, *lesson.learned_parts.paragraphs(page.state), **lesson.sections(page.state))
