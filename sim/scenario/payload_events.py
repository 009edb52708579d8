"""PickUp and SetDown: payloads that are picked up and set down during a run."""

from __future__ import annotations

from dataclasses import dataclass

from sim.maths.arguments import checked
from sim.robots.payload import Payload


@checked
@dataclass(frozen=True)
class PickUp:
    """Carry `payload` from `time` [s] on; it moves with its frame from the start.

    Parameters
    ----------
    time : float
        Time of a sample of the run [s].
    payload : Payload
    name : str
        Name in `SetDown` and in the tables.
    """

    time: float
    payload: Payload
    name: str = "payload"


@checked
@dataclass(frozen=True)
class SetDown:
    """Set down the payload `name` at `time` [s]."""

    time: float
    name: str = "payload"


PayloadEvent = PickUp | SetDown
