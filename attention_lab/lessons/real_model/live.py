"""The model that the server was given: its gallery, and texts of the reader's own."""

from __future__ import annotations

from attention_core import Gallery, GalleryRun, load_gallery
from attention_core.models import read_gallery, read_sentence
from attention_core.models.pretrained import MOST_SIGNS
from controls import own_model, permalink
from controls.kept import Kept

LIVE, OWN = "live", "own"
MOST_LETTERS = 2000  # of a text in an address, which holds more than it
MOST_RUNS, MOST_BYTES = 64, 64_000_000  # kept by the process
RUNS, GALLERIES = Kept(MOST_RUNS, MOST_BYTES), Kept(1, MOST_BYTES)


def there() -> bool:
    """Whether there is a model that readers may ask."""
    return own_model.read().model is not None


def sha256() -> str:
    """Of the weights of that model; empty where there is none."""
    model = own_model.read().model
    return model.sha256 if model else ""


def check(text: str) -> str:
    """A text that the model can read, or a refusal that says why not. Nothing of it is changed."""
    model = own_model.read().model
    if model is None:
        raise permalink.refused("no_own_model")
    if len(text) > MOST_SIGNS:
        raise permalink.refused("long_text", most=MOST_SIGNS)
    try:
        text.encode()
        numbers, _ = model.tokeniser.encode(text)
    except ValueError:
        raise permalink.refused("unreadable_text") from None
    if len(numbers) <= (2 if model.architecture == "bert" else 0):
        raise permalink.refused("empty_text")
    if len(numbers) > model.longest:
        raise permalink.refused("many_tokens", count=len(numbers), most=model.longest)
    if len(permalink.escape(text)) > MOST_LETTERS:
        raise permalink.refused("long_for_address")
    return text


def run(text: str) -> GalleryRun:
    """What the model does with a text: computed once for all who ask, behind everybody's ordinary changes."""
    model = own_model.read().model

    def size(made: GalleryRun) -> int:
        return 2 * made.weights.nbytes + made.states.nbytes

    return RUNS.get((model.sha256, text), lambda: read_sentence(model, text), size)


def gallery() -> Gallery:
    """The gallery's sentences and words as this model reads them."""
    model, shipped = own_model.read().model, load_gallery().record
    return GALLERIES.get(
        model.sha256, lambda: read_gallery(model, shipped["sentences"], shipped["senses"]), lambda _: 0
    )
