"""watch: record a user's PyBullet or MuJoCo loop, and name its errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from sim.dynamics.gravity import GRAVITY, Gravity
from sim.errors import EngineError, ModelError
from sim.maths.arguments import checked
from sim.robots.chains import FLOATING
from sim.robots.loading import load_robot, read_file, read_urdf
from sim.robots.loose_ends import end_of
from sim.robots.mjcf.compiled import FREE, compiled_of
from sim.robots.mjcf.equalities import Equalities
from sim.robots.mjcf.read_mjcf import mjcf_robot
from sim.robots.robot import Robot
from sim.robots.xml_text import is_mjcf, parse, text_of
from sim.watching.bare_robot import without_couplings

if TYPE_CHECKING:
    from lxml.etree import _Element

    from sim.recording.recording import Recording
    from sim.watching.bullet_watch import BulletWatch
    from sim.watching.mujoco_watch import MujocoWatch


OneRobot = Robot | str | Path
SOURCE = "the MuJoCo model"


@overload
def watch(
    engine: Any,
    subject: Any,
    robot: OneRobot | None = None,
    *,
    gravity: Gravity | None = None,
    client: int | None = None,
) -> BulletWatch | MujocoWatch: ...


@overload
def watch(
    engine: Any,
    subject: Any,
    robot: Sequence[OneRobot],
    *,
    gravity: Gravity | None = None,
    client: int | None = None,
) -> WatchGroup: ...


@checked
def watch(
    engine: Any,
    subject: Any,
    robot: OneRobot | Sequence[OneRobot] | None = None,
    *,
    gravity: Gravity | None = None,
    client: int | None = None,
) -> BulletWatch | MujocoWatch | WatchGroup:
    """Watch a simulation loop of your own: record each step, and judge it by the analytic model.

    Call ``watch.sample()`` after each step and ``watch.save(folder)`` at the end. The folder is
    that of a run, for ``sim check``, ``report``, ``compare`` and all other commands; a difference
    from the model is explained by named causes. ``watch.restart()`` states that the loop sets a new
    state, as between episodes.

    Parameters
    ----------
    engine : module, client or MjModel
        ``pybullet`` or a ``BulletClient``; or the model of MuJoCo.
    subject : int, sequence of int, or MjData
        The body that ``loadURDF`` returned, or several; or the data of MuJoCo.
    robot : Robot, str or Path, or a sequence of them, optional
        The model: a URDF, MJCF or SDF file, or the name of a shipped robot (default: for MuJoCo the
        robot of its own model; required for PyBullet). A sequence watches several robots at once,
        in PyBullet one per body.
    gravity : tuple of float
        Of the model, in the world [m/s²] (default: of an MJCF file, and of MuJoCo's own model, what
        it states; otherwise 9.81 downwards).
    client : int, optional
        Number of PyBullet's physics client (default: that of a ``BulletClient``, otherwise 0).

    Raises
    ------
    ModelError
        If the robot cannot be read.
    EngineError
        If the arguments are of neither engine, or it lacks the body or a joint of the robot.
    """
    if robot is None or isinstance(robot, Robot | str | Path):
        return _watch_one(engine, subject, robot, gravity, client)

    robots = list(robot)
    is_mujoco = type(engine).__name__ == "MjModel"
    bodies = [subject] * len(robots) if is_mujoco else _bodies(subject, len(robots))
    watches: list[BulletWatch | MujocoWatch] = []
    try:
        for body, one in zip(bodies, robots, strict=True):
            watches.append(_watch_one(engine, body, one, gravity, client))
    except BaseException:
        for started in watches:
            started.close()
        raise
    return WatchGroup(watches)


def _bodies(subject: Any, count: int) -> list[Any]:
    if not isinstance(subject, Sequence) or len(subject) != count:
        raise EngineError(
            f"sim.watch of {count} robots needs the numbers of as many bodies, such as "
            f"[arm, gripper]; got {subject!r}"
        )
    return list(subject)


def _watch_one(
    engine: Any, subject: Any, robot: OneRobot | None, gravity: Gravity | None, client: int | None
) -> BulletWatch | MujocoWatch:
    if gravity is not None:
        gravity = _checked_gravity(gravity)
    engine, subject = (getattr(one, "ptr", one) for one in (engine, subject))  # of dm_control
    is_bullet = hasattr(engine, "stepSimulation") and isinstance(subject, int)
    if not (is_bullet or (_is(engine, "MjModel") and _is(subject, "MjData"))):
        raise EngineError(
            "sim.watch takes pybullet and the number of a body, or an MjModel and its MjData; got "
            f"{type(engine).__name__} and {type(subject).__name__}"
        )
    if not is_bullet:
        if (len(subject.qpos), len(subject.qvel)) != (engine.nq, engine.nv):
            raise EngineError(
                f"The MjData is of another model: it has {len(subject.qpos)} positions, this model "
                f"{engine.nq}; pass mujoco.MjData(model)"
            )
        from sim.watching.mujoco_watch import MujocoWatch

        if robot is not None:
            loaded = _robot(robot)
            file = loaded.file if loaded is not robot or _has_joints_of_file(robot) else None
            model = _without_equalities(loaded, file)
            return MujocoWatch(engine, subject, model, gravity, file=file)

        model, loose = robot_of_model(engine)
        return MujocoWatch(engine, subject, model, gravity, loose)
    if robot is None:
        raise EngineError("sim.watch of PyBullet needs the robot: sim.watch(p, body, 'arm.urdf')")
    model = _robot(_shipped_by_pybullet(robot))
    from sim.watching.bullet_watch import BulletWatch

    number = int(getattr(engine, "_client", 0)) if client is None else client
    return BulletWatch(engine, subject, without_couplings(model), gravity or GRAVITY, number)


def _is(value: Any, name: str) -> bool:
    """Whether a value is of MuJoCo's class of that name, which may not be installed."""
    return type(value).__name__ == name


def _checked_gravity(gravity: Gravity) -> Gravity:
    values = np.asarray(gravity, dtype=np.float64)
    if values.shape != (3,) or not np.isfinite(values).all():
        raise EngineError(f"gravity takes three finite numbers x, y, z [m/s²]; got {gravity!r}")
    x, y, z = values.tolist()
    return x, y, z


def _robot(robot: OneRobot) -> Robot:
    return robot if isinstance(robot, Robot) else load_robot(robot)


def _has_joints_of_file(robot: Robot) -> bool:
    """Whether the joints of a loaded robot have the forces and rotors that its file states."""
    try:
        first = load_robot(robot.file) if robot.file is not None else None
    except ModelError:  # gone, or one of several models
        return False
    return first is not None and _joint_forces(first) == _joint_forces(robot)


def _joint_forces(robot: Robot) -> list[tuple[object, ...]]:
    return [(j.damping, j.friction, j.friction_law, j.forces, j.drive) for j in robot.tree_joints]


def _without_equalities(robot: Robot, file: Path | None) -> Robot:
    """Return a robot as in MuJoCo, whose equalities are forces: each joint keeps its own rotor."""
    alone = without_couplings(robot)
    if file is None or robot.card is not None or not is_mjcf(read_file(file)[1]):
        return alone
    from sim.robots.mjcf.read_mjcf import own_rotors

    return alone.with_drives(own_rotors(file))


def _shipped_by_pybullet(robot: OneRobot) -> OneRobot:
    """Return the file of a path relative to the folder of `pybullet_data`, as in tutorials."""
    spec = find_spec("pybullet_data")
    if isinstance(robot, Robot) or Path(robot).exists() or spec is None or spec.origin is None:
        return robot
    path = Path(spec.origin).parent / robot
    return path if path.is_file() else robot


class WatchGroup:
    """Watches of several bodies of a loop; created by `sim.watch` from a sequence.

    Call ``sample()`` after each step and `save` at the end. `watches` has one watch per body, in
    the given order.
    """

    def __init__(self, watches: Sequence[BulletWatch | MujocoWatch]) -> None:
        if not watches:
            raise EngineError("sim.watch needs at least one body to watch")
        self.watches = tuple(watches)
        self._samples = [watch.sample for watch in watches]

    def sample(self) -> None:
        """Record the state of each body after a step."""
        for sample in self._samples:
            sample()

    def restart(self) -> None:
        """State that the loop sets a new state of each body before the next step."""
        for watch in self.watches:
            watch.restart()

    def save(self, folder: str | Path) -> tuple[Recording, ...]:
        """Judge each body, and write a run folder for each, named by its robot, in `folder`.

        Returns
        -------
        tuple of Recording
            In the order of `watches`.

        Raises
        ------
        EngineError
            If fewer than two steps were sampled.
        """
        self.close()
        pairs = zip(self.watches, self._names(), strict=True)
        return tuple(watch.save(Path(folder) / name) for watch, name in pairs)

    def close(self) -> None:
        """Restore PyBullet's functions, and end sampling."""
        for watch in self.watches:
            watch.close()

    def _names(self) -> Iterator[str]:
        """Yield the names of the robots, numbered if equal."""
        counts: dict[str, int] = {}
        for watch in self.watches:
            name = "".join(c if c.isalnum() or c in "._-" else "_" for c in watch.robot.name)
            counts[name] = counts.get(name, 0) + 1
            yield name if counts[name] == 1 else f"{name}_{counts[name]}"


def robot_of_model(model: Any) -> tuple[Robot, tuple[str, ...]]:
    """Return the robot of a compiled model, and free bodies that are not part of it.

    A free body with joints is the base of a robot. All joints are independent: MuJoCo's equality
    constraints are forces, not couplings.

    Raises
    ------
    EngineError
        If only free bodies without joints move.
    """
    compiled = compiled_of(model)
    mjcf = mjcf_robot(compiled, SOURCE, Path.cwd(), Equalities())
    root = parse(mjcf.text, SOURCE)
    loose = tuple(
        compiled.bodies[model.jnt_bodyid[j]]
        for j in range(model.njnt)
        if model.jnt_type[j] == FREE and _take_out(root, compiled.joints[j])
    )
    if loose and all(joint.get("type") == "fixed" for joint in root.iterchildren("joint")):
        raise EngineError(
            f"All that moves in the MuJoCo model is free ({', '.join(loose)}): there is no robot "
            "with joints to judge"
        )
    text = text_of(root)
    return mjcf.complete(read_urdf(text, source=f"{SOURCE}, as URDF")), loose


def _take_out(root: _Element, free: str) -> bool:
    """Remove a body on a free joint from a URDF with all fixed parts; not if it has joints."""
    below: dict[str, list[_Element]] = {}
    for joint in root.iterchildren("joint"):
        below.setdefault(end_of(joint, "parent"), []).append(joint)
    links = {link.get("name", ""): link for link in root.iterchildren("link")}
    chain = {f"{free}.{motion}" for motion in FLOATING}
    first = f"{free}.{FLOATING[0]}"
    carried = [joint for joint in root.iterchildren("joint") if joint.get("name") == first]
    for joint in carried:  # grows
        carried += below.get(end_of(joint, "child"), ())
    if any(one.get("type") != "fixed" and one.get("name") not in chain for one in carried):
        return False
    for joint in carried:
        root.remove(links[end_of(joint, "child")])
        root.remove(joint)
    return True
