"""Cross-attention.

Who looks across?
"""

import attention_lab.lessons.cross_attention as lesson
from attention_lab.widgets import export, figure, page_layout, predict, settings, vocabulary


@page_layout.fragment
def under_the_hand() -> None:
    """The stage; all of it follows the hand."""
    page.sync_inputs()
    page_layout.remarks(lesson.remarks(page.state))
    view = page.view()
    predict.ask(page, view)
    if not lesson.is_learned(page.state.values):
        vocabulary.say_without_features(page, lesson.BESIDE)
    figure.show(page, view)


page = page_layout.open_page(lesson.LESSON)
page_layout.head(page, __doc__, first=lesson.section(page.state, "first"))
with page_layout.tools():
    settings.select(page, "model", lesson.model_names(page.state), on_choose=lesson.choose_model)
    if lesson.is_learned(page.state.values):
        settings.select(page, "beside", lesson.model_names(page.state))
    else:
        vocabulary.example_picker(page, sentence=True, width=300)
        ways = lesson.who_answers(page.state)
        page_layout.choose(page, "looks", page.text["looks"], ways, every=True, outside=True)
        words_of = {"spoken": lesson.editor_labels(page.state), "belongs": lesson.BELONGS}
        vocabulary.editor(page, sentence=True, beside=lesson.BESIDE, features=True, **words_of)
    export.menu(page)
    page_layout.reset(page)
under_the_hand()
page_layout.words(page, *lesson.paragraphs(page.state), **lesson.sections(page.state))
