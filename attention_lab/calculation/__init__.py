"""What a page computes: written once as a Python function, run by Python and by the browser.

`recording` says how such a function is written, `values` what stands in it, `operations` what it can use.
"""

from . import operations
from .recording import Calculation, Results, record, steps_of
from .values import Condition, Value, name_of, path_of

__all__ = [
    "Calculation",
    "Condition",
    "Results",
    "Value",
    "name_of",
    "operations",
    "path_of",
    "record",
    "steps_of",
]
