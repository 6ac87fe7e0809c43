"""Fields that every page has: how matrices stand, what is hidden, the room; and what a teacher's link holds."""

from attention_lab.text.languages import LANGUAGES

from . import permalink
from .state import LANGUAGE

ROOM = "room"
# What a link may hide: tools of the row above the stage, the notes for a class, and what the sidebar holds.
ROW = ("examples", "word", "words", "matrices", "scores", "settings", "take_away", "reset", "notes")
SIDEBAR = ("menu", "orientation", "predict", "present", "glossary", "reset_all", "room")
HIDABLE = (*ROW, *SIDEBAR)
# What a link says of the language: nothing where it is English and the browser’s own would not lead elsewhere.
# A reader who chooses English against the browser has `lang=en` in the link; one whom the browser has led to
# another language has that in it. What says nothing leads to the language of whoever follows it.
# Links for a class say what the teacher’s own link says.
SHARED = (
    permalink.language_field(
        LANGUAGE, f"the language: {', '.join(LANGUAGES)} (default: the browser’s, or English)"
    ),
    permalink.choice("orientation", "queries in rows (default) or in columns", ("rows", "columns"), shared=True),
    permalink.flag("predict", "1: predict before the result appears", shared=True),
    permalink.flag("present", "1: larger type, no sidebar", shared=True),
    permalink.several("hide", f"hidden tools, joined by dots: {', '.join(HIDABLE)}", HIDABLE),
    permalink.two_words(ROOM, "the room of a live classroom, such as blue-fox"),
)
# What a teacher's link may hold for one page besides that page's own fields: it is not carried to the next page.
LONGEST_QUESTION = 160
QUESTION = permalink.typed_line(
    "question", "a question by the teacher, asked before the result appears", LONGEST_QUESTION, shared=True
)
OF_LINKS = (QUESTION,)
