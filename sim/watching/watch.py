"""watch: record a PyBullet or MuJoCo loop of a user, and name what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.dynamics.gravity import GRAVITY, Gravity
from sim.errors import EngineError
from sim.robots.loading import load_robot, read_urdf
from sim.robots.robot import Robot
from sim.watching.bare_robot import without_couplings

if TYPE_CHECKING:
    from sim.watching.bullet_watch import BulletWatch
    from sim.watching.mujoco_watch import MujocoWatch


def watch(
    engine: Any,
    subject: Any,
    robot: Robot | str | Path | None = None,
    *,
    gravity: Gravity = GRAVITY,
    client: int | None = None,
) -> BulletWatch | MujocoWatch:
    """Watch a simulation loop of your own: record each step, and judge it by the analytic model.

    Call ``watch.sample()`` after each step and ``watch.save(folder)`` at the end. The folder is
    that of a run, for ``sim check``, ``report``, ``compare`` and all other commands; a difference
    from the model is explained by named causes.

    Parameters
    ----------
    engine : module, client or MjModel
        ``pybullet`` or a ``BulletClient``; or the model of MuJoCo.
    subject : int or MjData
        The body that ``loadURDF`` returned; or the data of MuJoCo.
    robot : Robot, str or Path, optional
        The model: a URDF or MJCF file, or the name of a shipped robot (default: of MuJoCo the
        robot of its own model; PyBullet needs one).
    gravity : tuple of float
        Of the model, in the world [m/s²].
    client : int, optional
        Number of PyBullet's physics client (default: that of a ``BulletClient``, otherwise 0).

    Raises
    ------
    ModelError
        If the robot cannot be read.
    EngineError
        If the arguments are of neither engine, or it lacks the body or a joint of the robot.
    """
    x, y, z = (float(g) for g in gravity)
    if type(engine).__name__ == "MjModel":
        from sim.watching.mujoco_watch import MujocoWatch

        model = _robot_of_model(engine) if robot is None else _robot(robot)
        return MujocoWatch(engine, subject, without_couplings(model), (x, y, z))
    if robot is None:
        raise EngineError("sim.watch of PyBullet needs the robot: sim.watch(p, body, 'arm.urdf')")
    model = _robot(robot)
    if not hasattr(engine, "stepSimulation") or not isinstance(subject, int):
        raise EngineError(
            "sim.watch takes pybullet and the number of a body, or an MjModel and its MjData; got "
            f"{type(engine).__name__} and {type(subject).__name__}"
        )
    from sim.watching.bullet_watch import BulletWatch

    number = int(getattr(engine, "_client", 0)) if client is None else client
    return BulletWatch(engine, subject, without_couplings(model), (x, y, z), number)


def _robot(robot: Robot | str | Path) -> Robot:
    return robot if isinstance(robot, Robot) else load_robot(robot)


def _robot_of_model(model: Any) -> Robot:
    """The robot of a compiled model of MuJoCo."""
    from sim.robots.mjcf.compiled import compiled_of
    from sim.robots.mjcf.read_mjcf import mjcf_robot

    mjcf = mjcf_robot(compiled_of(model), "the MuJoCo model", Path.cwd())
    return mjcf.complete(read_urdf(mjcf.text, source="the MuJoCo model, as URDF"))
