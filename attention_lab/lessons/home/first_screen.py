"""The first screen: the sentence with its ribbons, the plane under the hand, and what the word means now."""

from attention_lab import figure
from attention_lab.state.state import State

from .calculation import AXES, CALCULATION, EXAMPLE, PHONE, WORDS

s = CALCULATION
LEFTWARDS = -3.6  # how far the ghost of a hand takes *phone*: not as far as the goal


def first_screen(state: State) -> figure.Part:
    """Return the sentence and the plane, beside one another, and the sentence that says what it comes to."""
    columns = [[ribbons(state)], [plane(state)], [meaning(state), ghost_hand()]]
    return figure.beside(*(figure.Column(parts, least=0) for parts in columns))


def ribbons(state: State) -> figure.Part:
    """Return the sentence, each word with its weight, and ribbons to the new vector of the followed word."""
    head = state.text.around("weights_of", plain=True, word=s.words[s.word])
    return figure.part(
        "ribbons",
        of=s.trace.weights,
        names=figure.WORDS,
        focus=figure.WORD,
        vectors=s.vectors,
        values=s.value,
        context=s.trace.context,
        what="weight",
        head=figure.pieces(head),
        here=state.text.plain("here"),
    )


def plane(state: State) -> figure.Part:
    """Return the words under the hand, and the weighted values of one, tip to tail: they end at its new vector.

    Values are drawn on the axes of the embeddings: the value matrix maps that space to itself, as where a head's
    output is added to the embedding.
    """
    marks = [
        figure.chain(s.value, s.trace.weights[s.word], tinted=True),
        figure.vectors(
            s.trace.context,
            role="context",
            only=s.word,
            focus=s.word,
            called=state.text.plain("here"),
            tinted=True,
        ),
        figure.vectors(s.vectors, handles=True, focus=s.word, tinted=True),
    ]
    return figure.plane(state, AXES, marks, title=state.text["plane"], hint="plane_hint")


def meaning(state: State) -> figure.Part:
    """Return the sentence on what the followed word points to, and on its largest weight."""
    texts = state.text.parts("meaning")
    return figure.part(
        "meaning",
        of=s.trace.weights,
        context=s.trace.context,
        names=figure.WORDS,
        focus=figure.WORD,
        texts=texts,
    )


def ghost_hand() -> figure.Part:
    """Return the hand that shows a reader who has done nothing yet what can be moved."""
    start = {"vectors": EXAMPLE.embeddings.tolist(), "word": WORDS.index("apple")}
    return figure.part("ghost_hand", handle="phone", of="vectors", row=PHONE, by=LEFTWARDS, start=start)
