"""The layers of the code, read from its imports."""

import ast
import re
import sys
from itertools import chain
from pathlib import Path

from attention_lab.course import lesson_module

ROOT = Path(__file__).parent.parent

# What each package may import besides the standard library and itself; all that it imports stands before it.
ALLOWED = {
    "attention_core": "numpy tokenizers",
    "process": "",
    "faults": "",
    "root": "",
    "fonts": "root",
    "theme": "fonts",
    "streamlit_internals": "streamlit google",
    "text": "faults",
    "model_packages": "root",
    "model_command": "root model_packages",
    "own_model": "attention_core model_packages text",
    "calculation": "process numpy attention_core faults text",
    "charts": "altair numpy pandas attention_core theme text",
    "course": "text",
    "state": "numpy attention_core faults text calculation",
    "figure": "numpy attention_core faults theme text calculation state",
    "html_file": "root fonts faults theme text calculation figure",
    "own_attention": "numpy pandas attention_core text calculation figure html_file",
    "language_models": "numpy attention_core text calculation state",
    "lesson": "pandas attention_core faults calculation state figure text",
    "lessons": "root numpy pandas attention_core faults theme text own_model language_models calculation charts"
    " course state figure own_attention lesson",
    "export": "root fonts faults numpy pandas text calculation course state figure html_file lesson lessons",
    "worksheets": "numpy attention_core text course",
    "quiz": "numpy text lesson lessons state",
    "teaching": "root course text export lesson state worksheets quiz",
    "widgets": "root process streamlit streamlit_internals numpy pandas attention_core faults theme text"
    " calculation course state figure html_file own_attention lesson lessons export worksheets quiz",
    "pages": "streamlit charts widgets lessons teaching",
    "classroom": "root process streamlit numpy text course state figure widgets lessons teaching",
    "main": "root streamlit course widgets classroom",
    "server": "root fonts process streamlit uvicorn starlette websockets faults streamlit_internals own_model"
    " calculation course text figure own_attention export widgets classroom",
    "export_command": "root faults text export",
    "show_command": "root text own_attention",
    "app": "root streamlit streamlit_internals own_model classroom server",
    "tools.scaffold": "",
    "lab": "tools.scaffold root server model_packages",
    "command": "root lab",
}
PACKAGES = {package: set(names.split()) for package, names in ALLOWED.items()}
SIDEWAYS = {"pages"}  # not even themselves: a page imports no other page
LONGEST_PAGE = 60  # lines
MOST_ENTRIES = 14  # visible at the top


def folder(package):
    """The path of a package or module, without its ending."""
    place = Path(*package.split("."))
    return (
        place if any((ROOT / place.with_suffix(end)).exists() for end in ("", ".py")) else "attention_lab" / place
    )


def python_files(package):
    path = ROOT / folder(package)
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    return [file for file in files if "programs" not in file.parts]


def nodes(path):
    """Every node of a file's syntax tree."""
    return [*ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path)))]


def all_nodes():
    """The files of the app, each with its nodes."""
    return ((path, nodes(path)) for path in chain.from_iterable(map(python_files, PACKAGES)))


def package_of(module):
    """The name, in the table above, of the package that a dotted module belongs to."""
    top, _, rest = module.partition(".")
    if top == "attention_lab":
        return rest.split(".")[0]
    return f"tools.{rest.split('.')[0]}" if top == "tools" else top


def imports(path):
    """The packages that a file imports, by a statement or by a name as a text, with their lines."""
    own = path.relative_to(ROOT).with_suffix("").parts
    for node in nodes(path):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = [*own[: len(own) - node.level]] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            modules = [f"{base}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            modules = named(node.args[0], own)
        else:
            continue
        yield from ((package_of(module), node.lineno) for module in modules)


def named(argument, own):
    """The modules, or how their names begin, that a file with its `own` name imports by a name as a text."""
    first = argument.values[0] if isinstance(argument, ast.JoinedStr) else argument
    if isinstance(first, ast.Constant):
        return [first.value]
    text = ast.unparse(first.value if isinstance(first, ast.FormattedValue) else first)
    if text == "__name__":
        return [".".join(own)]
    return OF_PAGES if text.startswith("course.lesson_module(") else [text]  # which no package may import


def test_imports_follow_the_layers():
    wrong = []
    for package, allowed in PACKAGES.items():
        own = set() if package in SIDEWAYS else {package}
        for path in python_files(package):
            for name, line in imports(path):
                if name not in allowed | own and name not in sys.stdlib_module_names:
                    wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert wrong == []


def folders_named(path):
    """The names that a file joins to paths."""
    joined = (node.right for node in nodes(path) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
    return {name.value for name in joined if isinstance(name, ast.Constant)}


def test_a_package_reads_files_only_of_packages_before_it():
    found = {
        (package, other)
        for package, allowed in PACKAGES.items()
        for path in python_files(package)
        for other in folders_named(path) & set(PACKAGES) - allowed - {package, "pages"}  # these are listed
    }
    # A lesson's own parts are found in its folder; a new page's files are put there.
    assert found == {("figure", "lessons"), ("tools.scaffold", "lessons")}


def is_unbounded_cache(node):
    """Whether a node caches results of a function with arguments, as many as there are."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        arguments = [each for each in ast.walk(node.args) if isinstance(each, ast.arg) and each.arg != "self"]
        return bool(arguments and {"cache", "functools.cache"} & {*map(ast.unparse, node.decorator_list)})
    name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    if name.endswith("lru_cache"):
        sizes = [*node.args, *(each.value for each in node.keywords if each.arg == "maxsize")]
        return not sizes or ast.unparse(sizes[0]) == "None"
    return name == "functools.cache"


def test_caches_that_depend_on_arguments_have_a_bound():
    """`@cache` is for functions without arguments; `lru_cache` says how many values it keeps."""
    found = [(path, node.lineno) for path, all_ in all_nodes() for node in all_ if is_unbounded_cache(node)]
    assert found == []


def test_no_function_rebinds_a_global_and_no_module_sets_a_name_of_another():
    """What holds for the whole process belongs to an object: `PROCESS`, a cache, a reloader."""
    wrong = []
    for path, all_ in all_nodes():
        modules = {
            alias.asname or alias.name
            for node in all_
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
            if is_module(path, node, alias.name)
        }
        for node in all_:
            targets = getattr(node, "targets", [getattr(node, "target", None)])
            holders = {getattr(target.value, "id", "") for target in targets if isinstance(target, ast.Attribute)}
            if isinstance(node, ast.Global) or modules.intersection(holders):
                wrong.append(f"{path}:{node.lineno}")
    assert wrong == []


def is_module(path, node, name):
    """Whether what an import brings is a module of this repository."""
    if isinstance(node, ast.Import):
        return (ROOT / name.replace(".", "/")).exists() or (ROOT / f"{name.replace('.', '/')}.py").exists()
    folder = path.parents[node.level - 1] if node.level else ROOT
    here = folder.joinpath(*(node.module or "").split("."), name)
    return here.is_dir() or here.with_suffix(".py").exists()


def test_a_package_imports_only_packages_before_it():
    before = set()
    for package, allowed in PACKAGES.items():
        assert allowed & set(PACKAGES) <= before, package
        before.add(package)


def test_every_module_of_the_app_has_a_layer():
    """A new package must say above what it may import."""
    apart = {"tests", "tools", "deploy", "docs"}  # not part of the running app
    code = [
        path for place in (ROOT, ROOT / "attention_lab") for path in place.iterdir() if path.name[0] not in "._"
    ]
    code = [path for path in code if not (path / "pyvenv.cfg").exists()]
    found = {path.stem for path in code if path.suffix == ".py"}
    found |= {path.name for path in code if path.is_dir() and any(path.rglob("*.py"))}
    assert found - apart - {"attention_lab"} <= set(PACKAGES)


def test_the_top_has_few_entries():
    visible = {path.name for path in ROOT.iterdir() if path.name[0] != "." and not (path / "pyvenv.cfg").exists()}
    visible -= {"__pycache__", "out", "build", "attention_lab.egg-info"}
    assert {"app.py", "pages", "attention_core", "tests", "requirements.txt", "README.md"} <= visible
    assert len(visible) <= MOST_ENTRIES, sorted(visible)


def test_the_app_runs_on_four_packages():
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    names = [re.match(r"[\w.-]+", line)[0].lower() for line in lines if line.strip() and line[0] != "#"]
    assert sorted(names) == ["altair", "numpy", "pandas", "streamlit"]


def test_no_folder_or_file_is_called_utils():
    code = [path.relative_to(ROOT) for package in PACKAGES for path in python_files(package)]
    assert not [path for path in code if {"utils", "helpers", "misc"} & {*path.parts, path.stem}]


def test_the_app_asks_no_other_host():
    """No address of another host in the code; the names of XML languages (SVG, MathML, SCORM) look like one."""
    address = re.compile(r"https?://(?!www\.(?:w3|imsproject|adlnet)\.org/)\S*")
    found = []
    apart = {"vendor", "text", "server", "programs"}
    for top in (ROOT / "attention_lab", ROOT / "pages"):
        files = [path for kind in ("py", "js", "css", "html") for path in top.rglob(f"*.{kind}")]
        for path in [path for path in files if not apart & {*path.relative_to(ROOT).parts}]:
            text = path.read_text(encoding="utf-8")
            found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in address.finditer(text)]
    assert not found, "\n".join(found)


OF_PAGES = ("attention_lab.lessons", "attention_lab.teaching")
SCRIPTS = [path for path in sorted((ROOT / "pages").glob("*/*.py")) if path.name != "__init__.py"]


def faults_of_page(path):
    """What a page has besides what stands on the screen."""
    if len(path.read_text(encoding="utf-8").splitlines()) > LONGEST_PAGE:
        yield f"more than {LONGEST_PAGE} lines"
    imported = []
    for node in nodes(path):
        if isinstance(node, ast.Lambda):
            yield f"line {node.lineno} has a function"
        decorators = [ast.unparse(each) for each in getattr(node, "decorator_list", [])]
        if hasattr(node, "decorator_list") and decorators != ["page_layout.fragment"]:
            yield f"{node.name} is no fragment"
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names if alias.name.startswith(OF_PAGES)]
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and not isinstance(
            node.value, (ast.Call, ast.Attribute)
        ):
            yield f"line {node.lineno} holds data"
    if imported != [lesson_module(path)]:
        yield f"it imports {imported}, not its own lesson alone"


def test_a_page_is_what_stands_on_the_screen():
    """At most 60 lines, no function but its fragment, no data, no cache: the rest is its lesson's."""
    assert len(SCRIPTS) > 15
    assert [f"{path.stem}: {fault}" for path in SCRIPTS for fault in faults_of_page(path)] == []


def test_every_page_has_its_lesson():
    assert set(map(lesson_module, SCRIPTS)) == {
        f"{package}.{path.stem}"
        for package in OF_PAGES
        for path in ROOT.joinpath(*package.split(".")).iterdir()
        if path.stem not in ("__init__", "__pycache__")
    }
