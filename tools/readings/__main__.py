"""Read each planted file with each installed program, and compare with the table of facts."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version

from sim.audit.reading_facts import FEATURES, MEASURED
from tools.readings import installed, others
from tools.readings.planted import PLANTED
from tools.readings.seen import word

CRASHES = (("several-trees", "PyBullet"),)  # seen once, and not repeated in this process


def main() -> int:
    """Print what differs; the exit status is 1 if anything does."""
    differs = 0
    for program, read in {**installed.READERS, **others.READERS}.items():
        package, measured = MEASURED[program]
        try:
            here = version(package)
        except PackageNotFoundError:
            _say(f"{program}: not installed")
            continue
        _say(f"{program} {here}, facts of {measured}")
        for feature in FEATURES:
            expected = feature.by_program[program]
            if (feature.key, program) in CRASHES:
                continue
            now = word(feature.key, read(PLANTED[feature.key]))
            if now != expected:
                differs += 1
                _say(f"  {feature.key}: {now!r}, the table has {expected!r}")
    return int(differs > 0)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()  # before what C libraries print


if __name__ == "__main__":
    sys.exit(main())
