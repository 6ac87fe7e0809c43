"""The mathematics of attention in NumPy, with worked examples, the training of a head, and trained models.

Row vectors throughout: a word is a row, x is (…, n, d_model), query = x @ W_query. No call warns,
and no call changes its input.
"""

import types

from attention_core.attention import AttentionTrace, scaled_dot_product_attention
from attention_core.block import FeedForward, block_steps, layer_norm, random_feed_forward
from attention_core.examples import Example, example_names, load_example, loadable_examples
from attention_core.geometry import (
    TRIANGLE_CORNERS,
    angle,
    convex_hull,
    displacements,
    inside_hull,
    projection,
    separation_ratio,
    temperature_path,
    tip_to_tail,
    triangle_coordinates,
)
from attention_core.heads import AttentionHead, MultiHeadAttention, MultiHeadTrace
from attention_core.low_rank import LowRank, low_rank
from attention_core.masks import MayAttend, causal_mask, padding_mask, window_mask
from attention_core.models import (
    Ablation,
    Gallery,
    GalleryRun,
    GeneratedToken,
    LanguageModel,
    LanguageRun,
    PretrainedModel,
    PretrainedRun,
    RecordedAnswer,
    RecordedRun,
    RecordedRuns,
    Senses,
    Translation,
    Translator,
    chat_text,
    load_gallery,
    load_language_model,
    load_recorded_runs,
    load_translator,
    read_model,
)
from attention_core.positions import dial_positions, rotate_by_position, sinusoidal_positions
from attention_core.saturation import RandomScores, Spread, random_scores, softmax_gradient
from attention_core.scale import (
    SHAPES,
    FlopCount,
    ParameterCount,
    TransformerShape,
    count_parameters,
    forward_flops,
    key_value_cache_bytes,
    path_length,
    pattern_bytes,
    pattern_entries,
    sequential_steps,
    vocabulary_for,
)
from attention_core.similarity import cosine_similarity, dot_product, rank_correlation, scaled_dot_product
from attention_core.softmax import entropy, softmax
from attention_core.tiles import TiledSoftmax, softmax_in_tiles
from attention_core.training import Task, TrainingRun, load_task, loss_and_gradients, task_names, train

# All that is imported above, and no module.
__all__ = sorted(n for n, value in globals().items() if n[0] != "_" and not isinstance(value, types.ModuleType))
