"""Validation of arguments: numbers, shapes, finiteness.

Every function raises a `ValueError` that names the argument, the value it must have and the value it has.
"""

import math
from collections.abc import Iterable
from contextlib import suppress
from numbers import Integral, Real

import numpy as np

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))

_BOOLEAN = np.dtype(bool)


def as_array(numbers, name):
    """Return `numbers` as an array; refuse a masked one, as its hidden numbers would count like any others.

    NumPy itself has no bfloat16: a tensor of it, such as PyTorch's, comes as float32.
    """
    if type(numbers) is np.ndarray:
        return numbers
    if _hides_numbers(numbers):
        raise ValueError(
            f"{name} must not be a masked array: fill what it hides, such as {name}.filled(0), scores with -inf"
        )
    if str(getattr(numbers, "dtype", "")) == "torch.bfloat16":
        numbers = numbers.detach().float()
    try:
        return np.asarray(numbers)
    except (ValueError, TypeError) as error:  # rows of different lengths; tensors of bfloat16 in a list
        raise ValueError(f"{name} is not an array of numbers: {error}") from None


def _hides_numbers(numbers):
    """Whether this is a masked array, or a list that holds one."""
    if isinstance(numbers, (list, tuple)):
        return any(map(_hides_numbers, numbers))
    return isinstance(numbers, np.ma.MaskedArray)


def real_array(numbers, name):
    """Return `numbers` as an array of float32 (from float32, float16 and bfloat16) or float64 (from the rest).

    It may be the caller's own array: never write to it.
    """
    array = as_array(numbers, name)
    if array.dtype in _FLOATS:
        return array
    if array.dtype == np.float16 or array.dtype.name == "bfloat16":
        return array.astype(np.float32)
    # Objects may be fractions, or whole numbers beyond 64 bits.
    if array.dtype.kind in "biuf" or (
        array.dtype.kind == "O" and all(isinstance(number, Real) for number in array.flat)
    ):
        with np.errstate(all="ignore"), suppress(OverflowError):
            return array.astype(np.float64)
    raise ValueError(f"{name} must hold real numbers that fit in 64 bits, got {array.dtype}")


def vectors(rows, name):
    """Return `rows` as a real array (…, n, d), one vector per row."""
    return rows_of_vectors(real_array(rows, name), name)


def rows_of_vectors(array, name):
    """Return the array; refuse one that is not (…, n, d) with d at least 1."""
    if array.ndim < 2:
        raise ValueError(
            f"{name} must have shape (…, n, d), one vector per row, got {array.shape}"
            + ("; a single vector is a row of its own: (1, d)" if array.ndim == 1 else "")
        )
    if array.shape[-1] == 0:
        raise ValueError(f"{name} must have vectors of at least one component, got shape {array.shape}")
    return array


def matrix(numbers, name, ndim=2):
    """Return a read-only copy of a finite weight matrix, (d_in, d_out), or for `ndim` 3 of a stack of them."""
    array = finite(real_array(numbers, name), name)
    if array.ndim != ndim or 0 in array.shape:
        wanted = "(d_in, d_out)" if ndim == 2 else "(heads, d_in, d_out)"
        raise ValueError(f"{name} must have shape {wanted} with no size zero, got {array.shape}")
    return frozen(array.copy())


def frozen(array):
    """Make the array read-only, and return it."""
    array.setflags(write=False)
    return array


def finite(array, name):
    """Return the array; refuse NaN and the infinities."""
    if not is_finite(array):
        raise ValueError(f"{name} must be finite, got {first(array, ~np.isfinite(array))}")
    return array


def is_finite(array):
    """Return whether every number is finite.

    A sum of squares, the fastest pass over an array, is finite only if all its terms are. Where it is not it may
    only have overflowed, and every number is looked at.
    """
    return math.isfinite(np.vdot(array, array)) or bool(np.isfinite(array).all())


def boolean(array, name, remedy):
    """Return `array` as booleans; refuse numbers, as libraries differ in what 0, 1 and −inf mean in a mask."""
    array = as_array(array, name)
    if array.dtype == _BOOLEAN:
        return array
    if array.size:
        raise ValueError(f"{name} must be boolean, got {array.dtype}; {remedy}")
    return array.astype(bool)  # an empty list has no type


def whole_number(number, name, minimum, maximum=None):
    """Return a Python int from `minimum` to `maximum`, where there is one; refuse 3.0 and True."""
    if not isinstance(number, Integral) or isinstance(number, (bool, np.bool)) or number < minimum:
        raise ValueError(f"{name} must be a whole number of at least {minimum}, got {number!r}")
    if maximum is not None and number > maximum:
        raise ValueError(f"{name} must be at most {maximum:,}, got {number!r}")
    return int(number)


def real_number(number, name):
    """Return a finite Python float."""
    if isinstance(number, Real):
        try:
            number = float(number)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise ValueError(f"{name} must be a finite number, got {number!r}")


def positive_number(number, name, remedy=""):
    """Return a finite Python float above zero."""
    result = real_number(number, name)
    if result <= 0:
        raise ValueError(f"{name} must be above zero, got {number!r}{remedy}")
    return result


def axis_of(array, name, axis):
    """Refuse a single number, and an axis that the array does not have."""
    if array.ndim == 0:
        raise ValueError(f"{name} must have at least one axis, got a single number")
    if not isinstance(axis, Integral) or not -array.ndim <= axis < array.ndim:
        raise ValueError(
            f"axis must be a whole number from {-array.ndim} to {array.ndim - 1} for {name} of shape "
            f"{array.shape}, got {axis!r}"
        )


def same_width(a, b, a_name, b_name):
    """Refuse vectors of different lengths."""
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(
            f"{a_name} and {b_name} must have vectors of the same length, got shapes {a.shape} and {b.shape}"
        )


def leading_axes(a, b, a_name, b_name, own=2, group=1):
    """Refuse leading axes (batch, head) that do not broadcast; the last `own` axes are not among them.

    A `group` of several heads of `a` may share one of `b`.
    """
    axes = b.shape[:-own]
    try:
        np.broadcast_shapes(a.shape[:-own], axes if group == 1 else (*axes[:-1], group * axes[-1]))
    except ValueError:
        raise ValueError(
            f"{a_name} and {b_name} have leading axes that do not go together, got shapes {a.shape} and {b.shape}"
        ) from None
    if own == 2:  # rows of vectors, in a batch or in heads
        one_place(a, b.shape[:-own], a_name, own)
        one_place(b, a.shape[:-own], b_name, own)


def one_place(array, leading, name, own):
    """Refuse leading axes that fit the axes `leading` elsewhere than at their end: sentences taken for heads.

    The last `own` axes of `array` are not among its leading axes.
    """
    axes = array.shape[:-own]
    if all(size == 1 for size in axes):
        return
    for start in range(len(leading) - len(axes)):
        if all(size in (1, other) for size, other in zip(axes, leading[start:], strict=False)):
            raise ValueError(
                f"the leading axes {axes} of {name} could mean sentences or heads of {leading}: "
                f"pass {name}[:, None] for one per sentence, or {name}[None] for one per head"
            )


def heads(pairs, layers, count):
    """Return pairs (layer, head), from 0, as a list; refuse what is no head of this many layers and heads."""
    if not isinstance(pairs, Iterable):
        raise ValueError(f"heads that are off must be pairs (layer, head), got {pairs!r}")
    pairs = list(pairs)
    for pair in pairs:
        numbers = tuple(pair) if isinstance(pair, (tuple, list, np.ndarray)) else ()
        whole = len(numbers) == 2 and all(isinstance(number, Integral) for number in numbers)
        if not (whole and 0 <= numbers[0] < layers and 0 <= numbers[1] < count):
            raise ValueError(
                f"there is no head {pair!r}: a head is (layer, head), layers are 0 to {layers - 1}, "
                f"heads 0 to {count - 1}"
            )
    return [(int(layer), int(head)) for layer, head in pairs]


def first(array, where):
    """Describe the first offending number and its index, for a message."""
    index = tuple(int(i) for i in np.argwhere(where)[0])
    return f"{array[index]} at index {index}" if index else f"{array[index]}"
