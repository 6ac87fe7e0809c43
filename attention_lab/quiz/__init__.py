"""Multiple-choice questions about the course: options, right answers, and what refutes the others.

No sentence is here. The words of `PARTS` are in ``check_yourself.md``, those of `TEST_ITEMS` in ``test.md``.
"""

from attention_lab.quiz.answers import as_csv, key_as_csv, new_code, read_code
from attention_lab.quiz.items import PARTS, Item, Pose
from attention_lab.quiz.pre_post import TEST_ITEMS
