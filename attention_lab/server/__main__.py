"""``python -m attention_lab.server``: serve the app, with the settings that options and environment give."""

import os
import sys

# For small matrices a second thread of BLAS mostly waits for the first, busily, and takes a processor from other
# readers. Said before NumPy is there.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from .settings import read

settings = read(sys.argv[1:])  # before what takes long to import, so that `--help` needs no package

from .server import serve  # noqa: E402

serve(settings)
