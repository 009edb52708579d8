"""`python -m tools.meshes [ROBOT ...]`: write the meshes of all robots, or of some."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.meshes.files import ROBOTS, write

MESHES = Path(__file__).parents[2] / "meshes"


def main(arguments: list[str]) -> None:
    """Write the meshes of the robots named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.meshes", description=__doc__)
    parser.add_argument("robots", nargs="*", help=f"any of {', '.join(ROBOTS)}; all without")
    parser.add_argument("--out", type=Path, default=MESHES)
    options = parser.parse_args(arguments)
    unknown = [name for name in options.robots if name not in ROBOTS]
    if unknown:
        parser.error(f"{unknown[0]!r} is no robot that can be drawn; there are {', '.join(ROBOTS)}")
    for path in write(options.robots or list(ROBOTS), options.out):
        sys.stdout.write(f"{path.stat().st_size:8d}  {path}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
