"""Pretrained models from a folder or a GGUF file, in NumPy; the records in `ARCHITECTURES` say of which kinds.

A folder is as published: `config.json`, `model.safetensors`, and the files of its tokeniser. No code and no
template in it is run, and pickled weights are never loaded.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.attention import AttentionTrace
from attention_core.masks import Rule
from attention_core.models import gguf_model
from attention_core.models.architecture import Architecture, ForwardPass, Settings, Tokeniser
from attention_core.models.bert import BERT
from attention_core.models.folder import WEIGHTS, Folder, check_size
from attention_core.models.gguf import read_gguf
from attention_core.models.gpt2 import GPT2
from attention_core.models.llama import LLAMAS
from attention_core.models.memory import check_memory, free_bytes
from attention_core.models.safetensors import read_safetensors
from attention_core.models.stored import Stored, Weights, shorten
from attention_core.models.tokenizer_file import from_gguf
from attention_core.models.writing import GeneratedToken, Sampling, choose
from attention_core.softmax import softmax

ARCHITECTURES = {each.name: each for each in (BERT, GPT2, *LLAMAS)}
MOST_TOKENS = 512
MOST_SIGNS = 8000  # characters of a text; every token has at least one
GENERATION = "generation_config.json"
TOGETHER = 128  # tokens of texts that go through a model in one pass
BLOCK = 2**20  # bytes that are read at once
OLD_NAMES = {".gamma": ".weight", ".beta": ".bias"}  # of gains and biases, in models from before 2019
BYTES_OF_PAIR = 17  # in a trace: four arrays of float32 and a mask for each query and key
MOST = {
    "layers": 200,
    "heads": 256,
    "d_model": 16_384,
    "d_ff": 65_536,
    "positions": 2**24,
    "vocabulary": 1_000_000,
}


@dataclass(frozen=True, eq=False)
class PretrainedRun:
    """A forward pass over a text of n tokens. Every array is read-only."""

    tokens: tuple[str, ...]
    numbers: tuple[int, ...]  #: their indices in the vocabulary
    #: (layers + 1, n, d_model), the residual stream before the first and after each layer, without a final norm
    states: np.ndarray = field(repr=False)
    layers: tuple[AttentionTrace, ...] = field(repr=False)  #: of each layer, with weights (heads, n, n)


@dataclass(frozen=True, eq=False)
class PretrainedModel:
    """A model with its weights and its tokeniser.

        model = read_model("SmolLM2-135M-Instruct.Q4_1.gguf")
        probabilities = model.next_token("The capital of France is")
        model.tokeniser.text(probabilities.argmax())  # " Paris"
        numbers, tokens = model.tokeniser.encode("The capital of France is")
        for step in model.generate(chat_text("Why is the sky blue?"), 20):
            print(step.token, end="")
        run = model.run("The capital of France is", heads_off=[(23, 4)], may_attend=MayAttend(closed=(0,)))
        run.layers[23].weights  # (heads, n, n)

    Every method that takes a text raises `ValueError`, naming the limit, for one that is too long. `heads_off`
    are heads as (layer, head), from 0, that add nothing: a trace still shows what they computed. `may_attend`
    narrows the model's own mask: a `MayAttend`, another function of the positions of queries and keys, or a
    boolean array (n, n) that is large enough.
    """

    name: str  #: that of the folder, or of the file without its ending
    kind: Architecture = field(repr=False)  #: how it is stored and run
    settings: Settings = field(repr=False)  #: layers, heads, kv_heads, d_model, d_k, positions and others
    weights: Weights = field(repr=False)  #: by name, as float32
    tokeniser: Tokeniser = field(repr=False)  #: `encode(text)` gives indices and tokens, `text(index)` one token
    paths: tuple[Path, ...] = field(repr=False)  #: of the files with the weights
    ends: frozenset[int]  #: tokens after which a text ends

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the files with the weights, as 64 hexadecimal digits, read when it is first asked for.

        Raises `OSError` where they are gone by then.
        """
        digest = hashlib.sha256()
        for path in self.paths:
            with path.open("rb") as file:
                while block := file.read(BLOCK):
                    digest.update(block)
        return digest.hexdigest()

    @property
    def architecture(self) -> str:
        """The name of its architecture, such as *bert* or *llama*."""
        return self.kind.name

    @property
    def longest(self) -> int:
        """The greatest number of tokens of a text: 512, or fewer where the model or the memory has no room."""
        most, free = min(MOST_TOKENS, int(self.settings["positions"])), free_bytes()
        heads = int(self.settings["layers"]) * int(self.settings["heads"])
        return most if free is None else min(most, int((free / (heads * BYTES_OF_PAIR)) ** 0.5))

    @property
    def positions(self) -> np.ndarray:
        """The learned position vectors, (positions, d_model); none where queries and keys are rotated."""
        if not self.kind.positions:
            return np.zeros((0, int(self.settings["d_model"])), np.float32)
        return self.weights[self.kind.positions]

    def run(
        self,
        text: str,
        heads_off: Collection[tuple[int, int]] = (),
        may_attend: Rule | np.ndarray | None = None,
    ) -> PretrainedRun:
        """Run the model on a text."""
        numbers, tokens = self._encode(text)
        states, layers = self._pass(self._start(heads_off, may_attend)(numbers))
        return PretrainedRun(tuple(tokens), tuple(numbers), states, layers)

    def run_tokens(
        self,
        numbers: Sequence[int],
        heads_off: Collection[tuple[int, int]] = (),
        may_attend: Rule | np.ndarray | None = None,
    ) -> tuple[np.ndarray, tuple[AttentionTrace, ...]]:
        """Compute the states and layers of a `PretrainedRun` from indices of tokens in the vocabulary."""
        self._check([numbers])
        return self._pass(self._start(heads_off, may_attend)(numbers))

    def run_together(self, texts: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """Compute the states of texts from indices of tokens, a few texts in one pass, which takes less time."""
        self._check(texts)
        states: list[np.ndarray] = []
        while (begin := len(states)) < len(texts):
            sizes = np.cumsum([len(text) for text in texts[begin:]])
            some = texts[begin : begin + max(1, int((sizes <= TOGETHER).sum()))]
            numbers = np.concatenate([np.array(text, dtype=int) for text in some])
            of = np.repeat(np.arange(len(some)), [len(text) for text in some])
            run = ForwardPass(self.weights, self.settings, numbers, self.kind.causal, texts=of)
            states += np.split(self._pass(run)[0], sizes[: len(some) - 1], axis=1)
        return states

    def next_token(
        self,
        text: str,
        heads_off: Collection[tuple[int, int]] = (),
        may_attend: Rule | np.ndarray | None = None,
    ) -> np.ndarray:
        """Compute the probability of each token of the vocabulary to follow a text, (vocabulary,).

        A table may have more rows than there are tokens: these have a probability, and are never written.
        Raises `ValueError` for a model that predicts no next token, and a text without tokens.
        """
        numbers = self._prompt(text)
        states, _ = self._pass(self._start(heads_off, may_attend)(numbers))
        return checks.frozen(softmax(self.logits(states[:, -1:])[0]))

    def logits(self, states: np.ndarray) -> np.ndarray:
        """Compute the logits of the token after each, (n, vocabulary), from the states of n tokens.

        Raises `ValueError` for a model that predicts no next token.
        """
        self._check_writes()
        with np.errstate(all="ignore"):
            logits = self.kind.logits(self.weights, self.settings, states[-1])
        return checks.finite(logits, "the logits of the next token")

    def generate(
        self,
        text: str,
        tokens: int,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int = 0,
        cache: bool = True,
        heads_off: Collection[tuple[int, int]] = (),
        may_attend: Rule | np.ndarray | None = None,
    ) -> Iterator[GeneratedToken]:
        """Continue a text by at most so many tokens, yield each as it is written, and stop after an end token.

        With a `cache`, keys and values of earlier tokens are kept; without it, all is computed again for each
        token, with the same result. Raises `ValueError` where `next_token` does, for a continuation that would
        become too long, and for a temperature, top_k or top_p that is not possible; temperature 0 always chooses
        the most probable token.
        """
        sampling = Sampling(temperature, top_k, top_p)
        numbers = self._prompt(text, checks.whole_number(tokens, "tokens", 0))
        draws = np.random.default_rng(checks.whole_number(seed, "seed", 0)).random(tokens)
        return self._write(numbers, draws, sampling, cache, self._start(heads_off, may_attend))

    def _write(
        self,
        numbers: list[int],
        draws: np.ndarray,
        sampling: Sampling,
        cached: bool,
        start: Callable[..., ForwardPass],
    ) -> Iterator[GeneratedToken]:
        cache: list[tuple[np.ndarray, np.ndarray]] = []
        new = numbers
        for draw in draws:
            states, layers = self._pass(start(new if cached else numbers, cache=cache))
            logits = self.logits(states[:, -1:])[0]
            adjusted = sampling.adjust(logits, self.tokeniser.size)
            number = choose(adjusted, draw)
            if cached:
                cache = [(trace.key, trace.value) for trace in layers]
            kept = [array for pair in cache for array in pair]
            yield GeneratedToken(
                self.tokeniser.text(number),
                number,
                checks.frozen(softmax(logits)),
                checks.frozen(adjusted),
                float(draw),
                tuple(trace.weights[:, -1:] for trace in layers),
                (len(cache), 2, *kept[0].shape) if kept else (),
                sum(array.nbytes for array in kept),
            )
            if number in self.ends:
                return
            new = [number]
            numbers = [*numbers, number]

    def _encode(self, text: str, more: int = 0) -> tuple[list[int], list[str]]:
        """The tokens of a text, to which so many `more` are to be added."""
        if not isinstance(text, str):
            raise ValueError(f"text must be a string, got {type(text).__name__}")
        if len(text) > MOST_SIGNS:
            raise ValueError(f"a text has at most {MOST_SIGNS} characters, got {len(text)}")
        numbers, tokens = self.tokeniser.encode(text)
        self._check_length(len(numbers), more)
        return numbers, tokens

    def _check_length(self, count: int, more: int = 0) -> None:
        """Refuse a text of so many tokens, to which `more` are to be added."""
        longest = self.longest
        if count + more > longest:
            added = f", and {more} are to be added" if more else ""
            raise ValueError(f"a text has at most {longest} tokens, got {count}{added}")

    def _prompt(self, text: str, more: int = 0) -> list[int]:
        """The tokens of a text that can be continued."""
        self._check_writes()
        numbers, _ = self._encode(text, more)
        if not numbers:
            raise ValueError("text must have at least one token")
        return numbers

    def _check_writes(self) -> None:
        """Refuse a model that predicts no next token."""
        if self.kind.logits is None:
            raise ValueError(f"{self.name} predicts no next token: {self.architecture} is an encoder")
        if missing := self.kind.shapes(self.settings).keys() - set(self.weights):
            raise ValueError(f"{self.name} predicts no next token: {min(missing)} is missing")

    def _check(self, texts: Sequence[Sequence[int]]) -> None:
        """Refuse what are no indices of tokens, and too many of them."""
        self._check_length(max(map(len, texts), default=0))
        for number in chain.from_iterable(texts):
            checks.whole_number(number, "a token", 0, int(self.settings["vocabulary"]) - 1)

    def _start(
        self, heads_off: Collection[tuple[int, int]], may_attend: Rule | np.ndarray | None
    ) -> Callable[..., ForwardPass]:
        """A function from tokens, and perhaps a cache, to a forward pass with these interventions."""
        off = checks.heads(heads_off, int(self.settings["layers"]), int(self.settings["heads"]))
        rule = may_attend if may_attend is None or callable(may_attend) else _rule_of(may_attend)

        def start(numbers: Sequence[int], cache: Sequence[tuple[np.ndarray, np.ndarray]] = ()) -> ForwardPass:
            places = np.array(numbers, dtype=int)
            return ForwardPass(self.weights, self.settings, places, self.kind.causal, off, rule, cache)

        return start

    def _pass(self, run: ForwardPass) -> tuple[np.ndarray, tuple[AttentionTrace, ...]]:
        with np.errstate(all="ignore"):
            states = self.kind.forward(run)
        return checks.frozen(np.stack(states)), tuple(run.layers)


def _rule_of(mask: np.ndarray) -> Rule:
    """A rule that looks pairs up in a mask, (n, n)."""
    mask = checks.boolean(mask, "may_attend", "True = may attend")

    def rule(query: np.ndarray, key: np.ndarray) -> np.ndarray:
        n = int(query.max(initial=-1)) + 1
        if mask.ndim != 2 or min(mask.shape) < n:
            raise ValueError(f"may_attend must have shape ({n}, {n}) or more, got {mask.shape}")
        return mask[query, key]

    return rule


# Reading --------------------------------------------------------------------------------------------------


def read_model(path: str | Path) -> PretrainedModel:
    """Read the model in a folder, or in a file that ends in `.gguf`.

    Architectures: BERT, GPT-2, Llama, Mistral, Qwen2, Qwen3, SmolLM3; in GGUF the last five, with weights in F32,
    F16, BF16, Q8_0, Q4_0, Q4_1, Q4_K, Q5_K or Q6_K. Tokenisers: WordPiece and byte-level BPE; others in
    tokenizer.json where the package `tokenizers` is installed. Files are mapped into memory: float32 and 16 bits
    take none of their own, quantised weights take it as float32 when they are first used. Raises `ValueError`,
    naming the file and the cause, for one that is damaged, not of a known architecture, or too large for the
    free memory.

    >>> read_model("no_folder")
    Traceback (most recent call last):
    ValueError: no_folder is neither a folder nor a .gguf file
    """
    path = Path(path).expanduser()
    if not path.is_dir() and path.suffix != ".gguf":
        raise ValueError(f"{path.name or path} is neither a folder nor a .gguf file")
    return _read_folder(Folder(path)) if path.is_dir() else _read_file(path)


def _read_folder(files: Folder) -> PretrainedModel:
    paths = files.weights()
    config = files.json("config.json")
    name = config.get("model_type")
    if name not in list(ARCHITECTURES):
        raise ValueError(
            f"config.json: the architecture {str(name)[:40]!r} is unknown; known: {', '.join(ARCHITECTURES)}"
        )
    kind = ARCHITECTURES[name]
    settings = _settings(config, kind, "config.json")
    tokeniser = kind.tokeniser(files, settings["vocabulary"])
    weights = _check_tensors(_read_tensors(paths), kind, settings, WEIGHTS)
    name = files.path.resolve().name
    check_memory(weights.needed, name)
    endings = config | (files.json(GENERATION) if files.has(GENERATION) else {})
    ends = endings.get("eos_token_id")
    ends = frozenset(end for end in (ends if isinstance(ends, list) else [ends]) if type(end) is int)
    return PretrainedModel(
        name, kind, settings, weights, tokeniser, tuple(path.absolute() for path in paths), ends
    )


def _read_file(path: Path) -> PretrainedModel:
    metadata, tensors = read_gguf(path)
    tensors = gguf_model.renamed(tensors)
    try:
        config = gguf_model.config_of(metadata, tensors)
        kind = ARCHITECTURES[config["model_type"]]
        settings = gguf_model.with_factors(_settings(config, kind, "metadata"), tensors)
        tokeniser = from_gguf(metadata)
        check_size("tokenizer.ggml.tokens", range(tokeniser.size), settings["vocabulary"])
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    weights = _check_tensors(tensors, kind, settings, path.name)
    check_memory(weights.needed, path.name)
    ends = gguf_model.ends_of(metadata)
    return PretrainedModel(path.stem, kind, settings, weights, tokeniser, (path.absolute(),), ends)


def _read_tensors(paths: Sequence[Path]) -> dict[str, Stored]:
    """All tensors of the files; one in two of them is refused."""
    tensors: dict[str, Stored] = {}
    for path in paths:
        more = read_safetensors(path)
        if twice := sorted(tensors.keys() & more.keys()):
            raise ValueError(f"{path.name}: {twice[0]!r} is in another file, too")
        tensors |= more
    return tensors


def _settings(config: Mapping[str, Any], kind: Architecture, where: str) -> dict[str, Any]:
    """The validated settings of a configuration, under common names."""
    settings: dict[str, Any] = {}
    for name, key in kind.keys.items():
        value = config.get(key, kind.defaults.get(name))
        if name == "d_ff" and value is None:
            value = 4 * settings["d_model"]  # GPT-2's default
        is_size = type(value) is int and 1 <= value <= MOST.get(name, 0)
        is_epsilon = name == "epsilon" and type(value) is float and 0 < value < 1
        if not (is_size or is_epsilon):
            raise ValueError(f"{where}: {key} cannot be {shorten(value)}")
        settings[name] = value
    for key, known in kind.only.items():
        if config.get(key, known[0]) not in known:
            is_name = isinstance(known[0], str)
            why = f"{shorten(config[key])} is unknown; known: {known[0]!r}" if is_name else "is not supported"
            raise ValueError(f"{where}: {key} {why}")
    try:
        return settings | kind.more(config, settings)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _name(name: str, kind: Architecture) -> str:
    """The name of a tensor as the forward pass has it."""
    name = name.removeprefix(kind.prefix)
    ending = next((ending for ending in OLD_NAMES if name.endswith(ending)), "")
    return name.removesuffix(ending) + OLD_NAMES.get(ending, "")


def _check_tensors(tensors: Mapping[str, Stored], kind: Architecture, settings: Settings, where: str) -> Weights:
    """The needed tensors; refuse one that is missing, of another shape or not finite in float32."""
    tensors = {_name(name, kind): tensor for name, tensor in tensors.items()}
    checked = {}
    for name, shape in kind.shapes(settings).items():
        if name not in tensors and name in kind.read_out:
            continue
        if name not in tensors:
            raise ValueError(f"{where}: {name} is missing")
        tensor = tensors[name]
        if name in kind.tables and len(tensor.shape) == len(shape) and tensor.shape[0] >= shape[0]:
            shape = (tensor.shape[0], *shape[1:])  # more rows are padding
        if tensor.shape != shape:
            raise ValueError(f"{where}: {name} must have shape {shape}, got {tensor.shape}")
        if not tensor.is_float:
            raise ValueError(f"{where}: {name} must hold floating-point numbers, got {tensor.kind}")
        if not tensor.is_finite():
            raise ValueError(f"{where}: {name} holds a number that is not finite in float32")
        checked[name] = tensor
    return Weights(checked)
