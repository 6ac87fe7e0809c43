"""The page at /cross_attention, from top to bottom."""

import attention_lab.lessons.cross_attention as lesson
from attention_lab.lessons.cross_attention import calculation, learned, learned_parts
from attention_lab.widgets import export, figure_component, page_layout, predict, settings, vocabulary


@page_layout.fragment
def figure_and_charts() -> None:
    """Draw the figure and everything that depends on it."""
    page.sync_inputs()
    if learned.is_learned(page.state.values):
        page_layout.remarks(learned_parts.remarks(page.state))
    else:
        vocabulary.say_without_features(page, calculation.BESIDE)
    figure_component.show(page, page.view())


page = page_layout.open_page(lesson.LESSON)
text = page.text
is_learned = learned.is_learned(page.state.values)
with page_layout.head(page):
    settings.select(page, "model", width=180, on_choose=learned.choose_model)
    with page_layout.change(page, "settings", *(() if is_learned else ("examples", "words"))) as opened:
        if opened and is_learned:
            settings.select(page, "beside", learned_parts.names_beside(page.state))
        elif opened:
            vocabulary.example_picker(page, sentence=True)
            sources = {name: text[f"looks/{name}"] for name in calculation.LOOKS}
            page_layout.choose(page, "looks", text["looks"], sources, outside=True)
        if not is_learned:
            labels = {name: text[f"editor/{name}"] for name in ("words", "memory_words")}
            words_of = {"spoken": labels, "belongs": calculation.BELONGS}
            vocabulary.editor(page, sentence=True, beside=calculation.BESIDE, features=True, **words_of)
    export.group(page)
predict.ask(page)
figure_and_charts()
page_layout.words(page, "notes_learned" if is_learned else "notes")
