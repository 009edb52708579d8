"""Handling of MuJoCo's warnings, otherwise written to a log file, and of its errors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import mujoco

from sim.errors import EngineError
from sim.robots.mjcf.mujoco_warnings import collect_mujoco_warnings


@contextlib.contextmanager
def mujoco_warnings_as_errors(robot: str) -> Iterator[None]:
    """Suppress MuJoCo's warnings inside the block, and convert its failures to `EngineError`.

    Warnings are ignored: invalid numbers, and joints off their paths, are detected by the caller.
    `robot` is its name, for the message.
    """
    with collect_mujoco_warnings():
        try:
            yield
        except (mujoco.FatalError, mujoco.UnexpectedError) as error:
            raise EngineError(f"MuJoCo failed with robot {robot!r}: {error}") from None
