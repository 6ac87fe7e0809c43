"""The model that the server was given: its gallery, and texts of the reader's own."""

from attention_core import Gallery, load_gallery
from attention_core.models import read_gallery, read_sentence
from attention_lab import own_model
from attention_lab.calculation.caches import SingleFlightCache
from attention_lab.state import permalink

from .sentence import Sentence, prepare

LIVE, OWN = "live", "own"
MOST_SIGNS = 2000  # characters of a text
MOST_LETTERS = 2000  # of a text in an address, which holds more than it
MOST_SENTENCES, MOST_BYTES = 64, 64_000_000  # that the process keeps
SENTENCES, GALLERIES = SingleFlightCache(MOST_SENTENCES, MOST_BYTES), SingleFlightCache(1, MOST_BYTES)


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
        too_long = len(permalink.escape(text)) > MOST_LETTERS
        numbers, _ = ((), None) if too_long else model.tokeniser.encode(text)  # which takes longer
    except ValueError:
        raise permalink.refused("unreadable_text") from None
    if too_long:
        raise permalink.refused("long_for_address")
    if len(numbers) <= 2 * model.kind.marks:
        raise permalink.refused("empty_text")
    if len(numbers) > (most := min(own_model.MOST_TOKENS, model.longest)):
        raise permalink.refused("many_tokens", count=len(numbers), most=most)
    return text


def sentence(text: str) -> Sentence:
    """A text as the model reads it: computed once for all who ask, behind everybody's ordinary changes."""
    model = own_model.read().model
    return SENTENCES.compute((model.sha256, text), lambda: prepare(read_sentence(model, text)))


def gallery() -> Gallery:
    """The gallery's sentences and words as this model reads them."""
    model, shipped = own_model.read().model, load_gallery().record
    return GALLERIES.compute(model.sha256, lambda: read_gallery(model, shipped["sentences"], shipped["senses"]))
