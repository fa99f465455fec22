"""``python -m muniment`` is the command ``muniment``."""

import sys

from .interfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
