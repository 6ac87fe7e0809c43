"""What a model made of words that it met in sentences alone: those of one kind lie together."""

from __future__ import annotations

from functools import cache

import numpy as np

from attention_core import cosine_similarity, load_language_model
from attention_core.models import grammar
from controls import stage, vocabulary
from controls.number_format import format_number
from controls.page_state import OWN, PageState, base_example

KINDS = (grammar.COLOURS, grammar.TEXTURES, grammar.NOUNS)


@cache
def alike() -> tuple[float, float]:
    """The mean cosine of two words of one kind, and of two of different kinds, over all of a vector's numbers."""
    words = [word for kind in KINDS for word in kind]
    of = np.repeat(np.arange(len(KINDS)), [len(kind) for kind in KINDS])
    model = load_language_model()
    vectors = model.embeddings[model.places(words)].astype(float)
    cosine, same = cosine_similarity(vectors, vectors), of[:, None] == of
    return float(cosine[same & ~np.eye(len(of), dtype=bool)].mean()), float(cosine[~same].mean())


def placed_by_hand(page: PageState) -> list[str]:
    """The words of the model that a plane made by hand knows, too: a sentence with one of them stands there."""
    known = page.worked_example.lexicon
    return [word for word in known if not base_example(page.fields, {"example": OWN, "words": (word,)}).learned]


def what_is_drawn(page: PageState) -> list[stage.Part]:
    """Of learned vectors: whose they are, how much of their spread two directions show, what is alike."""
    if not page.worked_example.learned:
        return []
    within, between = (format_number(round(number, 2)) for number in alike())
    told = vocabulary.told_of_learned(page) | {"within": within, "between": between}
    own = page.text.plain("own_learned", places=", ".join(placed_by_hand(page)))
    return [stage.remark(page.text.plain("drawn", **told)), stage.remark(own)]
