"""FreeBase: motion of the root link of a PyBullet body that is not fixed."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from sim.errors import EngineError
from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.watching.free_base import on_free_base
from sim.watching.sample_store import SampleStore

BASE = -1  # PyBullet's index of the root link
ROWS = 6
NAME = "base"  # name of the free joint


class FreeBase:
    """Samples of a free base.

    PyBullet integrates the velocity of the root link's mass centre and its angular velocity in the
    world. The robot therefore gets a free joint at that mass centre, with the discrete law of all
    other joints: positions move by ``dt qd'`` and accelerations are ``(qd' - qd)/dt``. A rotation
    about ``qd'`` does not change that vector, which is thus the same in the axes before and after
    the step.
    """

    def __init__(self, bullet: Any, body: int, client: int) -> None:
        self._of = {"bodyUniqueId": body, "physicsClientId": client}
        self._pose, self._velocity = bullet.getBasePositionAndOrientation, bullet.getBaseVelocity
        info = bullet.getDynamicsInfo(body, BASE, physicsClientId=client)
        self.centre, self._axes = np.array(info[3]), Rotation.from_quat(info[4])
        self._store = SampleStore(13)

    def robot(self, robot: Robot) -> Robot:
        """Return the robot with the free joint.

        Raises
        ------
        EngineError
            If a joint of the robot has the name of the free one.
        """
        if any(joint.name.split(".")[0] == NAME for joint in robot.joints):
            raise EngineError(
                f"Robot {robot.name!r} has a joint {NAME!r}, which is the name of its free base "
                "here; call that joint another name"
            )
        return on_free_base(robot, NAME, self.centre)

    def keep(self) -> None:
        """Add a sample."""
        place, turn = self._pose(**self._of)
        v, w = self._velocity(**self._of)
        self._store.add(*place, *turn, *v, *w)

    def rows(self) -> tuple[Array, Array]:
        """Return positions and velocities of all samples, (6, N + 1) each."""
        place, turn, v, w = np.split(np.array(self._store.rows()), [3, 7, 10], axis=1)
        turned = Rotation.from_quat(turn) * self._axes.inv()
        q = np.concatenate([place, turned.as_rotvec()], axis=1)
        qd = np.concatenate([v, turned.inv().apply(w)], axis=1)
        return q.T, qd.T


def is_free(bullet: Any, body: int, client: int) -> bool:
    """Whether the root of a body can move: PyBullet gives only such a root a mass."""
    return bool(bullet.getDynamicsInfo(body, BASE, physicsClientId=client)[0] > 0)
