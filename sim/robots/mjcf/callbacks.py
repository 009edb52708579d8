"""Suspension of MuJoCo's callbacks, which a user's program may have set for a model of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

CALLBACKS = ("control", "passive", "sensor", "act_dyn", "act_gain", "act_bias", "contactfilter")


@contextlib.contextmanager
def suspended_callbacks(*names: str) -> Iterator[dict[str, Any]]:
    """Suspend callbacks inside the block (default: all); yield those that are set, by name.

    MuJoCo has one of each for all models, and calls them as it compiles one.
    """
    import mujoco

    former = {name: getattr(mujoco, f"get_mjcb_{name}")() for name in names or CALLBACKS}
    former = {name: callback for name, callback in former.items() if callback is not None}
    try:
        for name in former:
            getattr(mujoco, f"set_mjcb_{name}")(None)
        yield former
    finally:
        for name, callback in former.items():
            getattr(mujoco, f"set_mjcb_{name}")(callback)
