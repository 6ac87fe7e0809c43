"""Operations of Long texts: softmax that sees the scores tile by tile. Its twin is in ``operations.js``."""

import attention_core
from attention_lab.calculation.table import operation

softmax_in_tiles = operation("scores n m", "vectors m d", "tile", gives="TiledSoftmax")(
    attention_core.softmax_in_tiles
)
