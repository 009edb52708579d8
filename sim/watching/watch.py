"""watch: record a PyBullet or MuJoCo loop of a user, and name what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.dynamics.gravity import GRAVITY, Gravity
from sim.robots.loading import load_robot
from sim.robots.robot import Robot
from sim.watching.bare_robot import without_couplings
from sim.watching.bullet_watch import BulletWatch


def watch(
    engine: Any,
    subject: Any,
    robot: Robot | str | Path,
    *,
    gravity: Gravity = GRAVITY,
    client: int | None = None,
) -> BulletWatch:
    """Watch a simulation loop of your own: record each step, and judge it by the analytic model.

    Call ``watch.sample()`` after each step and ``watch.save(folder)`` at the end. The folder is
    that of a run, for ``sim check``, ``report``, ``compare`` and all other commands; a difference
    from the model is explained by named causes.

    Parameters
    ----------
    engine : module or client
        ``pybullet``, or a ``BulletClient``.
    subject : int
        The body that ``loadURDF`` returned.
    robot : Robot, str or Path
        The model: a URDF file, or the name of a shipped robot.
    gravity : tuple of float
        Of the model, in the world [m/s²].
    client : int, optional
        Number of the physics client (default: that of a ``BulletClient``, otherwise 0).

    Raises
    ------
    ModelError
        If the robot cannot be read.
    EngineError
        If the engine has no such body, or it lacks a joint of the robot.
    """
    model = robot if isinstance(robot, Robot) else load_robot(robot)
    number = int(getattr(engine, "_client", 0)) if client is None else client
    x, y, z = (float(g) for g in gravity)
    return BulletWatch(engine, int(subject), without_couplings(model), (x, y, z), number)
