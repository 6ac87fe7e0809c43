"""What does it cost? Parameters, calculations and memory of a transformer, in exact whole numbers.

Sources: Vaswani et al. 2017 (the two shapes, and Table 1 for paths and steps); Radford et al. 2019
(GPT-2); Brown et al. 2020 (GPT-3); Shazeer 2019 and Ainslie et al. 2023 (shared keys and values).
"""

from dataclasses import dataclass
from types import MappingProxyType

from attention_core import checks


@dataclass(frozen=True)
class TransformerShape:
    """The sizes of a transformer: whole numbers of at least 1. The defaults make it a kin of GPT-2.

    d_v, d_ff, num_kv_heads and attention_biases may be left out; the shape, once made, has the number
    that stands in for them. To vary a shape make a new one: `dataclasses.replace` would carry those
    numbers along.

    Raises `ValueError` for a size that is not a whole number or below 1, and for a num_kv_heads that
    does not divide num_heads.
    """

    d_model: int  #: length of a word's vector
    d_k: int  #: length of a query and of a key
    num_heads: int  #: heads in one layer
    num_layers: int  #: layers; where there are decoder layers, too, the layers of the encoder
    d_v: int | None = None  #: length of a value; d_k if left out
    d_ff: int | None = None  #: width of the feed-forward part; 4 · d_model if left out
    num_kv_heads: int | None = None  #: how many keys and values the heads share; num_heads if left out
    vocabulary: int | None = None  #: tokens in the table of embeddings; None: not counted
    context: int | None = None  #: rows in a learned table of positions; None: not counted
    decoder_layers: int = 0  #: layers with cross-attention besides self-attention; 0: none
    biases: bool = True  #: feed-forward maps and norms add a learned vector
    tied_embeddings: bool = True  #: one table serves all that read words and the one that guesses them
    attention_biases: bool | None = None  #: the four maps of a head add one, too; `biases` if left out
    learned_positions: bool = True  #: False: positions are computed (2017, rotary), nothing is learned
    final_norm: bool = True  #: one more norm after the last layer, as where norms come first
    attention_only: bool = False  #: no feed-forward part and no norm, as in small models that are made to be read
    output_bias: bool = False  #: a number is added to what each token of the vocabulary scores

    def __post_init__(self):
        """Check the sizes and fill in what was left out."""
        fields = vars(self)

        def size(name, default=None, minimum=1):
            given = fields[name]
            fields[name] = default if given is None else checks.whole_number(given, name, minimum)

        for name in ("d_model", "d_k", "num_heads", "num_layers"):
            fields[name] = checks.whole_number(fields[name], name, 1)
        size("d_v", self.d_k)
        size("d_ff", 4 * self.d_model)
        size("num_kv_heads", self.num_heads)
        size("vocabulary")
        size("context")
        size("decoder_layers", 0, minimum=0)
        if self.attention_biases is None:
            fields["attention_biases"] = self.biases
        for name, given in list(fields.items())[10:]:
            if not isinstance(fields[name], bool):
                raise ValueError(f"{name} must be True or False, got {given!r}")
        if self.num_heads % self.num_kv_heads:
            raise ValueError(f"num_kv_heads must divide num_heads, got {self.num_kv_heads} and {self.num_heads}")

    @property
    def attention_blocks(self):
        """How often attention happens: once in each layer, twice in each decoder layer."""
        return self.num_layers + 2 * self.decoder_layers

    @property
    def feed_forward_blocks(self):
        """How often the feed-forward part happens: once in every layer, or never."""
        return 0 if self.attention_only else self.num_layers + self.decoder_layers


@dataclass(frozen=True)
class ParameterCount:
    """The numbers a transformer learns, by where they are; the last five parts add up to the total."""

    per_matrix: int  #: one W_query (or W_key): d_model × d_k
    per_head: int  #: W_query, W_key, W_value and W_output of one head
    per_layer: int  #: the same for all heads of one layer's attention, shared keys and values counted once
    attention_total: int  #: the same for all layers; a decoder layer attends twice
    feed_forward_total: int  #: two matrices in each layer, d_model × d_ff
    embeddings: int  #: tables of tokens and of learned positions
    norms: int  #: gains, and with `biases` shifts, of all norms
    biases: int  #: vectors added by the maps of attention and feed-forward
    total: int  #: attention, feed-forward, embeddings, norms and biases


def count_parameters(shape):
    """Count what a transformer of this shape has to learn, part by part, as exact Python ints.

        per head   = 2 · d_model · d_k + 2 · d_model · d_v
        per layer  = heads · per head            (if no keys and values are shared)
        attention  = per layer · (layers + 2 · decoder layers)

    The attention figures count matrices; the vectors added to them are under `biases`, so that
    GPT-3's attention comes to 57,982,058,496 as it is usually told. With tied embeddings one table
    of tokens serves every purpose; otherwise each stack has its own and the output another.

    Checked against the published weights: GPT-2 has 124,439,808, 354,823,168, 774,030,080 and
    1,557,611,200. GPT-3's total of 174,604,259,328 follows from its published shape. The two models
    of 2017 are counted as their paper's equations have them: a shared vocabulary of 37,000, computed
    positions, biases in the feed-forward part alone, no final norm. That gives 63.0 and 214.2
    million where the paper's table says 65 and 213; no single vocabulary gives both.
    """
    s = shape
    query_side = s.d_model * s.d_k + s.d_v * s.d_model  # W_query and W_output, one of each per head
    key_side = s.d_model * s.d_k + s.d_model * s.d_v  # W_key and W_value, which heads may share
    per_layer = s.num_heads * query_side + s.num_kv_heads * key_side
    attention_total = per_layer * s.attention_blocks

    layers = s.feed_forward_blocks
    feed_forward_total = layers * 2 * s.d_model * s.d_ff

    stacks = 2 if s.decoder_layers else 1
    token_tables = 1 if s.tied_embeddings else stacks + 1
    position_rows = stacks * (s.context or 0) if s.learned_positions else 0
    embeddings = (token_tables * (s.vocabulary or 0) + position_rows) * s.d_model

    # One norm goes with every attention and every feed-forward part.
    norm_count = 0 if s.attention_only else s.attention_blocks + layers + (stacks if s.final_norm else 0)
    norms = norm_count * s.d_model * (2 if s.biases else 1)

    attention_bias = s.num_heads * s.d_k + s.num_kv_heads * (s.d_k + s.d_v) + s.d_model
    biases = attention_bias * s.attention_blocks if s.attention_biases else 0
    biases += (s.d_ff + s.d_model) * layers if s.biases else 0
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
    """How many tokens the vocabulary would need for the model to have `total` parameters in all.

        (total − what the model has besides its tables of tokens) / (numbers that one token takes)

    A float: only by chance a whole number, and negative where the rest is more than `total`.
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
    }
)


@dataclass(frozen=True)
class FlopCount:
    """Floating-point operations of one pass, a multiplication and an addition counting as two."""

    projections: int  #: making queries, keys and values, and joining the heads
    pattern: int  #: all scores, and all weighted sums of values: the part that grows with tokens²
    feed_forward: int  #: the two matrices after each attention
    vocabulary: int  #: scoring every token of the vocabulary as the next one, at every place
    total: int  #: the four together


def forward_flops(shape, tokens):
    """The calculations of one pass over a text of `tokens` tokens, matrix products alone.

        projections = 2 · tokens · (matrices of attention)
        pattern     = 2 · tokens² · heads · (d_k + d_v), in every layer

    Softmax, norms and additions are left out (they are small), and so is what a causal mask might
    save. With decoder layers both texts are `tokens` long. Returns a `FlopCount` of Python ints.
    Raises `ValueError` if `tokens` is not a whole number ≥ 0.
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
    """How many weights there are in the attention patterns: tokens² in each head of each layer."""
    return (
        checks.whole_number(tokens, "tokens", 0) ** 2
        * checks.whole_number(num_heads, "num_heads", 1)
        * checks.whole_number(num_layers, "num_layers", 1)
    )


def pattern_bytes(tokens, num_heads=1, num_layers=1, bytes_per_number=4):
    """Memory for the attention patterns if they are kept whole, in bytes; 4 a number is float32."""
    bytes_per_number = checks.whole_number(bytes_per_number, "bytes_per_number", 1)
    return pattern_entries(tokens, num_heads, num_layers) * bytes_per_number


def key_value_cache_bytes(shape, tokens, bytes_per_number=2):
    """Memory for the keys and values of a text, kept so that the next token need not make them anew.

        tokens · (d_k + d_v) · (key/value heads) · layers · bytes per number

    In bytes; 2 a number is a 16-bit float. With decoder layers it is these that write: each keeps
    the keys and values of its own text and of the encoder's, both `tokens` long.
    """
    tokens = checks.whole_number(tokens, "tokens", 0)
    bytes_per_number = checks.whole_number(bytes_per_number, "bytes_per_number", 1)
    blocks = 2 * shape.decoder_layers or shape.num_layers
    return tokens * (shape.d_k + shape.d_v) * shape.num_kv_heads * blocks * bytes_per_number


def path_length(distance, network="attention"):
    """How many steps a signal takes between two words `distance` places apart.

    1 with "attention" (0 for a word itself), `distance` in a "recurrent" network, which hands on its
    state word by word. Vaswani et al. 2017, Table 1.
    """
    distance = checks.whole_number(distance, "distance", 0)
    return _per_network(network, attention=min(distance, 1), recurrent=distance)


def sequential_steps(tokens, network="attention"):
    """How many steps of one layer must wait for one another to read `tokens` tokens.

    1 with "attention", where all words are done at once; `tokens` in a "recurrent" network. None for
    an empty text. Vaswani et al. 2017, Table 1.
    """
    tokens = checks.whole_number(tokens, "tokens", 0)
    return _per_network(network, attention=min(tokens, 1), recurrent=tokens)


def _per_network(network, **steps):
    if network not in steps:
        raise ValueError(f"network must be one of {', '.join(steps)}, got {network!r}")
    return steps[network]
