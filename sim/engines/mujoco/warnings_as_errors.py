"""Conversion of MuJoCo's warnings, which go into a log file elsewhere, to errors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import mujoco

from sim.errors import EngineError
from sim.robots.mjcf.mujoco_warnings import collect_mujoco_warnings


@contextlib.contextmanager
def mujoco_warnings_as_errors(robot: str) -> Iterator[None]:
    """Keep MuJoCo's warnings to itself inside the block, and make its failures an `EngineError`.

    A warning is no verdict: invalid numbers, and joints that leave their places, are found by the
    caller. `robot` is its name, for the message.
    """
    with collect_mujoco_warnings():
        try:
            yield
        except (mujoco.FatalError, mujoco.UnexpectedError) as error:
            raise EngineError(f"MuJoCo failed with robot {robot!r}: {error}") from None
