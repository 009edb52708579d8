"""PickUp and SetDown: a payload that comes and goes during a run."""

from __future__ import annotations

from dataclasses import dataclass

from sim.maths.arguments import checked
from sim.robots.payload import Payload


@checked
@dataclass(frozen=True)
class PickUp:
    """From `time` [s] on the robot carries `payload`, which moves with its frame from the start.

    Parameters
    ----------
    time : float
        On a sample of the run [s].
    payload : Payload
    name : str
        How `SetDown` and the tables call it.
    """

    time: float
    payload: Payload
    name: str = "payload"


@checked
@dataclass(frozen=True)
class SetDown:
    """At `time` [s] the robot lets go of the payload `name`."""

    time: float
    name: str = "payload"


PayloadEvent = PickUp | SetDown
