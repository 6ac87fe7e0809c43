"""A file of attention weights as a page keeps it: packed, and for as long as the session lasts."""

import re
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from weakref import WeakSet

import numpy as np

from attention_core import load_gallery
from attention_lab import text as prose
from attention_lab.calculation import NO_CALCULATION, Results
from attention_lab.calculation.binary_arrays import BinaryArrays
from attention_lab.calculation.read_cache import ReadCache
from attention_lab.own_attention import show
from attention_lab.own_attention.array_file import FileError
from attention_lab.own_attention.packed_view import ID_LETTERS, PackedView
from attention_lab.own_attention.page import view_constants
from attention_lab.own_attention.view import View
from attention_lab.own_attention.weight_file import read_weights
from attention_lab.state.permalink import RefusedError
from attention_lab.text import Text

ARRAY = "packed"
MOST_SHARP = 1_500_000  # weights that are sent in 16 bits: of more, 8 take long enough on a slow line
MOST_PACKED = 48_000_000  # bytes of what a page sends at once: less than `maxMessageSize`, in each language
MOST_HELD = 400_000_000  # bytes of all that the sessions of this process show
UNPACKED = 5  # times as many bytes may come out of a packed file as a file may have
LONGEST_NAME = 60
EXAMPLE, ASKS, ANSWERS = "it_tired", "it", "animal"  # the sentence of the example, and what its first head links
NOT_HERE = NO_CALCULATION.run({})


@dataclass(frozen=True, eq=False)
class OpenedFile:
    """A file by letters that stand for its content; what it shows, unless only a link speaks of it."""

    id: str
    name: str = ""
    view: PackedView | None = field(default=None, repr=False)
    first_pose: dict[str, int] = field(default_factory=dict)
    #: its figure in each language: nothing of it is kept where other readers' figures are
    frames: ReadCache = field(default_factory=lambda: ReadCache(8, 32_000_000, lambda _: 0), repr=False)
    _results: dict[str, Results] = field(default_factory=dict, repr=False)

    @cached_property
    def packed(self) -> BinaryArrays:
        """The packed numbers of all patterns, one after another."""
        data = b"".join(data for each in self.view.patterns for data in each.data.values())
        return BinaryArrays({}, self.view.id, data, [])

    def results(self, text: Text, language: str) -> Results:
        """Return what the parts of the figure read."""
        if self.view is None:
            return NOT_HERE
        if language not in self._results:
            constants = view_constants(self.view, text)
            constants["views"] = self._placed(constants["views"])
            self._results[language] = NO_CALCULATION.run({}, constants | {ARRAY: {}})
        return self._results[language]

    def _placed(self, views: list[dict]) -> list[dict]:
        """The payloads of views, which also say where their numbers begin and how many bytes they are."""
        found, begin = [], 0
        for view, each in zip(views, self.view.patterns, strict=True):
            places = {}
            for name, data in each.data.items():
                places[name] = [begin, len(data)]
                begin += len(data)
            found.append(view | {"id": f"{self.view.id}.{view['id']}", "file": self.view.id, "places": places})
        return found


_held: WeakSet[OpenedFile] = WeakSet()
_held_lock = Lock()


def _hold(file: OpenedFile) -> None:
    """Note what a session shows, as long as it does; refuse what there is no room for."""
    with _held_lock:
        if sum(each.view.nbytes for each in _held) + file.view.nbytes > MOST_HELD:
            raise RefusedError(prose.read("own_attention").plain("refused/no_room"))
        _held.add(file)


def named_by(letters: str) -> OpenedFile:
    """Return the file that a link speaks of, which is not there yet."""
    if not re.fullmatch(rf"[0-9a-f]{{{ID_LETTERS}}}", letters):
        raise RefusedError(prose.read("own_attention").plain("refused/no_file"))
    return OpenedFile(letters)


@cache
def example() -> OpenedFile:
    """Return what the page shows before a file is opened: a model's heads that read one sentence."""
    run = load_gallery().runs[EXAMPLE]
    view = show(run.weights, run.tokens).packed()
    tokens = view.patterns[0].known["queries"]
    query, key = tokens.index(ASKS), tokens.index(ANSWERS)
    head = int(np.argmax(np.asarray(run.weights)[..., query, key]))
    return OpenedFile("", view=view, first_pose=view.first_pose() | {"head": head, "query": query})


def _packed(view: View, name: str) -> PackedView:
    """A view under its title or its file's name; in 16 bits where these are few, or wanted and not too many."""
    view.title = view.title or name
    weights = sum(each.size for of_kind in view.attention.values() for each in of_kind.weights)
    if view.bits == 16 or weights <= MOST_SHARP:
        view.bits = 16
        if (packed := view.packed()).nbytes <= MOST_PACKED:
            return packed
        view.bits = 8
    return view.packed()


def open_file(name: str, data: bytes, most: int) -> OpenedFile:
    """Return what the bytes of a file show, where files have at most so many bytes.

    What cannot be shown is refused in a sentence.
    """
    text = prose.read("own_attention")
    try:
        view = _packed(View(*read_weights(data, most=UNPACKED * most)), Path(name).stem)
    except FileError as error:
        raise RefusedError(text.plain(f"refused/{error.kind}")) from None
    except ValueError as error:
        why = f"\u2068{error}\u2069"  # it is English, in a text from right to left, too
        raise RefusedError(text.plain("refused/weights", why=why)) from None
    if view.nbytes > MOST_PACKED:
        raise RefusedError(text.plain("refused/too_much"))
    file = OpenedFile(view.id, name[-LONGEST_NAME:], view, view.first_pose())
    _hold(file)
    return file
