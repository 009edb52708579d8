"""Commands of `sim` run by the window, so that a shown command line is the one that was run."""

from __future__ import annotations

import asyncio
import os
import shlex
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

from sim.errors import in_one_line
from sim.studio.refusal import RefusalError

LONGEST = 120.0  # [s]
WIDTH = "84"  # characters of a line in the window
WELL = (0, 1)  # 1: completed with a failed result


async def run_command(prefix: list[str], folder: Path, *arguments: str) -> str:
    """Return the stdout of ``sim ARGUMENTS`` in a folder.

    Parameters
    ----------
    prefix : list of str
        Command line of `sim`.
    folder : Path
    *arguments : str

    Raises
    ------
    RefusalError
        With the message of the command, if it failed.
    """
    process = await asyncio.create_subprocess_exec(
        *prefix,
        *arguments,
        cwd=folder,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        env={**os.environ, "COLUMNS": WIDTH},
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), LONGEST)
    except TimeoutError as error:
        process.kill()
        raise RefusalError(504, f"{line_of(*arguments)}: not done in {LONGEST:g} s") from error
    if process.returncode not in WELL:
        reason = err.decode(errors="replace").strip().removeprefix("sim: ")
        raise RefusalError(422, in_one_line(reason) or f"{line_of(*arguments)} failed")
    return out.decode(errors="replace")


def line_of(*arguments: str) -> str:
    """Return the command line as typed."""
    return shlex.join(("sim", *arguments))
