"""``python -m benchmarks [SUBJECT ...]``: measure, and write tables and plots."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from pathlib import Path

SUBJECTS = (
    "inverse_dynamics",
    "inverse_kinematics",
    "prescribed_motion",
    "free_motion",
    "forces",
    "engines",
    "processes",
    "pages",
    "growth",
    "studies",
    "watching",
)
FOLDER = Path("docs/benchmarks")
FEWEST = 5  # least number of rounds of stored results
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def main() -> int:
    """Measure the chosen subjects; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "subjects", nargs="*", help=f"benchmarks to run: {', '.join(SUBJECTS)} (default: all)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--quick", action="store_true", help="run small sizes as a check")
    parser.add_argument(
        "--out", type=Path, help=f"output folder (default: {FOLDER}; none with --quick)"
    )
    options = parser.parse_args()
    names = options.subjects or list(SUBJECTS)
    if unknown := sorted(set(names) - set(SUBJECTS)):
        parser.error(f"unknown benchmark {', '.join(unknown)}; choose from {', '.join(SUBJECTS)}")
    if options.rounds < 1:
        parser.error(f"--rounds must be 1 or more, got {options.rounds}")
    if _folder(options) == FOLDER and (options.quick or options.rounds < FEWEST):
        parser.error(f"results in {FOLDER} need at least {FEWEST} rounds; choose another --out")
    os.environ |= dict.fromkeys(THREADS, "1")  # set before NumPy is loaded
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise each process compiles every module
    sys.dont_write_bytecode = False
    from benchmarks import tables

    missed = [name for name in names if not _measured(name, options)]
    folder = _folder(options)
    if folder is not None:
        tables.write_targets(folder)
    if missed:
        print(f"targets missed in {', '.join(missed)}")
    return 1 if missed else 0


def _folder(options: argparse.Namespace) -> Path | None:
    """Return the folder of results; for a quick trial only on request."""
    return options.out or (None if options.quick else FOLDER)


def _measured(name: str, options: argparse.Namespace) -> bool:
    from benchmarks import kept, tables
    from benchmarks.contest import Settings

    begin = time.perf_counter()
    settings = Settings(1 if options.quick else options.rounds, options.quick)
    subject = importlib.import_module(f"benchmarks.{name}").measured(settings)
    folder = _folder(options)
    print(f"{name}: {time.perf_counter() - begin:.0f} s")
    for target in subject.targets:
        word = "at least" if target.at_least else "at most"
        result = "met" if target.met else "MISSED"
        value = "not measured" if target.reached is None else f"{target.reached:.3g} {target.unit}"
        bound = f"{word} {target.bound:g}"
        print(f"  {target.what}: {value} ({bound}): {result}")
    if folder is not None:
        path = kept.keep(folder, name, subject, settings)
        tables.write(folder, kept.read(path))
        print(f"  {path}")
    return options.quick or all(target.met for target in subject.targets)


if __name__ == "__main__":
    sys.exit(main())
