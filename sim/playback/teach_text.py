"""A taught position as text: the same lines for the window and for the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sim.kinematics.dh import DHTable
from sim.playback.teach_state import TeachState, factor_and_unit
from sim.robots.robot import Robot

Tone = Literal["plain", "good", "warning", "table"]


@dataclass(frozen=True)
class TeachLine:
    """One line, and its kind."""

    text: str
    tone: Tone = "plain"


def lines_of(robot: Robot, state: TeachState) -> dict[str, TeachLine]:
    """The lines that describe a position, by a name that stays while the position changes."""
    x, y, z = np.round(state.T_0e[:3, 3], 4) + 0.0  # no minus before a zero
    roll, pitch, yaw = np.round(np.degrees(state.rpy), 2) + 0.0
    lines = {
        "tool": TeachLine(f"{robot.tool}:  x {x:+.4f}   y {y:+.4f}   z {z:+.4f} m"),
        "angles": TeachLine(f"roll {roll:+.2f}   pitch {pitch:+.2f}   yaw {yaw:+.2f} deg"),
        "singular": _singularity_line(state),
        "limits": _limits(state),
    }
    if state.branch is not None:
        lines["branch"] = TeachLine(f"branch: {state.branch}")
    if state.dh is not None:
        head = "D-H  theta [deg]   d [m]     a [m]     alpha [deg]"
        lines["dh"] = TeachLine(head, "table")
        lines |= {f"dh{k}": TeachLine(text, "table") for k, text in enumerate(_rows(state.dh), 1)}
    return lines


def joint_line(robot: Robot, q: Iterable[float]) -> str:
    """Format joint positions: degrees, or millimetres for a prismatic joint."""
    shown = []
    for row, x in zip(robot.coordinates, q, strict=True):
        factor, unit = factor_and_unit(row)
        shown.append(f"{row.name} {factor * x:+.2f} {unit}")
    return "   ".join(shown)


def _singularity_line(state: TeachState) -> TeachLine:
    if not state.is_near_singular:
        return TeachLine(f"not singular (smallest singular value {state.sigma:.3f})", "good")
    return TeachLine(
        f"NEAR SINGULAR ({state.sigma:.4f}): the tool can hardly {state.hardest_motion}", "warning"
    )


def _limits(state: TeachState) -> TeachLine:
    if not state.outside:
        return TeachLine("inside all joint limits", "good")
    more = f" (and {len(state.outside) - 1} more)" if len(state.outside) > 1 else ""
    return TeachLine(f"OUTSIDE LIMITS: {state.outside[0]}{more}", "warning")


def _rows(table: DHTable) -> list[str]:
    theta, alpha = (np.round(np.degrees(x), 2) + 0.0 for x in (table.theta, table.alpha))
    # Equal numbers of digits: in the window only digits have a common width.
    return [
        f"{k + 1:2d}    {theta[k]:+07.2f}     {table.d[k]:+.4f}   {table.a[k]:+.4f}   "
        f"{alpha[k]:+07.2f}"
        for k in range(table.n)
    ]
