"""The pages as they are found in their folders, and a visitor without a browser.

AppTest has no JavaScript: a `drag` says to Python what the stage would say on release.
"""

import importlib
import json
import math
import re
from dataclasses import is_dataclass
from functools import cache
from urllib.parse import parse_qsl

import numpy as np
import pandas as pd
import pyarrow as pa
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

from attention_lab import course, export
from attention_lab import text as prose
from attention_lab.calculation.table import OPERATIONS
from attention_lab.state import permalink
from attention_lab.state.update import Move, SetFields
from attention_lab.text import ui_text
from attention_lab.text.escape_markdown import SEAM
from attention_lab.text.languages import speaking
from attention_lab.widgets import page_layout
from lab import ROOT

config.set_option("client.showErrorDetails", "full")  # an exception says what is wrong

# Every AppTest reads the metadata of all installed packages, and every run of one compiles the page anew:
# that is six parts of seven of a visit's time, and comes to the same each time.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
app_test.ScriptCache = local_script_runner.ScriptCache = cache(app_test.ScriptCache)

EVERY = [path for section in course.files(ROOT / "pages").values() for path in section]
PAGES = [path for path in EVERY if course.in_course(path)]  # the course, with home
LESSONS = [path for path in PAGES if path.stem != "home"]
OF_A_TEXT = {"tokens", "before", "start", "shown"}  # words by their numbers, of which no tenth is one
NAMES = [course.address(path) for path in LESSONS]
PATHS = {course.address(path): path for path in PAGES}


def on_every(paths):
    """Run a test on each of these pages, then fail with every page where it failed: one test a rule.

    `-k` with names of pages finds it, and runs it on those alone.
    """
    by_name = {course.address(path): path for path in paths}

    def on_all_of_them(test):
        def run(pytestconfig):
            asked = set(re.findall(r"\w+", pytestconfig.option.keyword)) & by_name.keys()
            failed = []
            for name, path in by_name.items():
                try:
                    if name in asked or not asked:
                        test(path)
                except Exception as error:
                    error.add_note(f"on the page {name}")
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(asked or by_name)} pages", failed)

        run.__name__, run.__doc__ = test.__name__, test.__doc__
        vars(run).update(dict.fromkeys(by_name, True))  # where pytest looks for what `-k` names
        return run

    return on_all_of_them


def title_of(path):
    """A page's title in the menu."""
    text = prose.read(course.address(path))
    return text.get("menu") or text["title"]


HOSTILE = [
    "it's",
    '"quoted"',
    "back\\slash",
    "<script>alert(1)",
    "$x^2$",
    "**bold**",
    "1.5",
    "🍎",
    "تفاح",
    "{}%s#",
    "`a`",
]


def fields_of(path):
    """The fields that a page keeps in its address."""
    return lesson_of(path).LESSON.fields


def lesson_of(path):
    """What a page is about: its module of ``lessons``, or of ``teaching``."""
    return importlib.import_module(course.lesson_module(path))


def calculated(stage):
    """All numbers of a stage, from what Python told it: what the browser computes."""
    scope = {**stage["constants"], **stage["pose"]}
    for name, operation, arguments in stage["calculation"]:
        found = (at(scope, a["of"]) if "of" in a else a["is"] for a in arguments)
        scope[name] = OPERATIONS[operation].function(*map(_as_array, found))
    return scope


def at(scope, path):
    """What a path leads to, as the browser reads it."""
    name, *steps = [path] if isinstance(path, str) else path
    value = scope[name]
    for step in steps:
        place = at(scope, step) if isinstance(step, list) else step
        value = getattr(value, place) if is_dataclass(value) else value[place]
    return value


def short_of(told, scope):
    """How much is missing for a condition, as the browser is told it; 0 once it holds."""
    number, target = at(scope, told["path"]), told["target"]
    if number is None or target is None or not np.isfinite(number):
        return np.inf
    missing = {
        "at_least": target - number,
        "at_most": number - target,
        "within": abs(number - target) - told["tolerance"],
    }[told["relation"]]
    return max(0.0, missing) / (1 + abs(target))


def _as_array(value):
    """Lists of numbers as the arrays that they were."""
    nested = isinstance(value, list) and value and isinstance(value[0], (list, int, float))
    return np.array(value) if nested else value


def as_shown(markdown):
    """Text as a reader sees it, of what `escape_markdown` has written."""
    return markdown.replace(SEAM, "").replace("\\", "")


class OnPage:
    """What a page shows in a state, whichever way the state was reached: `stage` is the figure's payload."""

    @property
    def values(self):
        return self.state.values

    def nudge(self):
        """Drag the first thing by a tenth, a size by one, or one of trained words; or switch one head off."""
        pose = self.stage["pose"]
        if "moves" in pose:
            step, word, right, up = pose["moves"][0] if pose["moves"] else (pose["step"], 0, 0.0, 0.0)
            return self.drag(moves=[[step, word, right + 0.1, up]])
        others = {name: rows for name, rows in pose.items() if name not in OF_A_TEXT}
        name, rows = next(((name, rows) for name, rows in others.items() if isinstance(rows, list)), (None, None))
        if name is None:
            name = next(f.name for f in fields_of(self.path) if f.name in others and not f.options)
            return self.drag(**{name: pose[name] + 1})
        if name == "off":
            rows[0][rows[0].index(0)] = 1
        else:
            rows[0][0] += 0.1
        return self.drag(**{name: rows})

    def nudge_numbers(self):
        """Move every single number that a hand can move to another that it may be."""
        for f in fields_of(self.path):
            now = self.stage["pose"].get(f.name)
            if f.interactive and not f.options and isinstance(now, (int, float)):
                for other in (now + 0.3, now - 0.3, now + 1, now - 1, 2 * now):
                    if self.drag(**{f.name: other}).stage["pose"][f.name] != now:
                        break
        return self

    def first(self, kind):
        """The first part of a kind on the stage."""
        return next(part for part in self.parts if part["kind"] == kind)

    @property
    def goals(self):
        """The goals that the page offers, by name."""
        return {goal["name"]: goal for goal in self.first("goals")["goals"]}

    @property
    def reached(self):
        """The goals of the page whose conditions hold now, shown or not; one may end as another is met."""
        with np.errstate(all="ignore"):
            scope = calculated(self.stage)
        return sorted(
            name
            for name, goal in self.goals.items()
            if not any(short_of(told, scope) for told in goal["conditions"])
        )

    @property
    def scope(self):
        """All numbers of the stage."""
        return calculated(self.stage)

    @property
    def parts(self):
        """The parts of the stage, those beside one another inside a column included."""
        return list(parts_of(self.stage["columns"]))

    @property
    def tables(self):
        """The tables behind the pictures, unrounded."""
        return self.state.lesson.tables(self.state)

    @property
    def moved(self):
        """The fields that are not as they were before anything was moved."""
        before = self.state.defaults()
        return {f.name for f in self.state.fields if not permalink.same(before[f.name], self.values[f.name])}


class LessonView(OnPage):
    """A lesson at a link, without Streamlit: a tenth of a `Visit`'s time, and all that follows from a state."""

    def __init__(self, path, **address):
        self.path, self.name, self.lesson = path, course.address(path), lesson_of(path).LESSON
        self.state, self.notices = self.lesson.parse(address)

    def update(self, event):
        """Apply an event of ``state.update``."""
        self.state = self.lesson.update(self.state, event)
        return self

    def drag(self, **moved):
        """Apply what the browser sends when a hand lets go."""
        return self.update(Move(moved))

    def choose(self, **values):
        """Apply a widget's or an editor's values."""
        return self.update(SetFields(values))

    @property
    def view(self):
        return self.lesson.view(self.state)

    @property
    def stage(self):
        """The figure's payload, with the arrays that are sent apart."""
        view = self.view
        stage = view.data
        for name, apart in view.arrays.items():
            stage["constants"][name] = _unpacked(apart.data, apart.layout)
        return stage

    @property
    def link(self):
        return self.state.link

    @property
    def badges(self):
        """Where the numbers of the stage come from."""
        return set(self.stage["provenance"].values())

    @property
    def programs(self):
        """The programs that can be taken away: NumPy's and PyTorch's."""
        constants = self.lesson.program(self.state)
        name = getattr(constants, "name", self.name)
        return [export.program(library, name, constants) for library in export.LIBRARIES]


class Visit(OnPage):
    """One visitor's session on one page: alone, or `inside` the app's frame."""

    def __init__(self, path, *, inside=False, **address):
        self.path, self.name = path, course.address(path)
        self.at = AppTest.from_file(ROOT / "attention_lab" / "main.py" if inside else path, default_timeout=60)
        if inside:
            self.at.run()
            self.at.switch_page(str(path))
        self.arrive(**address)

    def run(self):
        self.at.run()
        wrong = [error.value for error in self.at.exception]
        wrong += [as_shown(error.value) for error in self.at.error if error.icon == page_layout.FAULT]
        assert not wrong, "\n".join(wrong)
        return self

    def arrive(self, **address):
        """Open the page by an address, in the same session."""
        self.at.query_params = address
        if "page_open" in self.at.session_state:
            del self.at.session_state["page_open"]
        return self.run()

    def go(self, path):
        """Go to another page by the menu."""
        self.path, self.name = path, course.address(path)
        self.at.switch_page(str(path))
        self.at.query_params = {}
        return self.run()

    def drag(self, **moved):
        """Say what the stage says when a hand lets go."""
        return self.send({"move": moved}).run()

    def send(self, *events):
        """Say what the stage says before Python has acknowledged any of these events; `run` has it read."""
        first = self.stage["version"] + 1
        numbered = [[first + k, event] for k, event in enumerate(events)]
        self.at.session_state[f"{self.name}.stage"] = {"events": numbered}
        return self

    def turn(self, *ways):
        """Say what the stage says when it asks to go a step back (-1) or on (1), or for another example."""
        return self.send(*({"example" if isinstance(way, str) else "turn": way} for way in ways)).run()

    def press(self, button):
        """Press a button of the page."""
        self.drawn("button", button).click()
        return self.run()

    def choose(self, **values):
        """Choose in lists of the page."""
        for name, value in values.items():
            self.drawn("selectbox", name).select(value)
        return self.run()

    def fill(self, kind, key, value):
        """Write into a field of the page, or choose in one of some other kind."""
        self.drawn(kind, key).set_value(value)
        return self.run()

    def unfold(self, *folds):
        """Open folds of the page."""
        for fold in folds:
            self.at.session_state[f"{self.name}.{fold}"] = True
        return self.run()

    def type_words(self, sentence, field="sentence"):
        """Type a sentence into the editor."""
        return self.open_editor().fill("text_input", field, sentence)

    def type_lines(self, text):
        """Type words with their numbers into the editor."""
        return self.open_editor().fill("text_area", "editor", text)

    def open_editor(self, of="words"):
        """Open *Change*, at one of its editors."""
        self.at.session_state[f"{self.name}.change_open"] = True
        self.at.session_state[f"{self.name}.change_tab"] = ui_text(of)
        return self.run()

    def drawn(self, kind, key):
        """A control of the page; where it isn't drawn, *Change* is opened, which may have it."""
        key, of_its_kind = f"{self.name}.{key}", getattr(self.at, kind)
        if key not in {each.key for each in of_its_kind}:
            of_its_kind = getattr(self.open_editor().at, kind)
        return of_its_kind(key=key)

    def open_drawer(self, tab="picture"):
        """Open the menu of what can be taken away, at one of its tabs."""
        self.at.session_state[f"{self.name}.take_away"] = True
        self.at.session_state[f"{self.name}.take_away.tab"] = ui_text(f"take_away/{tab}")
        return self.run()

    @property
    def programs(self):
        """The programs that can be taken away: NumPy's and PyTorch's."""
        return [self.open_drawer(library).at.code[0].value for library in export.LIBRARIES]

    @property
    def link(self):
        """The parameters of the link that the browser writes into the page's URL."""
        found = payloads(self.at)
        search = next(
            each["search"] if "search" in each else each["link"]
            for each in found
            if each.get("page") == self.name or "link" in each
        )
        return dict(parse_qsl(search, keep_blank_values=True))

    @property
    def session(self):
        """What the visitor's session keeps of the page."""
        return self.at.session_state["pages"][self.name]

    @property
    def state(self):
        """The page's state."""
        return self.session.state

    @property
    def stage(self):
        """What Python told the stage."""
        return self.stages[self.name]

    @property
    def stages(self):
        """What Python told each stage of the page, by its name."""
        came = arrays_sent(self.at)
        found = {data["page"]: data for data in payloads(self.at) if "page" in data}
        for data in found.values():
            for name, what in data.get("arrays", {}).items():
                data["constants"][name] = _unpacked(came[what["id"]], what["layout"])
        return found

    def place_of_figure(self, among=None):
        """The path to the figure in Streamlit's tree: an index for each block."""
        for place, inner in (among or self.at._tree).children.items():
            if getattr(inner, "children", None) and (way := self.place_of_figure(inner)):
                return (place, *way)
            if inner.type == "bidi_component" and inner.proto.id.endswith(f"-{self.name}.stage"):
                return (place,)
        return ()

    @property
    def charts(self):
        """Each chart's spec and its rows."""
        return [(json.loads(chart.proto.spec), _rows(chart.proto)) for chart in self.at.get("vega_lite_chart")]

    @property
    def text(self):
        """All that stands on the page as text, but for what it says of a bad input."""
        return "\n".join(element.value for kind in ("markdown", "caption") for element in self.at.get(kind))

    @property
    def badges(self):
        """Where the page says that its numbers come from: the badges of the stage's pictures, and all others."""
        labels = prose.read("controls").parts("badge_labels").values()
        written = [label for label in re.findall(r":gray-badge\[([\w ]+)\]", self.text) if label in labels]
        return [*self.stage["provenance"].values(), *written]


def _rows(proto):
    data = proto.data.data if proto.HasField("data") else proto.datasets[0].data.data
    return pa.ipc.open_stream(data).read_pandas() if data else pd.DataFrame()


def _unpacked(data, layout):
    """Arrays that came as bytes, as a browser reads them."""
    found = {}
    for name, shape, begin, *bits in layout:
        *records, last = name.split("/")
        among = found
        for record in records:
            among = among.setdefault(record, {})
        kind = "<u2" if bits else "<f4"
        numbers = np.frombuffer(data, kind, math.prod(shape), 4 * begin)
        among[last] = numbers.astype(float).reshape(shape)
    return found


def _as_a_browser(text):
    """What stands in a text of JSON, read as strictly as a browser does."""

    def refuse(number):
        raise AssertionError(f"a browser cannot read {number}")

    return json.loads(text, parse_constant=refuse)


def parts_of(columns):
    for part in (part for column in columns for part in column["parts"]):
        yield part
        if part["kind"] == "beside":
            yield from parts_of(part["columns"])
        if part["kind"] == "by_choice":
            yield from parts_of([{"parts": parts} for parts in part["choices"]])


def payloads(at):
    """What was sent to the page's components as JSON."""
    sent = [part.proto for part in at.get("bidi_component")]
    texts = [json.loads(each.json) for each in sent if each.json]
    figures = [received(each.bytes)[0] for each in sent if each.bytes]
    return [_as_a_browser(text) for text in texts if text] + figures


def received(message):
    """The figure's payload and its arrays by their ids, as the browser reads a message with its frame."""
    change, frame, numbers = (*message.split(b"\n", 2), b"{}", b"")[:3]
    payload, arrays = _as_a_browser(change) | _as_a_browser(frame), {}
    for each in payload.get("arrays", {}).values():
        arrays[each["id"]], numbers = numbers[: each["size"]], numbers[each["size"] :]
    return payload, arrays


def arrays_sent(at):
    """The arrays that followed a frame that was sent to the page, by their ids."""
    messages = [part.proto.bytes for part in at.get("bidi_component") if part.proto.bytes]
    return {name: data for message in messages for name, data in received(message)[1].items()}


def words_of(code, page):
    """The words of a page, or of a file such as ``controls``, in a language."""
    with speaking(code):
        return prose.read(page)
