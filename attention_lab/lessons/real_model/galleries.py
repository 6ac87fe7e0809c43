"""What the page shows of a model: its gallery, and what is measured on it, once for all readers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

import numpy as np

from attention_core import Gallery, GalleryRun, Senses, load_gallery, rank_correlation, softmax
from attention_core.models.gallery import place_of
from attention_lab.language_models import widest
from attention_lab.state import permalink

from . import live
from .sentence import Sentence, prepare, received

SHIPPED = "gallery"
KINDS = ("previous", "next", "first", "last", "itself")
#: sentences with *it*: which noun each last word makes right, and the other one
IT = {
    "it_tired": ("animal", "street"),
    "it_wide": ("street", "animal"),
    "it_big": ("trophy", "box"),
    "it_small": ("box", "trophy"),
}
PAIRS = [[0, 1], [2, 3]]  # of IT, by place: the last word decides between two nouns


@cache
def fault() -> str:
    """Why there is no gallery; empty where there is one."""
    try:
        load_gallery()
    except ValueError as why:
        return str(why)
    return ""


def measured_gallery(model: str) -> "MeasuredGallery":
    """Return the gallery of a model with its measurements."""
    return _measured_gallery(live.gallery() if model == live.LIVE else load_gallery())


@dataclass(frozen=True, eq=False)
class MeasuredGallery:
    """A gallery with everything that does not depend on the page's settings."""

    gallery: Gallery

    @property
    def layers(self) -> int:
        """How many layers the model has."""
        return self.gallery.record["layers"]

    @property
    def head_names(self) -> tuple[str, ...]:
        """Every head by its layer and its number in it."""
        return self.gallery.head_names

    @cached_property
    def does(self) -> np.ndarray:
        """What each head does, measured over all sentences: its mean share on each of `KINDS`, (heads, kinds)."""
        result = [np.concatenate(each, axis=1).mean(axis=1) for each in zip(*map(_looks, self.runs), strict=True)]
        return np.stack(result, axis=1)

    @property
    def runs(self) -> list[GalleryRun]:
        """All sentences."""
        return list(self.gallery.runs.values())

    def sentence(self, name: str) -> Sentence:
        """A sentence of the gallery, ready for the page."""
        if name not in self._sentences:
            self._sentences[name] = prepare(self.gallery.runs[name])
        return self._sentences[name]

    @property
    def has_special_tokens(self) -> bool:
        """Whether a text has them at its ends, as in BERT; GPT-2 has none, and its tokens see no later one."""
        return bool(self.runs[0].marks)

    @cached_property
    def _sentences(self) -> dict[str, Sentence]:
        return {}

    @cached_property
    def value_ratios(self) -> np.ndarray:
        """Return the length of the first token's value ÷ a word's, by head, the mean over all sentences."""
        ratios = []
        for run in self.runs:
            lengths = run.value_lengths.reshape(len(self.head_names), -1).astype(float)
            words = lengths[:, max(run.marks, 1) : len(run.tokens) - run.marks]
            ratios.append(lengths[:, 0] / words.mean(axis=1))
        return np.mean(ratios, axis=0)

    @property
    def sinks(self) -> np.ndarray:
        """Return which heads give more than half of their attention to the first token."""
        return self.does[:, KINDS.index("first")] > 0.5

    # Where the weight of *it* goes

    @cached_property
    def knows_it(self) -> bool:
        """Whether *it* and the nouns are tokens of this model, not in pieces, and *it* sees the last word."""
        runs = self.gallery.runs
        if not self.has_special_tokens:
            return False
        words = [(name, word) for name, nouns in IT.items() for word in ("it", *nouns)]
        return all(name in runs and place_of(runs[name].tokens, word) for name, word in words)

    @cached_property
    def it(self) -> np.ndarray:
        """The weights from *it* to the right noun and to the other, (sentences, heads, 2)."""
        if not self.knows_it:
            return np.zeros((len(IT), len(self.head_names), 2))
        result = []
        for name, nouns in IT.items():
            run = self.gallery.runs[name]
            scores = run.scaled_scores[:, :, place_of(run.tokens, "it")]
            weights = softmax(scores.astype(float)).reshape(len(self.head_names), -1)  # float32 makes ties
            result.append(weights[:, [place_of(run.tokens, noun) for noun in nouns]])
        return np.stack(result)

    @cached_property
    def moves(self) -> np.ndarray:
        """How far the weight of *it* moves the right way between a pair's two last words, (pairs, heads)."""
        leads = self.it[..., 0] - self.it[..., 1]
        return leads[PAIRS].sum(axis=1)

    @cached_property
    def right_leads(self) -> np.ndarray:
        """Whether each head has the right noun ahead in each sentence, (sentences, heads)."""
        return self.it[..., 0] > self.it[..., 1]

    @cached_property
    def same_leads(self) -> np.ndarray:
        """Whether each head has the same noun ahead in both sentences of every pair, (heads,)."""
        return (self.right_leads[PAIRS].sum(axis=1) == 1).all(axis=0)  # the right noun changes within a pair

    # Weight against deletion

    @cached_property
    def agreement(self) -> tuple[float, float, float]:
        """Rank correlation of weight received and deletion: the mean over the sentences, the least, the most."""
        result = [agreement(run, received(run)) for run in self.runs]
        return float(np.nanmean(result)), float(np.nanmin(result)), float(np.nanmax(result))

    @cached_property
    def agreement_of_heads(self) -> np.ndarray:
        """The same for each head alone, the mean over the sentences."""
        each = [[agreement(run, of_head) for of_head in run.weights_by_head.mean(axis=1)] for run in self.runs]
        return np.nanmean(each, axis=0)

    # Words in their senses

    @cached_property
    def senses(self) -> dict[str, Senses]:
        """The words in their senses, at full precision."""
        return {
            word: replace(each, vectors=each.vectors.astype(float)) for word, each in self.gallery.senses.items()
        }

    @cached_property
    def cosines(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each word and layer the mean cosine in one sense, and between senses, each (words, layers + 1)."""
        if not self.senses:
            return (np.full((1, self.layers + 1), np.nan),) * 2
        same, unlike = zip(*(each.cosines() for each in self.senses.values()), strict=True)
        return np.array(same), np.array(unlike)

    @cached_property
    def baseline(self) -> np.ndarray:
        """Return the mean cosine of two different words of two sentences, at the start and after each layer."""
        words = [
            (word, place, run.states[:, k].astype(float))
            for place, run in enumerate(self.runs)
            for k, word in enumerate(run.tokens)
            if run.marks <= k < len(run.tokens) - run.marks
        ]
        units = np.stack([states / np.linalg.norm(states, axis=-1, keepdims=True) for _, _, states in words])
        cosines = np.einsum("ald,bld->lab", units, units)
        unrelated = [[a != b and one != other for b, other, _ in words] for a, one, _ in words]
        return cosines[:, np.array(unrelated)].mean(axis=-1)

    @cached_property
    def partings(self) -> dict[str, "Parting"]:
        """Each word on the plane along which it spreads most at the end."""
        return {word: parting(each.vectors) for word, each in self.senses.items()}

    @cached_property
    def sense_places(self) -> np.ndarray:
        """Where each word is drawn, (words, layers + 1, texts, 2); of one with fewer texts the rest are zeros."""
        most = max((len(each.texts) for each in self.senses.values()), default=1)
        result = np.zeros((max(1, len(self.senses)), self.layers + 1, most, 2))
        for places, each in zip(result, self.partings.values(), strict=False):
            places[:, : each.places.shape[1]] = each.places
        return result


_measured_gallery = lru_cache(2)(MeasuredGallery)  # the shipped one, and the server's own


def _looks(run: GalleryRun) -> Sequence[np.ndarray]:
    """Of each kind the shares of every head at every token that can look so, (heads, tokens)."""
    weights, n = run.weights_by_head, len(run.tokens)
    i = np.arange(n)
    looks = {
        "previous": weights[:, i[1:], i[:-1]],
        "next": weights[:, i[:-1], i[1:]],
        "first": weights[:, :, 0],
        "last": weights[:, :, -1],
        "itself": weights[:, i, i],
    }
    return [looks[kind] for kind in KINDS]


def agreement(run: GalleryRun, weights: np.ndarray) -> float:
    """Whether those with more weight change more when they are left out; the marks at the ends stay."""
    return rank_correlation(between_marks(run, weights), run.deletion)


def between_marks(run: GalleryRun, of_tokens: np.ndarray) -> np.ndarray:
    """What belongs to the tokens, without the marks at the ends."""
    return of_tokens[run.marks : len(run.tokens) - run.marks]


@dataclass(frozen=True, eq=False)
class Parting:
    """Where a word in its texts is drawn, layer by layer."""

    places: np.ndarray  # (layers + 1, texts, 2)
    spread: float  # the part of all spread after the last layer that the plane shows
    reach: float


def parting(vectors: np.ndarray) -> Parting:
    """The plane along which vectors (texts, layers + 1, d) spread most after the last layer."""
    two, spread = widest(vectors[:, -1])
    places = ((vectors - vectors.mean(axis=0)) @ two).swapaxes(0, 1)
    return Parting(places, spread, float(np.ceil(10.5 * np.abs(places).max()) / 10))


def groups_of(senses: Sequence[str]) -> list[int]:
    """Of each text the place of its sense."""
    names = list(dict.fromkeys(senses))
    return [names.index(sense) for sense in senses]


# One sentence -------------------------------------------------------------------------------------------


def sentences(model: str) -> tuple[str, ...]:
    """The names of the sentences that can be chosen."""
    return () if fault() else tuple(measured_gallery(model).gallery.runs)


def sentence_of(values: Mapping[str, object]) -> Sentence:
    """The sentence chosen, as the model read it."""
    if values["text"] == live.OWN:
        return live.sentence(values["written"])
    return measured_gallery(values["model"]).sentence(values["text"])


def fingerprint(model: str) -> str:
    """What stands for a model's weights; empty where there are none."""
    if fault():
        return ""
    return permalink.fingerprint_of(live.sha256() if model == live.LIVE else load_gallery().record["sha256"])


def first_text() -> str:
    """The gallery's first sentence."""
    return next(iter(load_gallery().runs.values())).text
