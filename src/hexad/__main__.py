"""`python -m hexad` is the command `hexad`."""

import sys

from hexad.cli import main

if __name__ == "__main__":
    sys.exit(main())
