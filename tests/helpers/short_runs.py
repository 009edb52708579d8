"""Short runs of small robots, and ways to spoil what they recorded."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import msgspec
import numpy as np

from sim import shipped
from sim.motion import JointMotion
from sim.recording import Recording
from sim.robots import Robot, load_robot, read_urdf
from sim.scenario import Scenario
from sim.simulation import run

SMOOTH = {"shoulder": "STEP5(time, 0, 0, 0.3, 15d)", "elbow": "10d * SIN(PI * time)**2"}
DURATION = 0.3  # [s]
STEP = 1e-3  # [s]


def arm(load: float = 0.5) -> Robot:
    """The shipped two-link arm with a load [kg] at its tip."""
    return load_robot(shipped.scenarios() / "two_link.urdf").with_payload(mass=load)


def rubbing_arm() -> Robot:
    """The two-link arm with viscous and Coulomb friction in the shoulder, viscous in the elbow."""
    text = (shipped.scenarios() / "two_link.urdf").read_text("utf-8")
    for name, dynamics in (
        ("shoulder", '<dynamics damping="0.7" friction="0.3"/>'),
        ("elbow", '<dynamics damping="0.2"/>'),
    ):
        opening = f'<joint name="{name}" type="revolute">'
        assert text.count(opening) == 1
        text = text.replace(opening, opening + dynamics)
    return read_urdf(text)


@cache
def short_run(method: str = "stepped") -> Recording:
    """A run of the arm that passes its checks; shared, so copy before you change it."""
    scenario = Scenario(arm(), JointMotion.displacement(SMOOTH), DURATION)
    return run(scenario, method=method, name="swing")  # type: ignore[arg-type]


def spoiled(
    recording: Recording, channel: str, change: float, k: int, table: str = "recorded"
) -> Recording:
    """The recording with `change` added to sample `k` of one channel of one table."""
    frame = getattr(recording, table).copy()
    values = frame[channel].to_numpy().copy()
    values[k] += change
    frame[channel] = values
    return replace(recording, **{table: frame})


def with_settings(recording: Recording, **settings: Any) -> Recording:
    """The recording with other settings in its description."""
    return recording.with_description(
        settings=msgspec.structs.replace(recording.run.settings, **settings)
    )


def times_of(recording: Recording) -> np.ndarray:
    """Sample times [s]."""
    return recording.t


def both(recording, channel, change):
    """The recording with other values of a channel in both tables: they agree."""
    tables = {}
    for name in ("recorded", "analytic"):
        table = getattr(recording, name)
        tables[name] = table.assign(**{channel: change(table[channel].to_numpy().copy())})
    return replace(recording, **tables)
