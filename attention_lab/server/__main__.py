"""``python -m attention_lab.server``: serve the app, with the settings that options and environment give."""

import os
import sys

# For small matrices a second thread of BLAS mostly waits for the first, busily, and takes a processor from other
# readers. Said before NumPy is there.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from .server import serve
from .settings import read

serve(read(sys.argv[1:]))
