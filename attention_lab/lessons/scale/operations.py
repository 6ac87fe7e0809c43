"""Operations of Scale: the sizes of a transformer as exact whole numbers.

Each has its twin of the same name in ``operations.js`` beside it.
"""

import attention_core
from attention_lab.calculation.table import operation

TransformerShape = operation(
    *("size", "size", "heads", "size", "none|size", "none|size", "none|groups", "size", "size", "count"),
    *("flag", "flag", "none|flag", "flag", "flag", "flag", "flag", "flag"),
    gives="TransformerShape",
)(attention_core.TransformerShape)


count_parameters = operation("shape", gives="ParameterCount")(attention_core.count_parameters)


@operation("count", gives="any")
def unless_zero(size: int) -> int | None:
    """A size, or None for one of 0: then another stands in for it."""
    return size or None


@operation("size", "count", gives="any")
def dividing(whole: int, groups: int) -> int | None:
    """`groups` where they divide `whole` evenly, else None."""
    return groups if groups and whole % groups == 0 else None


@operation("size", "count", gives="")
def remainder(whole: int, by: int) -> int:
    """What a division leaves over; by 0, nothing."""
    return whole % by if by else 0
