"""Four axes with a tool that stays level, such as the ABB IRB 460: elbow up and down.

Axis 1 and the last axis are parallel; every axis between them is perpendicular to axis 1, and
coupling (``<mimic>``) makes one motor rotate one link, a second motor another, while all else keeps
its direction. A pose whose tool is not level is out of reach, and is solved with the tool levelled.
Over its back such an arm reaches a point near axis 1 in two more ways. The arm's own angles are φ1,
the direction of the lower arm, the angle from it to the upper arm, and the yaw of the tool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.kinematics.inverse.arm import elbow, shoulder
from sim.kinematics.inverse.arm_frame import drop_rounding
from sim.kinematics.inverse.family import Angles, Family
from sim.kinematics.inverse.lines import LARGEST_DEVIATION, Lines, foot
from sim.maths.arrays import Array, frozen


@dataclass(frozen=True, eq=False, kw_only=True)
class Palletizer(Family):
    """Two links with absolute angles that carry a level tool.

    Parameters
    ----------
    base : complex
        Part that the two links do not rotate, from the origin to the tool point: radial + i·up [m].
    """

    name: ClassVar[str] = "palletizer"
    base: complex

    def angles(self, R: Array, p: Array, hint: Array) -> Angles:
        """Return all branches; see `Family.angles`."""
        swing = shoulder(p[0], p[1], self.lateral, hint[0])
        arm = elbow(
            (swing.r - self.base.real)[:, None, None], p[2] - self.base.imag, self.lengths, hint[1]
        )
        yaw = np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
        lean = np.hypot(R[0, 2], R[1, 2])
        a = (swing.phi[:, None, None], arm.first, arm.curvature, yaw[None, None, None])
        margins = {"shoulder": np.abs(swing.r)[:, None, None], "elbow": arm.sine}
        free = ((0, swing.free), (1, arm.free))
        return Angles(a, arm.gap + swing.gap + lean + (R[2, 2] < 0), margins, free)


def fit(lines: Lines) -> Palletizer | None:
    """Return the arm of four motors in its own frame, or None if it is not of this family."""
    middle = range(1, lines.k - 1)
    tilt = float(np.abs(lines.w[-1, :2]).max())
    if lines.coupling.shape[1] != 4 or not lines.are_parallel(*middle):
        return None
    if tilt > LARGEST_DEVIATION:
        return None
    turning = np.cumsum(lines.signs[1:-1, None] * lines.coupling[1:-1], axis=0)  # of each link
    centre = foot(lines.T_ae[:3, 3], lines.c[-1], lines.w[-1])
    ends = [*(lines.plane_point(i) for i in middle[1:]), complex(centre[0], centre[2])]
    links: dict[tuple[float, ...], complex] = {}
    for i, row, end in zip(middle, turning.tolist(), ends, strict=True):
        links[tuple(row)] = links.get(tuple(row), 0j) + end - lines.plane_point(i)
    level = (0.0, 0.0, 0.0, 0.0)
    fixed = links.pop(level, 0j)
    if tuple(turning[-1]) != level or len(links) != 2:
        return None
    (row2, lower), (row3, upper) = links.items()
    signs = np.sign(lines.w[[0, -1], 2])
    K = np.stack(
        [
            signs[0] * lines.coupling[0],
            np.array(row2),
            np.array(row3) - row2,
            signs[0] * lines.coupling[0] + signs[1] * lines.coupling[-1],
        ]
    )
    if abs(np.linalg.det(K)) < 1e-9 or min(abs(lower), abs(upper)) < LARGEST_DEVIATION:
        return None
    base = lines.plane_point(1) + fixed
    return Palletizer(
        **lines.placement(np.eye(3), centre),
        K=frozen(K),
        k=frozen([0.0, np.angle(lower), np.angle(upper / lower), 0.0]),
        deviation=max(lines.deviation, tilt),
        base=complex(drop_rounding(base.real), drop_rounding(base.imag)),
        lateral=drop_rounding(-centre[1]),
        lengths=(abs(lower), abs(upper)),
    )
