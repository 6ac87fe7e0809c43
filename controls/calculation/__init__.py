"""What a page computes: written once as a Python function, run by Python and by the browser.

`recording` says how such a function is written and what its values are; `operations` lists what it can use.
"""

from .recording import Calculation, Results, Value, name_of, path_of, record, steps_of

__all__ = ["Calculation", "Results", "Value", "name_of", "path_of", "record", "steps_of"]
