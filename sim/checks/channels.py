"""What the judges read of a recording: its times, its columns and its joints by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.errors import RecordingError
from sim.spatial import Array

if TYPE_CHECKING:
    import pandas as pd


def times(table: pd.DataFrame) -> Array:
    """Sample times of a table, shape (N,) [s]."""
    return table.index.to_numpy(dtype=np.float64)


def column(table: pd.DataFrame, channel: str) -> Array:
    """Values of one channel, shape (N,); what is no finite number is NaN, which fails any limit.

    Raises
    ------
    RecordingError
        If the table does not have it.
    """
    if channel not in table:
        raise RecordingError(f"The recording has no channel {channel!r}, which a check needs")
    values = table[channel].to_numpy(dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def own_joints(info: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The joints of a run that follow no other, with their ratings."""
    return [joint for joint in info["robot"]["joints"] if joint["mimic"] is None]


def driven_joints(info: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Those of them that a drive moves: neither free, nor passive joints of closed loops."""
    settings = info["settings"]
    idle = {*settings["free"], *settings.get("passive", ())}
    return [joint for joint in own_joints(info) if joint["name"] not in idle]
