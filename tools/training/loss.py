"""The loss of a shipped language model on texts, as its record has it."""

from collections.abc import Sequence

import numpy as np

from attention_core.models import grammar
from attention_core.models.language_model import LanguageModel


def measure_loss(model: LanguageModel, texts: Sequence[grammar.Text], *, prefixes: bool = False) -> float:
    """Measure the mean cross-entropy of the next word, from whole texts or, with `prefixes`, from its prefix.

    Both are the same under a causal mask. Without one, a whole text contains the word to be predicted.
    """
    losses: list[float] = []
    for text in texts:
        following = model.places(text.words[1:])
        if prefixes:
            predictions = [model.run(text.words[:end]).next_word[-1] for end in range(1, len(text.words))]
        else:
            predictions = model.run(text.words).next_word[:-1]
        losses += [-float(np.log(row[word])) for row, word in zip(predictions, following, strict=True)]
    return float(np.mean(losses))
