"""``python -m hosting``: serve the app, with the settings that options and environment give."""

import sys

from .server import serve
from .settings import read

serve(read(sys.argv[1:]))
