"""What the server's own model writes after a reader's prompt: token by token, once for all who ask the same.

Only `advance` computes anything, one token a call. Everything else shows what is there by then. A text that was
dropped since begins again, and becomes the same: the likeliest token always comes next.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock

import numpy as np

from attention_core import PretrainedModel
from attention_core.models.chat import chat_text, has_chat_marks
from attention_core.models.gallery import names_of_heads
from attention_core.models.recorded import sixteen_bits
from attention_lab import own_model
from attention_lab import text as prose
from attention_lab.calculation import long_work, pack_arrays
from attention_lab.calculation.caches import BoundedCache
from attention_lab.state import permalink
from attention_lab.state.permalink import RefusedError, Values
from attention_lab.text.labels import labels, shown

from .recorded import Written, cache_bytes

LIVE = "live"
FIRST = "The capital of France is"  # the prompt before any was typed
MOST = 20  # tokens that are written
MOST_SIGNS = 400  # of a prompt
TOP, NUMBER = 50, 4  # likeliest tokens kept of each step; bytes of a 32-bit number
# More texts than a class has readers. Keys and values come on top, until a text is whole.
TEXTS = BoundedCache(64, 128_000_000, shared=(PretrainedModel,))
_lock = Lock()


def model() -> PretrainedModel | None:
    """The server's model, where it has one that predicts next tokens."""
    found = own_model.read().model
    return found if found and writes(found) else None


@lru_cache(4)
def writes(of: PretrainedModel) -> bool:
    """Whether the model predicts next tokens: it has a head for it, with all of its tensors."""
    return bool(of.kind.logits) and of.kind.shapes(of.settings).keys() <= set(of.weights)


@lru_cache(4)
def takes_chat(of: PretrainedModel) -> bool:
    """Whether the model knows the marks of a chat."""
    return has_chat_marks(of.tokeniser)


@lru_cache(4)
def head_names(of: PretrainedModel) -> tuple[str, ...]:
    """Every head by its layer and its number."""
    return names_of_heads(of.settings)


def check(text: str) -> str:
    """A prompt that the model can continue, as a question too; a refusal says what to do."""
    text, writer = permalink.check_line(text, MOST_SIGNS), model()
    try:
        count, as_chat = (len(writer.tokeniser.encode(each)[0]) for each in (text, chat_text("")))
    except ValueError:
        raise permalink.refused("unreadable_text") from None
    if not count:
        raise permalink.refused("empty_text")
    most = min(own_model.MOST_TOKENS, writer.longest - 1) - MOST - (as_chat if takes_chat(writer) else 0)
    if count > most:
        raise RefusedError(prose.read("generating").plain("written/long", count=str(count), most=str(most)))
    return text


@dataclass(frozen=True, eq=False)
class Progress:
    """A text as far as it is there. The newest token is known before it is read."""

    numbers: tuple[int, ...]  # of its tokens in the vocabulary
    tokens: tuple[str, ...]  # as they are shown
    rows: tuple[np.ndarray, ...] = ()  # of each token that was read, its weights in all heads, (heads, i + 1)
    probabilities: tuple[np.ndarray, ...] = ()  # of the likeliest tokens after each that was read, prompt first
    likeliest: tuple[list[str], ...] = ()  # these, as they are shown
    is_whole: bool = False


class Writing:
    """A text that is being written. Its progress is replaced as a whole, so it can be read at any time."""

    def __init__(self, writer: PretrainedModel, prompt: str) -> None:
        """Begin with the prompt, of which nothing was computed yet."""
        numbers, tokens = writer.tokeniser.encode(prompt)
        self.model, self.start, self.lock = writer, len(numbers), Lock()
        self.now = Progress(tuple(numbers), tuple(map(shown, tokens)))
        self._steps = writer.generate(prompt, MOST + 1, temperature=0)  # the last one is not written

    def step(self) -> None:
        """Read one token, at first the prompt, and write the next, unless the text is long enough or ends."""
        now, step = self.now, next(self._steps, None)
        if step and now.rows:
            rows = [np.concatenate([each[:, 0] for each in step.row])]
        else:
            rows = self._read(len(now.rows))  # the prompt, or a token that ends the text
        now = replace(now, rows=(*now.rows, *rows))
        if step:
            text = self.model.tokeniser
            top = np.argsort(-step.probabilities[: text.size], kind="stable")[:TOP]
            likeliest = list(labels([shown(text.text(int(number))) for number in top]))
            probabilities = (*now.probabilities, step.probabilities[top])
            now = replace(now, probabilities=probabilities, likeliest=(*now.likeliest, likeliest))
        if step is None or len(now.likeliest) > MOST:
            self._steps.close()  # keys and values are needed no longer
            self.now = replace(now, is_whole=True)
        else:
            tokens = (*now.tokens, shown(step.token))
            self.now = replace(now, numbers=(*now.numbers, step.number), tokens=tokens)

    def _read(self, first: int) -> list[np.ndarray]:
        """The rows of the tokens from `first` on, from a pass over all."""
        _, layers = self.model.run_tokens(self.now.numbers)
        weights = np.concatenate([trace.weights for trace in layers])
        return [weights[:, i, : i + 1].copy() for i in range(first, len(self.now.numbers))]


def prompt_of(values: Values) -> str:
    """The text that the model continues."""
    return chat_text(values["written"]) if values["chat"] == "1" else values["written"]


def begun(values: Values) -> Writing:
    """The text that follows the prompt, as far as it is there."""
    writer, prompt = model(), prompt_of(values)
    key = writer.sha256, prompt
    with _lock:
        return TEXTS.get(key) or TEXTS.put(key, Writing(writer, prompt))


def advance(values: Values) -> None:
    """Write one token more, behind everybody's ordinary changes. Those who ask for it at once share it."""
    writing = begun(values)
    before = writing.now
    with long_work.release_turn(), writing.lock:
        if writing.now is before and not before.is_whole:
            with long_work.exclusive():
                writing.step()
            TEXTS.put((writing.model.sha256, prompt_of(values)), writing)  # it has grown


def written(values: Values) -> Written:
    """The text as the page shows it, with the weights of the head that is chosen."""
    writing = begun(values)
    now, settings, names = writing.now, writing.model.settings, head_names(writing.model)
    count = max(len(now.rows), writing.start)
    head, blank = names.index(values["head"]), np.zeros(count * (count + 1) // 2)
    weights = np.concatenate([row[head] for row in now.rows]) if now.rows else blank
    top = np.stack(now.probabilities) if now.probabilities else np.zeros((1, TOP))
    kv_heads, d_k = settings["kv_heads"], settings["d_k"]
    return Written(
        now.tokens,
        writing.start,
        names,
        (settings["heads"], kv_heads),
        pack_arrays({"weights": sixteen_bits(np.stack([weights, blank])), "top": top}),
        list(now.likeliest),
        d_k,
        cache_bytes(settings["layers"], kv_heads, d_k, NUMBER),
        {},
        NUMBER,
        count,
        tuple(int(name != values["head"]) for name in names),
    )
