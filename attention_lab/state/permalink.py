"""The address of a page: every setting as text and back, with a sentence for whatever cannot be read.

Nothing here knows Streamlit. A page lists its `Field`s; `read_address` gives values for all of them whatever
the address holds, and `write_address` gives the shortest address that leads back to the same values. Texts use
only ``A-Z a-z 0-9 . _ -``, which browsers and Python escape alike.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from attention_lab.faults import unknown
from attention_lab.text import listed, typed_text, ui_text
from attention_lab.text.languages import LANGUAGES, language
from attention_lab.text.number_format import format_digits, format_whole, localized
from attention_lab.text.typed_text import clean_line, clean_word, usual_signs

LONGEST = 4096
# Names that other programs add to links, and those by which Streamlit embeds a page: they are dropped without a
# word. A star stands for any letters.
TRACKERS = (
    "utm_*|mtm_*|matomo_*|pk_*|piwik_*|hsa_*|_hs*|__hs*|oly_*|vero_*|fb_*|ref_*|_ga|_gl|_openstat|dclid|epik|"
    "fbclid|gad_source|gbraid|gclid|gclsrc|igsh|igshid|li_fat_id|mc_cid|mc_eid|mkt_tok|ml_subscriber|msclkid|"
    "rb_clickid|ref|s_cid|sc_cid|si|spm|srsltid|trk|ttclid|twclid|wbraid|wickedid|yclid|embed|embed_options"
)
# What a sentence puts behind a link that stands in it: no value that a page writes ends with any of these.
CLOSING = ".,;:!?…)]}>\"'`*’‘”“„‚»«›‹。．｡，､、；：！？）］｝〉》」』】〕＂＇،؛؟۔"
CLOSING += " \t\r\n\u00a0\u200b\u200e\u200f\u2060\u3000\ufeff"
MOST_WORDS = 16
LONGEST_WORD = 24
FARTHEST = 1000.0
TWO_WORDS = re.compile(r"[a-z]{2,10}-[a-z]{2,10}")  # what a room is called
MOST_NAMED = 8  # of the options of a choice, in a refusal

Values = dict[str, Any]


class RefusedError(ValueError):
    """An input that cannot be used; its text says what is wrong and what would be right."""


def refused(why: str, **names: object) -> RefusedError:
    """The refusal whose sentence stands in ``refused/<why>`` of what all pages say."""
    return RefusedError(ui_text(f"refused/{why}", **names))


# Words -------------------------------------------------------------------------------------------------


def escape(word: str) -> str:
    """A word in the address's letters: anything but ``A-Z a-z 0-9`` becomes its code point, ``_e9_``."""
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in word)


def unescape(text: str) -> str:
    """The word that `escape` wrote."""
    if not text:
        raise refused("nothing_written")
    if not re.fullmatch(r"(?:[A-Za-z0-9]|_[0-9a-f]{1,6}_)+", text):
        raise refused("letters")
    try:
        return re.sub(r"_([0-9a-f]+)_", lambda found: chr(int(found[1], 16)), text)
    except (ValueError, OverflowError):
        raise refused("character") from None


def check_words(words: Sequence[str], *, distinct: bool = False, most: int = MOST_WORDS) -> tuple[str, ...]:
    """The words, if they can be shown: 1 to `most` of them, each of 1 to 24 characters, none with a space.

    What looks alike is one word: letters are composed, and marks that nobody sees at its ends are gone.
    """
    words = tuple(map(clean_word, words))
    if not words:
        raise refused("no_word", most=most)
    if len(words) > most:
        raise refused("many_words", count=len(words), most=most)
    for word in words:
        if (count := typed_text.length(word)) > LONGEST_WORD:
            raise refused("long_word", start=word[:12], count=count, most=LONGEST_WORD)
        if not typed_text.is_shown(word) or word.split() != [word]:
            raise refused("unprintable")
    if distinct and len(set(words)) < len(words):
        twice = next(word for word in words if words.count(word) > 1)
        raise refused("twice", word=twice)
    return words


# Numbers -----------------------------------------------------------------------------------------------


@lru_cache(8192)  # at each change all numbers of a matrix are written and read, and one has changed
def numeral(number: float) -> str:
    """A number at full precision, as JavaScript writes it: ``2``, ``-0.5``, ``1e-7``."""
    number = float(number) + 0.0  # no negative zero
    if 1e-4 <= abs(number) < 1e16 or number == 0:
        return repr(number).removesuffix(".0")
    if 1e-6 <= abs(number) < 1e21:
        return np.format_float_positional(number, trim="-")
    return re.sub(
        r"e([+-]?)0*(\d)", lambda found: f"e{found[1].replace('+', '')}{found[2]}", repr(number)
    ).removesuffix(".0")


def read_number(text: str, low: float, high: float) -> float:
    """A number between `low` and `high`, or a refusal that names them."""
    number = typed_text.read_number(text)
    if number is None:
        raise refused("no_number", text=text[:20])
    if not (math.isfinite(number) and low <= number <= high):
        raise refused("outside", text=localized(text[:20]), low=format_digits(low), high=format_digits(high))
    return number


THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}%?")  # or is it a decimal point?


def typed(number: float) -> str:
    """A number at full precision as an editor shows it: with the decimal mark of the language."""
    return numeral(number).replace(".", language().decimal)


def split_numbers(text: str) -> list[str]:
    """The numbers that were typed, parted by spaces, semicolons or commas, with or without brackets.

    In a language with a decimal comma only a comma before a space parts numbers.
    """
    between = r";|,(?=\s|$)|\s" if language().decimal == "," else r"[;,\s]"
    return [piece for piece in re.split(between, usual_signs(text)) if piece]


def comma_refused(text: str) -> RefusedError | None:
    """The refusal of numbers that a comma has joined, in a language where it is the decimal comma."""
    joined = language().decimal == "," and re.search(r"\d,\d", usual_signs(text))
    return refused("decimal_comma") if joined else None


def read_typed(text: str, limit: float) -> float:
    """A number as a person types it, ``.5``, ``1E-3``, ``−2``, ``24/57`` or ``67%``, from minus to plus `limit`.

    Where the language has a decimal comma, a point may stand there, too, unless it could part thousands.
    """
    no_number = refused("typed_number", text=text[:20], limit=format_digits(limit))
    text = usual_signs(text).strip()
    if language().decimal == ",":
        if THOUSANDS.fullmatch(text):
            raise refused("two_readings", text=text, small=text.replace(".", ","), large=text.replace(".", ""))
        if "," in text and "." in text:
            raise no_number
        text = text.replace(",", ".")
    number = typed_text.read_number(text)
    if number is None or not abs(number) <= limit:
        raise no_number
    return number


def write_matrix(matrix: np.ndarray) -> str:
    """The rows of a matrix: ``0_3__2_2__4_0``."""
    return "__".join("_".join(numeral(number) for number in row) for row in np.asarray(matrix).tolist())


class Range(NamedTuple):
    """Where a number lies, and whether it is whole; `why` is the sentence of its refusal, with what it names."""

    low: float = -FARTHEST
    high: float = FARTHEST
    whole: bool = False
    why: tuple[str, Mapping[str, Any]] | None = None


ANYWHERE = Range()


def numbered(count: int) -> Range:
    """Where the numbers of so many words lie, from 0 on."""
    return Range(0, count - 1, whole=True, why=("no_words_of", {"most": count - 1}))


@dataclass(frozen=True)
class Rules:
    """What a number in a link has to be, or a matrix. As data, by which a file's browser reads links, too.

    Each column of a matrix has a range; the last of `columns` holds for all that follow, too. None in a `shape`
    is any number up to `most`. A number alone has no shape. `each_once`: no number of the matrix comes twice.
    """

    columns: Sequence[Range] = (ANYWHERE,)
    shape: tuple[int | None, int | None] | None = None
    most: int = MOST_WORDS
    each_once: bool = False


def read_ruled(text: str, rules: Rules) -> Any:
    """The number or the matrix that stands there, refused unless it obeys the rules."""
    if rules.shape is not None:
        return _read_matrix(text, rules)
    low, high, whole, _ = rules.columns[0]
    if not whole:
        return read_number(text, low, high)
    number = typed_text.read_number(text)
    if number is None or number % 1 or not low <= number <= high:
        raise refused("no_whole_number", text=text[:20], low=low, high=format_whole(high))
    return int(number)


def _read_matrix(text: str, rules: Rules) -> np.ndarray:
    rows = [row.split("_") for row in text.split("__")]
    size = len(rows), len(rows[0])
    for count, wanted, why in zip(size, rules.shape, ("many_rows", "many_words"), strict=True):
        if wanted is None and count > rules.most:
            raise refused(why, count=count, most=rules.most)
    if not has_shape(size, rules.shape) or any(len(row) != size[1] for row in rows):
        height, width = (
            have if wanted is None else wanted for have, wanted in zip(size, rules.shape, strict=True)
        )
        raise refused("shape", rows=height, columns=width)
    last = len(rules.columns) - 1
    cells = [[_read_cell(cell, rules.columns[min(k, last)]) for k, cell in enumerate(row)] for row in rows]
    result = np.array(cells, dtype=float)
    if rules.each_once and len(np.unique(result)) < result.size:
        name, names = rules.columns[0].why
        raise refused(name, **names)
    return result


def _read_cell(text: str, within: Range) -> float:
    if within.why is None or (number := typed_text.read_number(text)) is None:
        return read_number(text, within.low, within.high)
    if not within.low <= number <= within.high or (within.whole and number % 1):
        name, names = within.why
        raise refused(name, **names)
    return number


# Fields ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """One setting that the address holds.

    `default`, `read` and `write` are given the values of the fields before it, on which they may depend.
    `interactive`: the figure may change it, and then the browser writes it into the address as well. `options`,
    for such a choice, gives the values in their order; the browser knows them by number. `rules`, for numbers,
    gives what they have to be. `beside`, for the choice of an example, names further examples: those on the same
    axes lend it their words. `from_example`: numbers or words that an example brings and a badge speaks of.
    `animated`: changes may be animated. `fingerprint`: what the numbers were made with; it is written wherever
    anything else is. `retrains`: a change is answered by training, which only Python does.
    """

    name: str
    meaning: str
    default: Callable[[Values], Any]
    read: Callable[[str, Values], Any]
    write: Callable[[Any], str]
    interactive: bool = False
    options: Callable[[Values], Sequence[Any]] | None = None
    shared: bool = False
    rules: Callable[[Values], Rules] | None = None
    beside: Sequence[str] = ()
    from_example: bool = False
    animated: bool = False
    fingerprint: bool = False
    retrains: bool = False


def choice(
    name: str,
    meaning: str,
    options: Sequence[str] | Callable[[Values], Sequence[str]],
    default: str | Callable[[Values], str] | None = None,
    *,
    interactive: bool = False,
    shared: bool = False,
) -> Field:
    """One of several texts: a measure, an example, a goal, a word of the sentence."""
    among = options if callable(options) else lambda _: options
    if isinstance(default, str) and not callable(options) and default not in options:
        raise unknown(default, options, f"an option of {name!r}")

    def first(values: Values) -> str:
        wanted = default(values) if callable(default) else default
        return wanted if wanted in among(values) else among(values)[0]

    def read(text: str, values: Values) -> str:
        offered, wanted = among(values), {text, clean_word(text), usual_signs(text)}
        with suppress(RefusedError):
            wanted.add(clean_word(unescape(text)))
        for option in offered:
            if option in wanted:
                return option
        shown = listed((*offered[:MOST_NAMED], *["…"][: len(offered) > MOST_NAMED]))
        raise refused("no_option", text=text[:24], options=shown)

    return Field(name, meaning, first, read, escape, interactive, among, shared)


def goal_field(names: Sequence[str]) -> Field:
    """The address's ``goal``: which of the goals of these names is set."""
    return choice("goal", "the goal that is set", list(names), interactive=True)


def flag(name: str, meaning: str, *, shared: bool = False) -> Field:
    """A switch, off unless the address says ``1``."""

    def read(text: str, _: Values) -> bool:
        if (digit := usual_signs(text)) not in {"0", "1"}:
            raise refused("no_flag", text=text[:20])
        return digit == "1"

    return Field(name, meaning, lambda _: False, read, lambda on: str(int(on)), shared=shared)


def two_words(name: str, meaning: str) -> Field:
    """The name of a room, ``blue-fox``; none unless the address says one."""

    def read(text: str, _: Values) -> str:
        if not TWO_WORDS.fullmatch(usual_signs(text)):
            raise refused("no_room", text=text[:24])
        return usual_signs(text)

    return Field(name, meaning, lambda _: "", read, str, shared=True)


def language_field(name: str, meaning: str) -> Field:
    """A language by its code; none where nothing need be said: then it is English."""

    def read(text: str, _: Values) -> str:
        if text not in LANGUAGES:
            raise refused("no_option", text=text[:24], options=listed(LANGUAGES))
        return text

    return Field(name, meaning, lambda _: "", read, str, shared=True)


def ruled(
    name: str,
    meaning: str,
    default: Callable[[Values], Any],
    rules: Callable[[Values], Rules],
    write: Callable[[Any], str] = write_matrix,
    **more: bool,
) -> Field:
    """A matrix, or with another `write` a number, that obeys rules, which may depend on the fields before it.

    It is under the hand unless `more` says otherwise.
    """
    return Field(
        name,
        meaning,
        default,
        lambda text, values: read_ruled(text, rules(values)),
        write,
        rules=rules,
        **{"interactive": True} | more,
    )


def number(
    name: str, meaning: str, low: float, high: float, default: float, *, interactive: bool = False
) -> Field:
    """A number within bounds."""
    rules = Rules((Range(low, high),))
    return ruled(
        name, meaning, lambda _: default, lambda _: rules, numeral, interactive=interactive, animated=True
    )


def whole_number(
    name: str, meaning: str, low: int, high: int, default: Callable[[Values], int], **more: bool
) -> Field:
    """A whole number within bounds, exact up to 2**53; under the hand unless it is a widget's."""
    rules = Rules((Range(low, high, whole=True),))
    return ruled(name, meaning, default, lambda _: rules, str, **more)


def fingerprint_of(sha256: str) -> str:
    """The letters of a SHA-256 by which weights are told from others."""
    return sha256[:16]


def version(fingerprint: Callable[[Values], str]) -> Field:
    """The fingerprint of the weights that the numbers were made with: it stands beside whatever else is written.

    An address with another one says in a line that numbers may differ.
    """

    def read(text: str, values: Values) -> str:
        if text != fingerprint(values):
            raise refused("other_version")
        return text

    return Field("version", "the fingerprint of the model's weights", fingerprint, read, str, fingerprint=True)


def several(name: str, meaning: str, among: Sequence[str]) -> Field:
    """Any of a few names, in their order and joined by dots; none by default."""

    def read(text: str, _: Values) -> tuple[str, ...]:
        names = text.split(".") if text else []
        if unknown_names := [name for name in names if name not in among]:
            raise refused("no_option", text=unknown_names[0][:24], options=listed(among))
        return tuple(each for each in among if each in names)

    return Field(name, meaning, lambda _: (), read, ".".join, shared=True)


def typed_line(name: str, meaning: str, most: int, *, shared: bool = False) -> Field:
    """A line of text that somebody types, of at most so many signs; empty by default. `-` stands for a space."""

    def write(text: str) -> str:
        return "-".join(map(escape, text.split(" "))) if text else ""

    def read(text: str, _: Values) -> str:
        result = " ".join(unescape(word) for word in text.split("-")) if text else ""
        return check_line(result, most)

    return Field(name, meaning, lambda _: "", read, write, shared=shared)


def check_line(text: str, most: int) -> str:
    """A line as it can be shown: printable, single spaces, at most so many signs."""
    text = clean_line(text)
    if (count := typed_text.length(text)) > most:
        raise refused("long_line", count=count, most=most)
    if text and not typed_text.is_shown(text):
        raise refused("unreadable_text")
    return text


def words(name: str, meaning: str, default: Callable[[Values], Sequence[str]], *, distinct: bool) -> Field:
    """A list of words, joined by dots."""

    def read(text: str, _: Values) -> tuple[str, ...]:
        return check_words([unescape(word) for word in text.split(".")], distinct=distinct)

    return Field(
        name,
        meaning,
        lambda values: tuple(default(values)),
        read,
        lambda them: ".".join(map(escape, them)),
        from_example=True,
    )


def matrix(
    name: str,
    meaning: str,
    default: Callable[[Values], np.ndarray],
    *,
    shape: Callable[[Values], tuple[int, int]] | None = None,
    within: Range = ANYWHERE,
    animated: bool = True,
) -> Field:
    """Rows of numbers: vectors, a weight matrix. Its shape is the default's unless `shape` says otherwise."""
    wanted = shape or (lambda values: np.shape(default(values)))
    return ruled(
        name,
        meaning,
        lambda values: np.array(default(values), dtype=float),
        lambda values: Rules((within,), wanted(values)),
        from_example=True,
        animated=animated,
    )


def own_matrix(name: str, meaning: str, rules: Callable[[Values], Rules], **more: bool) -> Field:
    """A matrix that stands in for computed numbers once a hand has changed one of them; no rows until then.

    It may also hold what a hand has done so far, a row for each time.
    """
    return ruled(name, meaning, lambda values: np.empty((0, rules(values).shape[1])), rules, **more)


def has_shape(have: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    """Whether a shape is the one wanted; None stands for any size."""
    return len(have) == len(wanted) and all(w in (None, h) for h, w in zip(have, wanted, strict=True))


def in_order(count: int) -> np.ndarray:
    """1, 2, 3 …: words in the order they are given, as one row of their numbers."""
    return np.arange(1.0, count + 1)[None]


def order(name: str, meaning: str, of: str = "words") -> Field:
    """An order of the words in the field `of`, under the hand: their numbers, each once.

    By default they stand as given.
    """

    def default(values: Values) -> np.ndarray:
        return in_order(len(values[of]))

    def rules(values: Values) -> Rules:
        count = len(values[of])
        each = Range(1, count, whole=True, why=("no_order", {"count": count}))
        return Rules((each,), (1, count), each_once=True)

    return ruled(name, meaning, default, rules)


# The whole address -------------------------------------------------------------------------------------


def same(a: Any, b: Any) -> bool:
    """Whether two values of a field are equal, arrays included."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return a == b


def _without_trackers(texts: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """The parameters of a link without those of trackers, unless a field has their name."""
    tracked = (
        name for name in texts if any(fnmatchcase(name.lower(), tracker) for tracker in TRACKERS.split("|"))
    )
    dropped = set(tracked) - set(names)
    return {name: text for name, text in texts.items() if name not in dropped}


def _read_setting(field: Field, text: str, values: Values, *, is_last: bool) -> Any:
    """The value of a field. The last of a link may have brought the end of the sentence that it stood in."""
    try:
        return field.read(text, values)
    except RefusedError:
        if not is_last or text == (bare := text.rstrip(CLOSING)):
            raise
        return field.read(bare, values)


def read_address(
    fields: Sequence[Field], texts: Mapping[str, Sequence[str]], known: Mapping[str, Any] | None = None
) -> tuple[Values, list[str]]:
    """Values for all fields, and what was left out of the address, each with its reason.

    `texts` maps each parameter to all its occurrences. What the address lacks comes from `known` values, else
    from the field's default.
    """
    values: Values = {}
    left_out: list[str] = []
    names = {field.name for field in fields}
    texts = _without_trackers(texts, names)
    last = next(reversed(texts), "")
    if sum(len(name) + sum(map(len, all_of)) + 2 for name, all_of in texts.items()) > LONGEST:
        texts, left_out = {}, [ui_text("left_out/everything", most=LONGEST)]
    for field in fields:
        written = texts.get(field.name)
        if written:
            try:
                if len(written) > 1:
                    raise refused("more_than_once")
                values[field.name] = _read_setting(field, written[0], values, is_last=field.name == last)
                continue
            except RefusedError as refusal:
                left_out.append(ui_text("left_out/setting", name=field.name, why=refusal))
        if known is not None and field.name in known and not written:
            values[field.name] = known[field.name]
        else:
            values[field.name] = field.default(values)
    left_out += [ui_text("left_out/no_such", name=name[:20]) for name in texts if name not in names]
    return values, left_out


def complete(fields: Sequence[Field], known: Mapping[str, Any]) -> Values:
    """Values for all fields: those that are `known`, and for the others their defaults."""
    return read_address(fields, {}, known)[0]


def write_address(fields: Sequence[Field], values: Mapping[str, Any]) -> dict[str, str]:
    """The parameters that lead back to `values`: defaults are left out, but no fingerprint of what is not."""
    before: Values = {}
    parameters: dict[str, str] = {}
    for field in fields:
        value = values[field.name]
        if not same(value, field.default(before)):
            parameters[field.name] = field.write(value)
        before[field.name] = value
    if parameters:
        fingerprints = {field.name: field.write(values[field.name]) for field in fields if field.fingerprint}
        parameters |= {name: text for name, text in fingerprints.items() if text}
    return parameters
