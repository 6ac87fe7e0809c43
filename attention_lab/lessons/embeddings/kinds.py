"""What a model made of words that it met in sentences alone: those of one kind lie together."""

from functools import cache, lru_cache

import numpy as np

from attention_core import cosine_similarity, load_language_model
from attention_core.models import grammar
from attention_lab import figure
from attention_lab.state import vocabulary
from attention_lab.state.state import OWN, State, base_example, worked
from attention_lab.text import listed
from attention_lab.text.number_format import format_number

from .calculation import WORD_FIELDS

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


@lru_cache(16)
def placed_by_hand(name: str) -> tuple[str, ...]:
    """An example's model's words that lie far out on a plane by hand: a sentence with one goes there."""
    example = worked(name)

    def stays(word: str) -> bool:
        among = base_example(WORD_FIELDS, {"example": OWN, "words": (*example.words, word)})
        return among.learned is not None

    return tuple(word for word in example.lexicon if not stays(word))


def what_is_drawn(state: State) -> list[figure.Part]:
    """Of learned vectors: whose they are, how much of their spread two directions show, what is alike."""
    if not state.worked_example.learned:
        return []
    within, between = (format_number(round(number, 2)) for number in alike())
    placeholders = vocabulary.learned_names(state) | {"within": within, "between": between}
    own = state.text.plain("own_learned", places=listed(placed_by_hand(state.worked_example.name)))
    return [figure.remark(state.text.plain("drawn", **placeholders)), figure.remark(own)]
