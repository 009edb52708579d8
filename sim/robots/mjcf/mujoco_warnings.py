"""Collection of MuJoCo's warnings, which are otherwise printed and appended to a log file."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

_lock = threading.RLock()


@contextlib.contextmanager
def collect_mujoco_warnings() -> Iterator[list[str]]:
    """Collect MuJoCo's warnings inside the block, each on one line, in the list that it yields.

    MuJoCo has one handler for all threads: another thread waits until the block has ended.
    """
    import mujoco

    collected: list[str] = []
    with _lock:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda message: collected.append(" ".join(message.split())))
        try:
            yield collected
        finally:
            mujoco.set_mju_user_warning(before)
