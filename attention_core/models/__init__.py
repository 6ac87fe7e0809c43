"""Trained models: shipped weights, how they were made, and their forward pass on the core's own heads."""

from attention_core.models.gallery import Gallery, GalleryRun, Senses, load_gallery
from attention_core.models.language_model import UNMASKED, LanguageModel, LanguageRun, load_language_model
from attention_core.models.pretrained import PretrainedModel, PretrainedRun, read_model
from attention_core.models.translator import DecodedWords, Translation, Translator, load_translator

__all__ = [
    "UNMASKED",
    "DecodedWords",
    "Gallery",
    "GalleryRun",
    "LanguageModel",
    "LanguageRun",
    "PretrainedModel",
    "PretrainedRun",
    "Senses",
    "Translation",
    "Translator",
    "load_gallery",
    "load_language_model",
    "load_translator",
    "read_model",
]
