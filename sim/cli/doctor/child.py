"""Run a diagnosis that may crash its process in a child process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

PATIENCE = 60.0  # s; enough for a cold disk and a busy machine
GREETING = "pybullet build time"  # printed by PyBullet on stderr in any case


def answer_of(module: str, *arguments: str) -> object:
    """Return the JSON in the last line that ``python -m module`` prints.

    Raises
    ------
    RuntimeError
        If there is none; the message describes how the process ended.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", module, *arguments],  # -P: ignores the working folder
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path or "." for path in sys.path)},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"no result within {PATIENCE:g} s") from None
    lines = done.stdout.decode(errors="replace").strip().splitlines()
    try:
        return json.loads(lines[-1])
    except (IndexError, ValueError):
        raise RuntimeError(_end(done)) from None


def _end(done: subprocess.CompletedProcess[bytes]) -> str:
    output = done.stderr.decode(errors="replace").strip().splitlines()
    lines = [line for line in output if not line.startswith(GREETING)]
    if done.returncode < 0:
        return f"its process was terminated by {signal.Signals(-done.returncode).name}"
    return lines[-1] if lines else f"its process ended with status {done.returncode} and no output"
