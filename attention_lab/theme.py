"""How the course looks, once: colours, sizes of type, radii and motion, for figures, charts, pages and files.

Colours are safe for colour-blind readers (after Okabe and Ito) and the same in both themes, but for weights. A
colour is never the only cue: a letter, a shape or a name always stands beside it.
"""

from attention_lab.fonts import SANS, SERIF

QUERY = "#D55E00"
KEY = "#0072B2"
VALUE = "#009E73"
CONTEXT = "#B0468E"
WEIGHT = "#5157C9"  # an attention weight; nothing else is indigo
WEIGHT_ON_DARK = "#868BEE"  # thin arcs are seen on dark paper, too
WORD = "#7C8CAB"  # a word's vector x: light enough to differ from a context vector for every eye
POSITIVE = WORD  # a score or a component, which have no colour of their own
NEGATIVE = "#A07800"  # no orange: that is the query's

ROLES = {
    "query": QUERY,
    "key": KEY,
    "value": VALUE,
    "context": CONTEXT,
    "weight": WEIGHT,
    "word": WORD,
    "positive": POSITIVE,
    "negative": NEGATIVE,
}

# What a component of a hand-made vector means: a word's colour is mixed of these (`figure/browser/tint.js`).
FRUIT = "#E0521F"
TECH = "#2A6BE0"
MEANINGS = {"fruit": FRUIT, "tech": TECH}

# Six sizes of type: notes and ticks, labels and controls, text, headings, titles, the one line of Home.
TEXT = {1: ".75rem", 2: ".875rem", 3: "1rem", 4: "1.25rem", 5: "1.75rem", 6: "2.6rem"}
LETS_A_PROJECTOR_ENLARGE = (1, 2)  # none of them is smaller than `--smallest` there (`presentation.js`)
SHAPES = {
    "radius-bar": ".2rem",  # what holds a value: a bar, a cell
    "radius-small": ".35rem",
    "radius": ".6rem",
    "round": "99rem",
    "quick": ".15s",
    "slow": ".6s",
    # Two heights of controls; a hairline, and the tints of what is chosen or lies under the pointer.
    "control": "2.25rem",
    "control-small": "1.75rem",
    "line": "color-mix(in srgb, currentColor 24%, transparent)",
    "chosen": "color-mix(in srgb, currentColor 11%, transparent)",
    "over": "color-mix(in srgb, currentColor 6%, transparent)",
}


def tokens() -> str:
    """Return the custom properties that every style sheet reads: `--role-query`, `--text-2`, `--radius`."""
    sizes = {
        f"text-{step}": f"max({size}, var(--smallest, 0rem))" if step in LETS_A_PROJECTOR_ENLARGE else size
        for step, size in TEXT.items()
    }
    roles = {f"role-{role}": colour for role, colour in ROLES.items()}
    roles["role-weight"] = f"light-dark({WEIGHT}, {WEIGHT_ON_DARK})"
    known = {**roles, **MEANINGS, **sizes, **SHAPES, "sans": SANS, "serif": SERIF}
    return "".join(f"--{name}:{value};" for name, value in known.items())
