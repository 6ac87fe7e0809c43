"""The languages of the course, and which of them is spoken now: each session, request and export has its own.

A session's script, its callbacks and its fragments run in threads of their own; what a thread speaks lies in a
context variable, never in the process. Where nothing is said yet, the session that the thread belongs to is
asked.
"""

import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any

from attention_lab import faults

ENGLISH = "en"


@dataclass(frozen=True)
class Language:
    """A language: what it calls itself, how it is written, its plural forms and its numbers.

    `plural` gives the Unicode (CLDR) category of a whole number, one of `forms`.
    """

    code: str
    name: str
    forms: tuple[str, ...]
    plural: Callable[[int], str]
    direction: str = "ltr"
    decimal: str = "."
    group: str = ","
    least_grouped: int = 4  # digits that a whole number has before they are grouped
    comma: str = ", "  # between the words of a list
    large: tuple[int, ...] = (3, 6, 9, 12)  # the powers of ten that `number_format.LARGE` names
    separator: str = ","  # between the columns of a CSV file, as Excel has it where the language is spoken


def _one_or_other(count: int) -> str:
    return "one" if count == 1 else "other"


def _arabic(count: int) -> str:
    if count in (0, 1, 2):
        return ("zero", "one", "two")[count]
    rest = count % 100
    return "few" if 3 <= rest <= 10 else "many" if 11 <= rest <= 99 else "other"


LANGUAGES: dict[str, Language] = {
    language.code: language
    for language in (
        Language("en", "English", ("one", "other"), _one_or_other),
        # CLDR's `many` (1 000 000 de …) is for round millions: the course counts no such things.
        Language("es", "Español", ("one", "other"), _one_or_other, "ltr", ",", "\u00a0", 5, separator=";"),
        Language("de", "Deutsch", ("one", "other"), _one_or_other, "ltr", ",", ".", separator=";"),
        # In steps of ten thousand: 万, 亿, 万亿, 亿亿.
        Language("zh", "中文", ("other",), lambda _: "other", comma="、", large=(4, 8, 12, 16)),
        # Western digits and a decimal point, as Arabic texts on machine learning mostly have. Excel follows the
        # system: where that is Arabic, Windows parts columns by a semicolon, and mostly has the point.
        Language(
            *("ar", "العربية", ("zero", "one", "two", "few", "many", "other"), _arabic, "rtl"),
            comma="، ",
            separator=";",
        ),
    )
}
FORMS = LANGUAGES["ar"].forms  # all that there are

_spoken: ContextVar[str] = ContextVar("spoken")
_of_session: list[Callable[[], str | None]] = []  # what says the language of a thread's session


def ask_sessions(of_session: Callable[[], str | None]) -> None:
    """Let a thread that has not been told its language ask for that of its session; None where it has none."""
    _of_session[:] = [of_session]


def spoken() -> str:
    """Return the code of the language that is spoken in this thread."""
    code = _spoken.get("")
    if not code:
        code = next(filter(None, (ask() for ask in _of_session)), "")
        if code:
            _spoken.set(code)
    return code or ENGLISH


def language() -> Language:
    """Return the language that is spoken in this thread."""
    return LANGUAGES[spoken()]


def check(code: str) -> str:
    """Return a language's code; raise where the course has no such language."""
    if code not in LANGUAGES:
        raise faults.unknown(code, LANGUAGES, "a language of the course")
    return code


def speak(code: str) -> None:
    """Speak a language from now on, in this thread."""
    _spoken.set(check(code))


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Speak a language for a while."""
    token = _spoken.set(check(code))
    try:
        yield
    finally:
        _spoken.reset(token)


def by_language(most: int | None = 64) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Keep results of a function of hashable arguments, for each language its own: they hold words or numbers."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @lru_cache(most)
        def of(code: str, *arguments: Any, **more: Any) -> Any:
            return function(*arguments, **more)

        @wraps(function)
        def cached(*arguments: Any, **more: Any) -> Any:
            return of(spoken(), *arguments, **more)

        cached.cache_clear = of.cache_clear
        return cached

    return decorate


def collation(term: str) -> bytes:
    """Return by what a term is sorted: without accents, *ñ* after *n*, without the Arabic article.

    GB 18030 has the common Chinese characters in the order of their sounds.
    """
    plain = unicodedata.normalize("NFD", term.casefold().removeprefix("ال").replace("ñ", "n\uffff"))
    return "".join(c for c in plain if not unicodedata.combining(c)).encode("gb18030")


def guess(wishes: str | None) -> str:
    """Return the course's language that a browser asks for first, as in Accept-Language: ``de-AT,de;q=0.9``.

    Only its first wish counts. English, or a language that the course has not, gives "": nothing need be said.
    """
    first, best = "", 0.0
    for wish in (wishes or "")[:200].split(","):
        tag, *options = wish.strip().split(";")
        try:
            weight = next((float(each.strip()[2:]) for each in options if each.strip().startswith("q=")), 1.0)
        except ValueError:
            continue
        if tag and weight > best:
            first, best = tag, weight
    code = first.replace("_", "-").split("-")[0].lower()
    return code if code in LANGUAGES and code != ENGLISH else ""
