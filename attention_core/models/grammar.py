"""The grammar of the language models' texts, with annotations.

A text knows which of its words are determined by others (a `Slot`), and which earlier word answers a question
about a position (a `Link`). So the behaviour of a head can be measured.
"""

import random
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

LONGEST = 32  #: the greatest number of words of a text
HELD_OUT = 8  #: one key of so many is never trained on
HELD_OUT_RULE = (  #: for the models' records
    f"One key in {HELD_OUT}, by a checksum. A text's key is the words that decide its answers, sorted where "
    "their order does not. All parts of a held-out text have held-out keys, no part of a training text has one."
)
UNCLEAR = 0.2  # the fraction of texts without an answer to their question; otherwise elimination would suffice

TEXTURES = ("fluffy", "smooth", "spiky", "shiny", "furry")
COLOURS = ("blue", "green", "red", "black", "white")
NOUNS = ("creature", "robot", "castle", "dragon", "cat", "tower")
VERBS = ("saw", "left", "loved", "chased")
ANIMALS = ("animal", "dog", "child", "horse")
PLACES = ("street", "river", "bridge", "field")
OF_ANIMALS = ("tired", "scared", "hungry")
OF_PLACES = ("wide", "long", "busy")
THINGS = ("trophy", "box", "bag", "lamp", "cup")
BIG = ("big", "large", "huge")
SMALL = ("small", "tiny", "narrow")
NAMES = ("ana", "ben", "eva", "tim", "lea", "max", "ida", "leo", "amy", "sam", "zoe", "jon")
#: for each ambiguous word and each sense: words that suggest it, and verbs that follow
SENSES = {
    "bank": {
        "money": (("loan", "cash", "cheque"), ("lent", "paid")),
        "river": (("rain", "boat", "flood"), ("eroded", "flooded")),
    },
    "apple": {
        "fruit": (("orange", "pear", "pie"), ("tasted", "ripened")),
        "tech": (("phone", "laptop", "app"), ("rang", "updated")),
    },
    "mole": {
        "animal": (("garden", "soil", "worm"), ("dug", "slept")),
        "spy": (("agent", "secret", "code"), ("spied", "lied")),
        "chemistry": (("carbon", "gas", "acid"), ("reacted", "weighed")),
    },
}
#: the people who walk out onto each place
WALKERS = {"field": (("soccer", "player"), ("goalkeeper",)), "stage": (("musician",), ("singer",))}
#: what they do before
BEFORE = (("took", "a", "deep", "breath"), ("put", "on", "the", "new", "shoes"), ("smiled",))
LITTLE = (
    *(".", "the", "was", "and", ",", "because", "didn't", "cross", "fit", "in", "it", "too", "so", "means"),
    *("with", ":", "a", "very", "walked", "out", "onto"),
)


def _vocabulary() -> tuple[str, ...]:
    groups: list[tuple[str, ...]] = [LITTLE, TEXTURES, COLOURS, NOUNS, VERBS, ANIMALS, PLACES]
    groups += [OF_ANIMALS, OF_PLACES, THINGS, BIG, SMALL, NAMES]
    for word, senses in SENSES.items():
        groups += [(word,), *(words for both in senses.values() for words in both)]
    groups += [who for whos in WALKERS.values() for who in whos] + [tuple(WALKERS), *BEFORE]
    return tuple(dict.fromkeys(word for group in groups for word in group))


WORDS = _vocabulary()  #: every word, in the models' order
PLACE_OF = {word: place for place, word in enumerate(WORDS)}


@dataclass(frozen=True)
class Link:
    """The word at position `key` answers a question of this `kind` about the word at position `query`."""

    query: int
    key: int
    kind: str


@dataclass(frozen=True)
class Slot:
    """After the word at `place` only one of `answers` fits; the `kind` is that of the reason."""

    place: int
    kind: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Text:
    """The words of a text, with their annotations."""

    words: tuple[str, ...]
    links: tuple[Link, ...] = ()
    slots: tuple[Slot, ...] = ()
    #: for each of its parts the words that determine its answers, sorted where their order does not matter
    keys: tuple[tuple[str, ...], ...] = ()

    def held_out(self) -> bool:
        """Return whether all of its keys are held out: an eighth of all keys, by a checksum.

        No part of a training text has such a key. So no model was trained on these questions, neither at the
        start of a longer text nor in another order with the same answer.
        """
        return all(zlib.crc32(" ".join(key).encode()) % HELD_OUT == 0 for key in self.keys)


def adjectives(r: random.Random) -> Text:
    """Two nouns with their adjectives, which one or two later sentences repeat."""
    words: list[str] = []
    links: list[Link] = []
    slots: list[Slot] = []
    nouns, textures, colours = r.sample(NOUNS, 2), r.sample(TEXTURES, 2), r.sample(COLOURS, 2)
    own, first_place = {}, {}
    for noun, texture, colour in zip(nouns, textures, colours, strict=True):
        words.append("the")
        if r.random() < 0.3:
            words.append("very")
        at = len(words)
        words += [texture, colour, noun]
        links += [Link(at + 2, at, "texture"), Link(at + 2, at + 1, "colour")]
        own[noun], first_place[noun] = (texture, colour), at + 2
        if noun == nouns[0]:
            words.append(r.choice(VERBS))
    words.append(".")
    key = tuple(words)
    for noun in r.sample(nouns, r.choice([1, 2])):
        texture, colour = own[noun]
        at = len(words)
        words += ["the", noun, "was", colour, "and", texture, "."]
        slots += [Slot(at + 2, "colour", (colour,)), Slot(at + 4, "texture", (texture,))]
        links += [Link(slot.place, first_place[noun], f"{slot.kind}_again") for slot in slots[-2:]]
    return Text(tuple(words), tuple(links), tuple(slots), (key,))


def tired_or_wide(r: random.Random) -> Text:
    """The animal and the street: the adjective determines the referent of *it*.

    Sometimes neither fits, because a thing takes the place of one, and the text ends there.
    """
    animal, place = r.choice(ANIMALS), r.choice(PLACES)
    of_animal = r.random() < 0.5
    adjective = r.choice(OF_ANIMALS if of_animal else OF_PLACES)
    it, other = (animal, place) if of_animal else (place, animal)
    if r.random() < UNCLEAR:
        first, second = r.sample([r.choice(THINGS), other], 2)
        words = f"the {first} didn't cross the {second} because it was too {adjective} .".split()
        return Text(tuple(words), keys=((*sorted([first, second]), adjective),))
    first, second = r.sample([it, other], 2)
    words = f"the {first} didn't cross the {second} because it was too {adjective} , it means the {it} .".split()
    links = (Link(words.index(adjective), words.index(it), "animal_or_street"),)
    key = (*sorted([first, second]), adjective)
    return Text(tuple(words), links, (Slot(14, "animal_or_street", (it,)),), (key,))


def big_or_small(r: random.Random) -> Text:
    """The trophy and the box: the thing that did not fit was too big, or its container too small."""
    first, second = r.sample(THINGS, 2)
    is_big = r.random() < 0.5
    adjective = r.choice(BIG if is_big else SMALL)
    it = first if is_big else second
    words = f"the {first} didn't fit in the {second} because it was too {adjective} , it means the {it} .".split()
    links = (Link(words.index(adjective), words.index(it), "trophy_or_box"),)
    return Text(tuple(words), links, (Slot(15, "trophy_or_box", (it,)),), ((first, second, adjective),))


def senses(r: random.Random) -> Text:
    """An ambiguous word after a word that suggests its sense and a word that suggests a sense of another word."""
    word, other = r.sample(list(SENSES), 2)
    sense = r.choice(list(SENSES[word]))
    suggesting, does = SENSES[word][sense]
    clear = r.random() >= UNCLEAR
    hints = [r.choice(suggesting) if clear else _hint(r, other), _hint(r, other)]
    hint = hints[0]
    r.shuffle(hints)
    words = ["with", r.choice(["the", "a"]), hints[0], "and", "the", hints[1], ",", "the", word]
    keys = ((*sorted(hints), word),)
    if not clear:
        words += [r.choice(["was", "and"]), "."]
        return Text(tuple(words), keys=keys)
    words += [r.choice(does), "."]
    return Text(tuple(words), (Link(8, words.index(hint), "sense"),), (Slot(8, "sense", does),), keys)


def _hint(r: random.Random, word: str) -> str:
    return r.choice(SENSES[word][r.choice(list(SENSES[word]))][0])


def names(r: random.Random) -> Text:
    """A list of names, twice in the same order."""
    chosen = r.sample(NAMES, r.randint(3, 6))
    words = [*chosen, ":", *chosen, "."]
    repeated = range(len(chosen) + 1, 2 * len(chosen))
    links = tuple(Link(place, place - len(chosen), "induction") for place in repeated)
    slots = tuple(Slot(place, "induction", (words[place + 1],)) for place in repeated)
    return Text(tuple(words), links, slots, (tuple(chosen),))


def walking_out(r: random.Random) -> Text:
    """A person walks out onto a place, which the person determines from twelve words before."""
    onto = r.choice(list(WALKERS))
    key = ("the", *r.choice(WALKERS[onto]), *r.choice(BEFORE))
    words = (*key, "and", "walked", "out", "onto", "the", onto, ".")
    return Text(words, (), (Slot(len(words) - 3, "walking_out", (onto,)),), (key,))


def random_words(r: random.Random) -> Text:
    """Random words, three of which recur in the same order: only copying helps."""
    chosen = [r.choice(WORDS) for _ in range(r.randint(4, 14))]
    repeated = r.sample(range(len(chosen)), min(3, len(chosen)))
    words = [*chosen, *(chosen[place] for place in sorted(repeated))]
    return Text(tuple(words), keys=(tuple(chosen),))


KINDS: dict[str, Callable[[random.Random], Text]] = {
    kind.__name__: kind for kind in (adjectives, tired_or_wide, big_or_small, senses, names, walking_out)
}


def text(r: random.Random, held_out: bool, kind: str | None = None) -> Text:
    """Generate a text of one `kind` or, by default, of any.

    Of the latter an eighth are random words, and half of the others are two texts joined. All of its
    parts are held out, or none is. Raises `KeyError` for an unknown kind.
    """
    if kind is not None:
        return _on_side(r, held_out, [KINDS[kind]])
    if r.random() < 1 / 8:
        return _on_side(r, held_out, [random_words])
    # Recalling an adjective takes two layers and is learned last, so its texts are three times as frequent.
    kinds = [*KINDS.values(), adjectives, adjectives]
    first = _on_side(r, held_out, kinds)
    return join(first, _on_side(r, held_out, kinds)) if r.random() < 0.5 else first


def _on_side(r: random.Random, held_out: bool, kinds: Sequence[Callable[[random.Random], Text]]) -> Text:
    """A text of one of these kinds, held out or not."""
    while True:
        candidate = r.choice(kinds)(r)
        if candidate.held_out() is held_out:
            return candidate


def join(first: Text, second: Text) -> Text:
    """Join two texts; return the first alone if both together are too long."""
    by = len(first.words)
    if by + len(second.words) > LONGEST:
        return first
    links = (Link(link.query + by, link.key + by, link.kind) for link in second.links)
    slots = (Slot(slot.place + by, slot.kind, slot.answers) for slot in second.slots)
    keys = (*first.keys, *second.keys)
    return Text(first.words + second.words, (*first.links, *links), (*first.slots, *slots), keys)


def texts(seed: int, held_out: bool, kind: str | None = None) -> Iterator[Text]:
    """Generate texts without end, held out or for training."""
    r = random.Random(seed)
    while True:
        yield text(r, held_out, kind)


def distinct(texts: Iterable[Text]) -> Iterator[Text]:
    """Yield each text once, without the links and slots that an earlier text has after the same prefix.

    A causal model has the same output for these, so they would count twice.
    """
    seen: set[tuple] = set()

    def is_new(words: tuple[str, ...], *what: str) -> bool:
        size = len(seen)
        seen.add((words, *what))
        return len(seen) > size

    for each in texts:
        if is_new(each.words):
            links = (link for link in each.links if is_new(each.words[: link.query + 1], "link", link.kind))
            slots = (slot for slot in each.slots if is_new(each.words[: slot.place + 1], "slot", slot.kind))
            yield replace(each, links=tuple(links), slots=tuple(slots))
