"""Read each planted file with each installed program, and compare with the table of facts."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version

from sim.audit.reading_facts import MEASURED, MJCF_FEATURES, SDF_FEATURES, URDF_FEATURES
from tools.readings import installed, mjcf_readers, others, planted_mjcf, planted_sdf, sdf_readers
from tools.readings.mjcf_words import mjcf_word
from tools.readings.planted import PLANTED
from tools.readings.sdf_words import sdf_word
from tools.readings.seen import word

CRASHES = (("several-trees", "PyBullet"),)  # for a URDF; observed once, and not repeated here
FORMATS = (
    ("URDF", {**installed.READERS, **others.READERS}, URDF_FEATURES, PLANTED, word),
    ("MJCF", mjcf_readers.READERS, MJCF_FEATURES, planted_mjcf.PLANTED, mjcf_word),
    ("SDF", sdf_readers.READERS, SDF_FEATURES, planted_sdf.PLANTED, sdf_word),
)


def main() -> int:
    """Print the differences; return status 1 if there are any."""
    differs = 0
    for kind, readers, features, planted, word_of in FORMATS:
        for program, read in readers.items():
            package, measured = MEASURED[program]
            try:
                here = version(package)
            except PackageNotFoundError:
                _say(f"{program}: not installed")
                continue
            _say(f"{kind} by {program} {here}, facts of {measured}")
            for key, feature in features.items():
                expected = feature.by_program[program]
                if (key, program) in CRASHES and kind == "URDF":
                    continue
                now = word_of(key, read(planted[key]))
                if now != expected:
                    differs += 1
                    _say(f"  {key}: {now!r}, the table has {expected!r}")
    return int(differs > 0)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()  # precedes the output of C libraries


if __name__ == "__main__":
    sys.exit(main())
