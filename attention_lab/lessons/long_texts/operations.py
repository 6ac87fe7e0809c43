"""Operations of Long texts: softmax in tiles, and the size of a cache. Their twins are in ``operations.js``."""

import attention_core
from attention_lab.calculation.table import operation

softmax_in_tiles = operation("scores n m", "vectors m d", "tile", gives="TiledSoftmax")(
    attention_core.softmax_in_tiles
)


@operation("heads", "count", "groups", gives="")
def kv_heads_of(heads: int, wanted: int, published: int) -> int:
    """The number of KV heads `wanted` if it divides that of query heads, else the `published` one."""
    return wanted if wanted and heads % wanted == 0 else published


@operation("size", "size", "size", "size", gives="")
def cache_bytes(num_layers: int, num_kv_heads: int, d_k: int, tokens: int) -> int:
    """The bytes of a text's keys and values, at 2 bytes a number."""
    shape = attention_core.TransformerShape(num_kv_heads * d_k, d_k, num_kv_heads, num_layers)
    return attention_core.key_value_cache_bytes(shape, tokens)
