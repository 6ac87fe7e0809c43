"""Trained models: shipped weights, how they were made, and their forward pass on the core's own heads."""

from attention_core.models.language_model import LanguageModel, LanguageRun, load_language_model
from attention_core.models.translator import Translation, Translator, load_translator

__all__ = [
    "LanguageModel",
    "LanguageRun",
    "Translation",
    "Translator",
    "load_language_model",
    "load_translator",
]
