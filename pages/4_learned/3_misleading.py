"""The page at /misleading, from top to bottom."""

from functools import partial

import attention_lab.lessons.misleading as lesson
from attention_lab.widgets import export, page_layout, predict, settings

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    settings.select(page, "experiment", width=320, on_choose=partial(lesson.choose, "experiment"))
    with page_layout.change(page, "settings") as opened:
        if opened:
            if not page.lesson.fault(page.state):
                settings.select(page, "opening", on_choose=partial(lesson.choose, "opening"))
            if names := lesson.model_names(page.state):
                label = page.text["settings/model"]
                page_layout.choose(
                    page, "model", label, names, outside=True, on_choose=partial(lesson.choose, "model")
                )
            for name in lesson.SEED_FIELDS.get(page.state.experiment, ()):
                settings.whole(page, name, 0, lesson.LAST_SEED, on_choose=partial(lesson.choose, name))
    export.group(page)
predict.ask_and_show(page)
page_layout.words(page)
