"""`python -m sim`: the `sim` command."""

import sys

from sim.cli.command import main

if __name__ == "__main__":
    sys.argv[0] = (
        "sim"  # a run's description states the command, and this file has no name of its own
    )
    main()
