"""The operation of Queries and keys: how far a space separates two words.

Each has its twin of the same name in ``operations.js`` beside it.
"""

import attention_core
from attention_lab.calculation.table import operation

separation_ratio = operation("row d", "row d", "row d", "row d", gives="")(attention_core.separation_ratio)
