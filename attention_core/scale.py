"""The cost of a transformer: parameters, floating-point operations and memory, as exact whole numbers.

Sources: Vaswani et al. 2017 (the two shapes, and Table 1 for paths and steps); Radford et al. 2019
(GPT-2); Brown et al. 2020 (GPT-3); Shazeer 2019 and Ainslie et al. 2023 (grouped-query attention);
Shazeer 2020 (SwiGLU); Touvron et al. 2023 (Llama 2); Grattafiori et al. 2024 (Llama 3); Ben Allal et al. 2025
(SmolLM2).
"""

from dataclasses import dataclass
from types import MappingProxyType

from attention_core import checks

_SWITCHES = (
    *("biases", "tied_embeddings", "attention_biases", "learned_positions", "final_norm"),
    *("attention_only", "output_bias", "gated_feed_forward"),
)


@dataclass(frozen=True)
class TransformerShape:
    """The sizes of a transformer, whole numbers of at least 1. The defaults are those of GPT-2's architecture.

    The defaults of d_v, d_ff, num_kv_heads and attention_biases depend on other sizes; the shape has
    the resulting values. To vary a shape make a new one: `dataclasses.replace` would keep those values.

    Raises `ValueError` for a size that is not a whole number or below 1, and for a num_kv_heads that
    does not divide num_heads.
    """

    d_model: int  #: components of a word's vector
    d_k: int  #: components of a query and of a key
    num_heads: int  #: heads of a layer
    num_layers: int  #: layers; with decoder layers, those of the encoder
    d_v: int | None = None  #: components of a value; by default d_k
    d_ff: int | None = None  #: width of the feed-forward network; by default 4 · d_model
    num_kv_heads: int | None = None  #: keys and values that the heads share; by default num_heads
    vocabulary: int | None = None  #: tokens in the embedding table; None: not counted
    context: int | None = None  #: tokens of the longest text: rows in a table of positions, where it is learned
    decoder_layers: int = 0  #: layers with cross-attention besides self-attention
    biases: bool = True  #: feed-forward maps and norms add a learned vector
    tied_embeddings: bool = True  #: one table for all inputs and the output
    attention_biases: bool | None = None  #: so do the four maps of a head; by default `biases`
    learned_positions: bool = True  #: False: positions are computed (2017, rotary)
    final_norm: bool = True  #: one more norm after the last layer, as in pre-norm architectures
    attention_only: bool = False  #: neither feed-forward network nor norm, as in small interpretable models
    output_bias: bool = False  #: each token of the vocabulary has a bias in its logit
    gated_feed_forward: bool = False  #: a third matrix, the gate, as in SwiGLU

    def __post_init__(self):
        """Check every field, and set the defaults that depend on others."""
        for name in ("d_model", "d_k", "num_heads", "num_layers"):
            self._set_size(name)
        self._set_size("d_v", self.d_k)
        self._set_size("d_ff", 4 * self.d_model)
        self._set_size("num_kv_heads", self.num_heads)
        self._set_size("decoder_layers", 0, minimum=0)
        for name in ("vocabulary", "context"):
            if getattr(self, name) is not None:
                self._set_size(name)
        if self.attention_biases is None:
            object.__setattr__(self, "attention_biases", self.biases)
        for name in _SWITCHES:
            if not isinstance(value := getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, got {value!r}")
        if self.num_heads % self.num_kv_heads:
            raise ValueError(f"num_kv_heads must divide num_heads, got {self.num_kv_heads} and {self.num_heads}")

    def _set_size(self, name, default=None, minimum=1):
        value = default if getattr(self, name) is None else getattr(self, name)
        object.__setattr__(self, name, checks.whole_number(value, name, minimum))

    @property
    def attention_blocks(self):
        """The number of attention blocks: one in each layer, two in each decoder layer."""
        return self.num_layers + 2 * self.decoder_layers

    @property
    def feed_forward_blocks(self):
        """The number of feed-forward networks: one in every layer, or none."""
        return 0 if self.attention_only else self.num_layers + self.decoder_layers

    @property
    def feed_forward_matrices(self):
        """The number of matrices in one feed-forward network: up and down, and with a gate a third."""
        return 3 if self.gated_feed_forward else 2


@dataclass(frozen=True)
class ParameterCount:
    """The parameters of a transformer by part; total is the sum of the five before it."""

    per_matrix: int  #: one W_query (or W_key): d_model × d_k
    per_head: int  #: W_query, W_key, W_value and W_output of one head
    per_layer: int  #: all heads of one attention block, shared keys and values counted once
    attention_total: int  #: all attention blocks; a decoder layer has two
    feed_forward_total: int  #: two or, with a gate, three matrices in each layer, d_model × d_ff
    embeddings: int  #: tables of tokens and of learned positions
    norms: int  #: gains, and with `biases` shifts, of all norms
    biases: int  #: vectors added by the maps of attention and feed-forward
    total: int  #: attention, feed-forward, embeddings, norms and biases


def count_parameters(shape):
    """Count the parameters of a transformer of this shape, part by part, as exact Python ints.

        per head   = 2 · d_model · d_k + 2 · d_model · d_v
        per layer  = heads · per head            (without shared keys and values)
        attention  = per layer · (layers + 2 · decoder layers)

    The attention figures count matrices; their bias vectors are under `biases`, so that GPT-3's
    attention has the 57,982,058,496 parameters that are usually quoted. With tied embeddings there is
    one table of tokens; otherwise each stack has one, and the output another.

    Checked against the published weights: GPT-2 has 124,439,808, 354,823,168, 774,030,080 and
    1,557,611,200; Llama 2 7B 6,738,415,616, Llama 3 8B 8,030,261,248, Llama 3 70B 70,553,706,496 and
    SmolLM2-135M 134,515,008. GPT-3's total of 174,604,259,328 follows from its published shape. The two models
    of 2017 are counted as their paper's equations have them: a shared vocabulary of 37,000, computed
    positions, biases in the feed-forward part alone, no final norm. That gives 63.0 and 214.2
    million where the paper's table says 65 and 213; no single vocabulary gives both.

    >>> count = count_parameters(SHAPES["gpt3"])
    >>> count.per_layer, count.attention_total
    (603979776, 57982058496)
    """
    s = shape
    query_side = s.d_model * s.d_k + s.d_v * s.d_model  # W_query and W_output, one of each per head
    key_side = s.d_model * s.d_k + s.d_model * s.d_v  # W_key and W_value, which heads may share
    per_layer = s.num_heads * query_side + s.num_kv_heads * key_side
    attention_total = per_layer * s.attention_blocks

    layers = s.feed_forward_blocks
    feed_forward_total = layers * s.feed_forward_matrices * s.d_model * s.d_ff

    stacks = 2 if s.decoder_layers else 1
    token_tables = 1 if s.tied_embeddings else stacks + 1
    position_rows = stacks * (s.context or 0) if s.learned_positions else 0
    embeddings = (token_tables * (s.vocabulary or 0) + position_rows) * s.d_model

    # One norm goes with every attention and every feed-forward part.
    norm_count = 0 if s.attention_only else s.attention_blocks + layers + (stacks if s.final_norm else 0)
    norms = norm_count * s.d_model * (2 if s.biases else 1)

    attention_bias = s.num_heads * s.d_k + s.num_kv_heads * (s.d_k + s.d_v) + s.d_model
    biases = attention_bias * s.attention_blocks if s.attention_biases else 0
    biases += ((s.feed_forward_matrices - 1) * s.d_ff + s.d_model) * layers if s.biases else 0
    biases += (s.vocabulary or 0) if s.output_bias else 0

    return ParameterCount(
        per_matrix=s.d_model * s.d_k,
        per_head=query_side + key_side,
        per_layer=per_layer,
        attention_total=attention_total,
        feed_forward_total=feed_forward_total,
        embeddings=embeddings,
        norms=norms,
        biases=biases,
        total=attention_total + feed_forward_total + embeddings + norms + biases,
    )


def vocabulary_for(shape, total):
    """Return the vocabulary size with which the model would have `total` parameters.

        (total − parameters outside the tables of tokens) / (parameters of one token)

    A float: rarely a whole number, and negative where the rest alone exceeds `total`.

    Raises `ValueError` if `total` is not a whole number ≥ 0.

    >>> vocabulary_for(SHAPES["gpt2"], total=124_439_808)
    50257.0
    """
    total = checks.whole_number(total, "total", 0)
    first, second = (
        count_parameters(TransformerShape(**(vars(shape) | {"vocabulary": tokens}))).embeddings
        for tokens in (1, 2)
    )
    rest = count_parameters(shape).total - count_parameters(shape).embeddings + 2 * first - second
    return (total - rest) / (second - first)


def _transformer_2017(d_model, num_heads):
    return TransformerShape(
        d_model=d_model,
        d_k=64,
        num_heads=num_heads,
        num_layers=6,
        decoder_layers=6,
        vocabulary=37_000,
        attention_biases=False,
        learned_positions=False,
        final_norm=False,
    )


def _gpt(d_model, d_k, num_layers, context=1024):
    return TransformerShape(
        d_model=d_model,
        d_k=d_k,
        num_heads=d_model // d_k,
        num_layers=num_layers,
        vocabulary=50_257,
        context=context,
    )


def _llama(d_model, d_ff, num_layers, num_heads, num_kv_heads, vocabulary, context, tied_embeddings=False):
    return TransformerShape(
        d_model=d_model,
        d_k=d_model // num_heads,
        num_heads=num_heads,
        num_layers=num_layers,
        d_ff=d_ff,
        num_kv_heads=num_kv_heads,
        vocabulary=vocabulary,
        context=context,
        biases=False,
        tied_embeddings=tied_embeddings,
        learned_positions=False,
        gated_feed_forward=True,
    )


#: Published shapes by name.
SHAPES = MappingProxyType(
    {
        "transformer-base": _transformer_2017(d_model=512, num_heads=8),
        "transformer-big": _transformer_2017(d_model=1024, num_heads=16),
        "gpt2": _gpt(d_model=768, d_k=64, num_layers=12),
        "gpt2-medium": _gpt(d_model=1024, d_k=64, num_layers=24),
        "gpt2-large": _gpt(d_model=1280, d_k=64, num_layers=36),
        "gpt2-xl": _gpt(d_model=1600, d_k=64, num_layers=48),
        "gpt3": _gpt(d_model=12_288, d_k=128, num_layers=96, context=2048),
        "llama2-7b": _llama(4096, 11_008, 32, 32, 32, vocabulary=32_000, context=4096),
        "llama3-8b": _llama(4096, 14_336, 32, 32, 8, vocabulary=128_256, context=8192),
        "llama3-70b": _llama(8192, 28_672, 80, 64, 8, vocabulary=128_256, context=8192),
        "smollm2-135m": _llama(576, 1536, 30, 9, 3, vocabulary=49_152, context=8192, tied_embeddings=True),
    }
)


@dataclass(frozen=True)
class FlopCount:
    """Floating-point operations of one forward pass; a multiplication and an addition count as two."""

    projections: int  #: queries, keys, values and the output of the heads
    pattern: int  #: all scores and all weighted sums of values: the part that grows with tokens²
    feed_forward: int  #: the matrices after each attention
    vocabulary: int  #: the logits of the next token at every position
    total: int  #: their sum


def forward_flops(shape, tokens):
    """Count the floating-point operations of the matrix products in a forward pass over `tokens` tokens.

        projections = 2 · tokens · (matrices of attention)
        pattern     = 2 · tokens² · heads · (d_k + d_v), in every layer

    Softmax, norms and additions are not counted (they are small), and a causal mask
    saves nothing. With decoder layers both texts are `tokens` long. Returns a `FlopCount` of Python ints.
    Raises `ValueError` if `tokens` is not a whole number ≥ 0.

    >>> forward_flops(SHAPES["gpt2"], tokens=100).pattern
    368640000
    """
    tokens = checks.whole_number(tokens, "tokens", 0)
    count = count_parameters(shape)
    parts = {
        "projections": 2 * tokens * count.attention_total,
        "pattern": 2 * tokens**2 * shape.num_heads * (shape.d_k + shape.d_v) * shape.attention_blocks,
        "feed_forward": 2 * tokens * count.feed_forward_total,
        "vocabulary": 2 * tokens * shape.d_model * (shape.vocabulary or 0),
    }
    return FlopCount(**parts, total=sum(parts.values()))


def pattern_entries(tokens, num_heads=1, num_layers=1):
    """Count the weights of the attention patterns: tokens² in each head of each layer.

    Raises `ValueError` if `tokens` is not a whole number ≥ 0, or another number not one ≥ 1.

    >>> pattern_entries(1000, num_heads=12)
    12000000
    """
    return (
        checks.whole_number(tokens, "tokens", 0) ** 2
        * checks.whole_number(num_heads, "num_heads", 1)
        * checks.whole_number(num_layers, "num_layers", 1)
    )


def pattern_bytes(tokens, num_heads=1, num_layers=1, bytes_per_number=4):
    """Compute the memory of whole attention patterns, in bytes; by default float32.

    Raises `ValueError` as `pattern_entries` does.

    >>> pattern_bytes(1000, num_heads=12)
    48000000
    """
    bytes_per_number = checks.whole_number(bytes_per_number, "bytes_per_number", 1)
    return pattern_entries(tokens, num_heads, num_layers) * bytes_per_number


def key_value_cache_bytes(shape, tokens, bytes_per_number=2):
    """Compute the memory of the key/value cache of a text, in bytes; by default 16-bit floats.

        tokens · (d_k + d_v) · (key/value heads) · layers · bytes per number

    In an encoder-decoder model every decoder layer caches the keys and values of its own text and of
    the encoder's, both `tokens` long.

    Raises `ValueError` if `tokens` is not a whole number ≥ 0 or `bytes_per_number` not one ≥ 1.

    >>> key_value_cache_bytes(SHAPES["gpt3"], tokens=1000)
    4718592000
    """
    tokens = checks.whole_number(tokens, "tokens", 0)
    bytes_per_number = checks.whole_number(bytes_per_number, "bytes_per_number", 1)
    blocks = 2 * shape.decoder_layers or shape.num_layers
    return tokens * (shape.d_k + shape.d_v) * shape.num_kv_heads * blocks * bytes_per_number


def path_length(distance, network="attention"):
    """Return the number of steps of a signal between two words `distance` positions apart.

    1 with "attention" (0 from a word to itself), `distance` in a "recurrent" network, whose state
    passes from word to word. Vaswani et al. 2017, Table 1.

    Raises `ValueError` if `distance` is not a whole number ≥ 0, and for another network.

    >>> path_length(9), path_length(9, "recurrent")
    (1, 9)
    """
    distance = checks.whole_number(distance, "distance", 0)
    return _per_network(network, attention=min(distance, 1), recurrent=distance)


def sequential_steps(tokens, network="attention"):
    """Return the number of steps of one layer that cannot run in parallel.

    1 with "attention", which computes all words at once; `tokens` in a "recurrent" network; 0 for an
    empty text. Vaswani et al. 2017, Table 1.

    Raises `ValueError` if `tokens` is not a whole number ≥ 0, and for another network.

    >>> sequential_steps(9), sequential_steps(9, "recurrent")
    (1, 9)
    """
    tokens = checks.whole_number(tokens, "tokens", 0)
    return _per_network(network, attention=min(tokens, 1), recurrent=tokens)


def _per_network(network, **steps):
    if network not in steps:
        raise ValueError(f"network must be one of {', '.join(steps)}, got {network!r}")
    return steps[network]
