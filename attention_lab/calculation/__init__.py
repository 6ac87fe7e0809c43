"""What a page computes: written once as a Python function, run by Python and by the browser.

`recording` says how such a function is written, `expressions` what stands in it, `operations` what it can use.
"""

from . import operations
from .binary_arrays import BinaryArrays, pack_arrays
from .expressions import Condition, Expression, name_of, path_of
from .recording import NO_CALCULATION, Calculation, Results, record, steps_of
