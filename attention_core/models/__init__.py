"""Trained models: shipped weights with a record of their training, and forward passes on the core's heads."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from attention_core.models import language_model, translator
from attention_core.models.chat import chat_text
from attention_core.models.decoding import Decoding, count_multiplications, decode
from attention_core.models.gallery import Gallery, GalleryRun, Senses, load_gallery, read_gallery, read_sentence
from attention_core.models.language_model import UNMASKED, LanguageModel, LanguageRun, load_language_model
from attention_core.models.pretrained import PretrainedModel, PretrainedRun, read_model
from attention_core.models.recorded import (
    NAME,
    Ablation,
    RecordedAnswer,
    RecordedRun,
    RecordedRuns,
    load_recorded_runs,
)
from attention_core.models.translator import DecodedWords, Translation, Translator, load_translator
from attention_core.models.two_layers import TWO_LAYERS, load_two_layers
from attention_core.models.writing import GeneratedToken

LOADERS: dict[str, Callable[[], Any]] = {
    **{name: partial(load_language_model, name) for name in (*language_model.NAMES, UNMASKED)},
    **{name: partial(load_translator, name) for name in translator.NAMES},
    TWO_LAYERS: load_two_layers,
    "gallery": load_gallery,
    NAME: load_recorded_runs,
}


@lru_cache(32)
def unreadable(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of those models whose weights are missing or damaged, cached for the process."""

    def loads(name: str) -> bool:
        try:
            LOADERS[name]()
        except ValueError:
            return False
        return True

    return tuple(name for name in names if not loads(name))
