"""Cross-attention.

Who looks across?
"""

import attention_lab.lessons.cross_attention as lesson
from attention_lab import export, figure
from attention_lab.widgets import open_page, page_layout, predict, settings, vocabulary


@page_layout.fragment
def under_the_hand() -> None:
    """The stage; all of it follows the hand."""
    page.sync_inputs()
    now = lesson.calculate(page)
    page_layout.remarks(lesson.remarks(page))
    if lesson.is_learned(page.memory.values):
        asks = lesson.asks_about(page, now)
        hidden = predict.ask(page, lesson.LOOKS_AT, now, anew=lesson.about(page), **asks)
        columns = lesson.learned_on_stage(page, now)
    else:
        hidden = size_hidden = predict.ask(page, lesson.ADJECTIVE, now, asks=page_layout.as_text(page.word))
        if not hidden and lesson.can_be_guessed(page):
            size_hidden = predict.ask(page, lesson.HOW_MANY, now, **lesson.sizes_named(page))
        vocabulary.say_without_features(page, lesson.BESIDE)
        columns = lesson.on_stage(page, now, hidden=hidden, size_hidden=size_hidden)
    figure.show(
        page,
        columns,
        now,
        title=page.text.plain(lesson.section(page, "figure")),
        results_hidden=hidden,
        carried=lesson.carried(page),
    )


page = open_page(lesson)
page_layout.head(page, __doc__, first=lesson.section(page, "first"))
with page_layout.tools():
    settings.select(page, "model", lesson.model_names(page), on_choose=lesson.choose_model)
    if lesson.is_learned(page.memory.values):
        settings.select(page, "beside", lesson.model_names(page))
    else:
        vocabulary.example_picker(page, sentence=True, width=300)
        ways = lesson.who_answers(page)
        page_layout.choose(page, "looks", page.text["looks"], ways, every=True, outside=True)
        words_of = {"spoken": lesson.editor_labels(page), "belongs": lesson.BELONGS}
        vocabulary.editor(page, sentence=True, beside=lesson.BESIDE, features=True, **words_of)
    export.menu(page, lesson.tables, lesson.for_programs)
    page_layout.reset(page)
under_the_hand()
page_layout.words(page, *lesson.paragraphs(page), **lesson.sections(page))
