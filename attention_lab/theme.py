"""The course's colours, once: safe for colour-blind readers (after Okabe and Ito), the same in both themes.

A colour is never the only cue: a letter, a shape or a name always stands beside it.
"""

QUERY = "#D55E00"
KEY = "#0072B2"
VALUE = "#009E73"
CONTEXT = "#B0468E"
WORD = "#6B6FD4"
POSITIVE = "#4A6FE3"
NEGATIVE = "#A07800"  # no orange: that is the query's

ROLES = {
    "query": QUERY,
    "key": KEY,
    "value": VALUE,
    "context": CONTEXT,
    "word": WORD,
    "positive": POSITIVE,
    "negative": NEGATIVE,
}

# What a component of a hand-made vector means: a word's colour is mixed of these (`figure/browser/tint.js`).
FRUIT = "#E0521F"
TECH = "#2A6BE0"
MEANINGS = {"fruit": FRUIT, "tech": TECH}
