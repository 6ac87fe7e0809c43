"""English noun phrases with their French translations: gender, number and word order; all in lower case."""

import random
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

LONGEST = 12  #: the greatest number of English words
HELD_OUT = 8  #: one phrase of so many is never trained on
HELD_OUT_RULE = (  #: for the models' records
    f"One phrase in {HELD_OUT}, by a checksum of its words, sorted. All phrases of a held-out text are held "
    "out, no phrase of a training text is. An unseen text has an adjective at a noun that no training text has."
)

#: English singular and plural, French singular and plural, gender
NOUNS = (
    ("creature", "creatures", "créature", "créatures", "f"),
    ("forest", "forests", "forêt", "forêts", "f"),
    ("house", "houses", "maison", "maisons", "f"),
    ("table", "tables", "table", "tables", "f"),
    ("zone", "zones", "zone", "zones", "f"),
    ("cat", "cats", "chat", "chats", "m"),
    ("garden", "gardens", "jardin", "jardins", "m"),
    ("book", "books", "livre", "livres", "m"),
    ("robot", "robots", "robot", "robots", "m"),
    ("market", "markets", "marché", "marchés", "m"),
)
#: English, the four French forms (masculine and feminine singular, then plural), whether it precedes the noun
ADJECTIVES = (
    ("blue", ("bleu", "bleue", "bleus", "bleues"), False),
    ("green", ("vert", "verte", "verts", "vertes"), False),
    ("black", ("noir", "noire", "noirs", "noires"), False),
    ("fluffy", ("duveteux", "duveteuse", "duveteux", "duveteuses"), False),
    ("economic", ("économique", "économique", "économiques", "économiques"), False),
    ("european", ("européen", "européenne", "européens", "européennes"), False),
    ("round", ("rond", "ronde", "ronds", "rondes"), False),
    ("quiet", ("tranquille", "tranquille", "tranquilles", "tranquilles"), False),
    ("big", ("grand", "grande", "grands", "grandes"), True),
    ("small", ("petit", "petite", "petits", "petites"), True),
    ("beautiful", ("beau", "belle", "beaux", "belles"), True),
)
FORMS = ("ms", "fs", "mp", "fp")  #: the order of the four French forms
DETERMINERS = {
    "the": {"ms": "le", "fs": "la", "mp": "les", "fp": "les"},
    "a": {"ms": "un", "fs": "une"},
    "some": {"mp": "des", "fp": "des"},
    "my": {"ms": "mon", "fs": "ma", "mp": "mes", "fp": "mes"},
}
#: the words between two phrases, after a singular and after a plural, with their French
VERBS = (
    (("sees", "voit"), ("see", "voient")),
    (("likes", "aime"), ("like", "aiment")),
    (("leaves", "quitte"), ("leave", "quittent")),
    (("and", "et"), ("and", "et")),
)


def _french() -> dict[str, frozenset[str]]:
    french = {noun[number]: {noun[number + 2]} for noun in NOUNS for number in (0, 1)}
    french |= {english: set(forms) for english, forms, _ in ADJECTIVES}
    french |= {english: set(forms.values()) for english, forms in DETERMINERS.items()}
    french |= {english: {verb} for both in VERBS for english, verb in both}
    return {english: frozenset(words) for english, words in french.items()}


FRENCH = _french()
SOURCE_WORDS = tuple(sorted(FRENCH))  #: the English words, in the models' order
BEGIN, END = "<begin>", "<end>"
TARGET_WORDS = (BEGIN, END, *sorted(set().union(*FRENCH.values())))  #: the French ones


@dataclass(frozen=True)
class Pair:
    """A text in both languages; `gold` is the position of each French word's English source."""

    english: tuple[str, ...]
    french: tuple[str, ...]
    gold: tuple[int, ...]
    couples: frozenset[tuple[str, str]]  #: each adjective with its noun, in English
    is_plural: bool  #: whether the first phrase is
    keys: tuple[tuple[str, ...], ...]  #: the words of each phrase, sorted

    def held_out(self) -> bool:
        """Return whether all of its phrases are held out: an eighth of all, by a checksum of their words."""
        return all(zlib.crc32(" ".join(key).encode()) % HELD_OUT == 0 for key in self.keys)

    def unseen(self) -> bool:
        """Return whether it has an adjective and noun (one couple in sixteen) that no training text combines."""
        return any(zlib.crc32(f"{adjective} {noun}".encode()) % 16 == 0 for adjective, noun in self.couples)


def phrase(r: random.Random) -> Pair:
    """Draw a determiner, up to three adjectives and a noun."""
    singular, plural, french_singular, french_plural, gender = r.choice(NOUNS)
    is_plural = r.random() < 0.5
    form = gender + ("p" if is_plural else "s")
    which = FORMS.index(form)
    determiner = r.choice([each for each, forms in DETERMINERS.items() if form in forms])
    before = r.sample([each for each in ADJECTIVES if each[2]], r.choice([0, 0, 1]))
    after = r.sample([each for each in ADJECTIVES if not each[2]], r.choice([0, 1, 1, 2]))
    noun, french_noun = (plural, french_plural) if is_plural else (singular, french_singular)
    adjectives = [*before, *after]
    english = (determiner, *(each[0] for each in adjectives), noun)
    order = [0, *range(1, 1 + len(before)), len(english) - 1, *reversed(range(1 + len(before), len(english) - 1))]
    french_of = [DETERMINERS[determiner][form], *(each[1][which] for each in adjectives), french_noun]
    couples = frozenset((each[0], singular) for each in adjectives)
    french, key = tuple(french_of[place] for place in order), tuple(sorted(english))
    return Pair(english, french, tuple(order), couples, is_plural, (key,))


def pair(r: random.Random, new_phrase: Callable[[random.Random], Pair] = phrase) -> Pair:
    """Draw one phrase or, equally often, two with a verb or *and* between them; `new_phrase` draws each."""
    first = new_phrase(r)
    if r.random() < 0.5:
        return first
    verb, french_verb = r.choice(VERBS)[first.is_plural]
    second = new_phrase(r)
    by = len(first.english)
    gold = (*first.gold, by, *(place + by + 1 for place in second.gold))
    english, french = (*first.english, verb, *second.english), (*first.french, french_verb, *second.french)
    couples, keys = first.couples | second.couples, (*first.keys, *second.keys)
    return Pair(english, french, gold, couples, first.is_plural, keys)


def pairs(seed: int, held_out: bool, unseen: bool = False) -> Iterator[Pair]:
    """Generate texts without end: for training, held out, or with an unseen combination of adjective and noun.

    Training and held-out texts have no phrase in common, in any order of its words.
    """
    r = random.Random(seed)

    def new_phrase(r: random.Random) -> Pair:
        while True:
            candidate = phrase(r)
            if unseen or (candidate.held_out() is held_out and not candidate.unseen()):
                return candidate

    while True:
        candidate = pair(r, new_phrase)
        if candidate.unseen() is unseen:
            yield candidate


def distinct(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Yield each text once."""
    seen: set[tuple[str, ...]] = set()
    for each in pairs:
        if each.english not in seen:
            seen.add(each.english)
            yield each


def governing(english: tuple[str, ...]) -> tuple[int, ...]:
    """Return for each English word the position of the noun with which its French agrees, or −1."""
    nouns = {form for noun in NOUNS for form in noun[:2]}
    between = {verb for both in VERBS for verb, _ in both}
    places, noun = [], -1
    for place in reversed(range(len(english))):
        if english[place] in nouns or english[place] in between:
            noun = place if english[place] in nouns else -1
            places.append(-1)
        else:
            places.append(noun)
    return tuple(reversed(places))


def unlike(english: tuple[str, ...]) -> str:
    """Return in what an English text differs from every training text; "" if it does not.

    *determiner*: a phrase begins without one. *number*: it does not suit the noun. *adjectives*: too many, twice
    the same, or a size after another kind. *noun*: there is none. *verb*: it does not suit the noun before it.
    *more*: something follows the second phrase.
    """
    nouns = {form: place for noun in NOUNS for place, form in enumerate(noun[:2])}
    before = {each[0]: each[2] for each in ADJECTIVES}
    words, is_plural = list(english), None
    for has_verb in (True, False):
        determiner = words.pop(0) if words and words[0] in DETERMINERS else None
        if determiner is None:
            return "determiner"
        adjectives = []
        while words and words[0] in before:
            adjectives.append(words.pop(0))
        first = [before[each] for each in adjectives]
        too_many = first.count(True) > 1 or first.count(False) > 2
        if too_many or len(set(adjectives)) < len(adjectives) or first != sorted(first, reverse=True):
            return "adjectives"
        if not words or words[0] not in nouns:
            return "noun"
        is_plural = nouns[words.pop(0)]
        if not any(form[1] == "sp"[is_plural] for form in DETERMINERS[determiner]):
            return "number"
        if not words:
            return ""
        if has_verb and words.pop(0) not in {forms[is_plural][0] for forms in VERBS}:
            return "verb"
    return "more"


def align(english: tuple[str, ...], french: tuple[str, ...]) -> tuple[int, ...]:
    """Return for each French word the position of its English source, each position at most once; −1 for none."""
    free = list(range(len(english)))
    places = []
    for word in french:
        place = next((place for place in free if word in FRENCH.get(english[place], ())), -1)
        if place >= 0:
            free.remove(place)
        places.append(place)
    return tuple(places)
