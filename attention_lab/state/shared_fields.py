"""Fields that every page has: how matrices stand, what is hidden, the room; and what a teacher's link holds."""

from __future__ import annotations

from . import permalink

ROOM = "room"
# What a link may hide: tools of the row above the stage, the notes for a class, and what the sidebar holds.
ROW = ("examples", "word", "words", "matrices", "scores", "settings", "take_away", "reset", "notes")
SIDEBAR = ("menu", "orientation", "predict", "present", "glossary", "reset_all", "room")
SHARED = (
    permalink.choice("orientation", "queries in rows (default) or in columns", ("rows", "columns"), shared=True),
    permalink.flag("predict", "1: guess before the result is shown", shared=True),
    permalink.flag("present", "1: larger type, no sidebar", shared=True),
    permalink.several(
        "hide",
        f"tools that are not shown, joined by dots: {', '.join((*ROW, *SIDEBAR))}",
        (*ROW, *SIDEBAR),
        shared=True,
    ),
    permalink.two_words(ROOM, "the room in which a class is together, such as blue-fox", shared=True),
)
# What a teacher's link may hold for one page besides that page's own fields: it is not carried to the next page.
LONGEST_QUESTION = 160
QUESTION = permalink.typed_line("question", "a teacher's own guess question", LONGEST_QUESTION, shared=True)
OF_LINKS = (QUESTION,)
