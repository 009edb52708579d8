"""Fuzz a target for some minutes.

    python -m tools.fuzz [--target NAME ...] [--minutes M | --inputs N] [--seed S] [--plain]
    python -m tools.fuzz --target NAME --replay FILE ...

Without a target all run, one after the other. Guided by coverage if atheris is installed,
otherwise, and with ``--plain``, by new outcomes. Findings are minimised and written to
``build/fuzz/<target>/``; the exit status is then 1. Move one to ``tests/fuzz/cases/<target>/`` with
its fix, so that every run of the tests tries it.
"""

from __future__ import annotations

import argparse
import atexit
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from tools.fuzz.target import ROOT, Target

TARGETS = (
    "urdf", "expression", "runs", "tables", "decks", "logs", "command", "history", "catalogues",
    "controllers",
)  # fmt: skip


def target_of(name: str) -> Target:
    """Return the target of a name."""
    made: Target = importlib.import_module(f"tools.fuzz.{name}_target").TARGET()
    return made


def main() -> int:
    """Fuzz according to the arguments; return 1 if something was found."""
    options = _options()
    names = options.target or list(TARGETS)
    if len(names) > 1:  # a process each: memory is limited per process, and atheris never returns
        rest = [word for word in sys.argv[1:] if word not in (*TARGETS, "--target")]
        each = [_again([*rest, "--target", name]) for name in names]
        return max(each)
    if options.replay:
        return _replayed(target_of(names[0]), options.replay)
    return _fuzzed(names[0], options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("tools.fuzz", description="Fuzz the program.")
    parser.add_argument("--target", nargs="+", choices=TARGETS)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--inputs", type=int, help="so many at most; not with atheris")
    parser.add_argument("--seed", default=f"{time.time():.0f}")
    parser.add_argument("--plain", action="store_true", help="without atheris")
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE")
    return parser.parse_args()


def _again(arguments: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", "tools.fuzz", *arguments], check=False).returncode


def _fuzzed(name: str, options: argparse.Namespace) -> int:
    from tools.fuzz.limits import cap_memory
    from tools.fuzz.loops import Tally, guided, plain

    os.environ["SIM_TRACEBACK"] = "1"  # show errors of the program in full
    # for a user unknown code, here trusted
    os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="fuzz-state-")
    atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):  # no window opens
        os.environ.pop(variable, None)
    warnings.simplefilter("ignore")  # as the command does
    keep = (options.keep / name).resolve()
    keep.mkdir(parents=True, exist_ok=True)
    is_guided = not options.plain and importlib.util.find_spec("atheris") is not None
    sys.stderr.write(
        f"{name}: seed {options.seed}, {'by coverage' if is_guided else 'by outcomes'}\n"
    )

    def tally_of(target: Target) -> Tally:
        cap_memory()
        return Tally(target, keep, time.monotonic() + 60 * options.minutes)

    if is_guided:
        guided(lambda: target_of(name), tally_of, options.seed)
    return plain(tally_of(target_of(name)), options.seed, options.inputs)


def _replayed(target: Target, files: list[Path]) -> int:
    os.environ["SIM_TRACEBACK"] = "1"
    for file in files:
        sys.stderr.write(f"{file.name}: {target.tried(file.read_bytes(), whole=True)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
