"""Channels of the motor of a row of q."""

from __future__ import annotations

from sim.checks.run_view import RunView
from sim.robots.payload import motor_of, spin_joint


def motor_channel(view: RunView, group: str, row: str) -> str | None:
    """Return the motor channel of a joint, ``motor_tau.elbow``; of the motor's row if elastic.

    None for a row without a motor, including a joint that its gear moves by a spring.
    """
    channel = f"{group}.{motor_of(row)}"
    is_moved_by_spring = spin_joint(row) in view.row_names
    return channel if view.has(channel) and not is_moved_by_spring else None
