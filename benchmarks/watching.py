"""User loops with and without `sim.watch`: a UR10 in PyBullet and in MuJoCo.

The first PyBullet loop sets velocity motors and steps; the second also reads the joints. The MuJoCo
loop sets controls and steps, which takes only a few microseconds, so that the cost of recording a
sample is most visible. Times are per step of long loops; they include the start of the watch but
not its final checks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import mujoco
import pybullet

import sim
from benchmarks.contest import Contender, Part, Settings, Subject, Target, ratio, turns
from sim import shipped
from sim.engines.bullet.suppress_c_output import suppress_c_output

START = (0.0, -1.2, 1.0, -0.5, 0.7, 0.2)
JOINTS = list(range(6))
CONTROL = (20.0, 60.0, 30.0, 5.0, 2.0, 0.5)  # [N·m]
FALL = 500  # steps of an undamped MuJoCo motion
BARE, READING, MUJOCO = "PyBullet", "PyBullet with joint read-out", "MuJoCo"
BOUNDS = {BARE: 1.25, READING: 1.08, MUJOCO: 1.15}


def measured(settings: Settings) -> Subject:
    """Return steps with and without a watch, and the targets of its cost."""
    count = settings.pick(30_000, 50)
    client, body = _bullet()
    model = _model()
    data = mujoco.MjData(model)
    loops: dict[str, Callable[[bool], None]] = {
        BARE: partial(_bullet_loop, body, count, False),
        READING: partial(_bullet_loop, body, count, True),
        MUJOCO: partial(_mujoco_loop, model, data, 10 * count),
    }
    contenders = [
        Contender(name + end, partial(loop, bool(end)), 10 * count if name == MUJOCO else count)
        for name, loop in loops.items()
        for end in ("", ", watched")
    ]
    try:
        rows = turns(contenders, settings)
    finally:
        pybullet.disconnect(client)
    targets = [
        Target(
            f"{name}: time watched relative to unwatched",
            ratio(rows, f"{name}, watched", name),
            most,
            "x",
        )
        for name, most in BOUNDS.items()
    ]
    return Subject(__doc__, (Part("Steps", tuple(rows.values()), "step"),), tuple(targets))


def _bullet() -> tuple[int, int]:
    with suppress_c_output():
        client = pybullet.connect(pybullet.DIRECT)
        flags = pybullet.URDF_USE_INERTIA_FROM_FILE
        path = str(shipped.urdf() / "ur10.urdf")
        body = pybullet.loadURDF(path, useFixedBase=True, flags=flags)
        pybullet.setGravity(0, 0, -9.81)
    return client, body


def _bullet_loop(body: int, count: int, is_read: bool, is_watched: bool) -> None:
    p = pybullet
    for joint, angle in zip(JOINTS, START, strict=True):
        p.resetJointState(body, joint, angle)
    watch = sim.watch(p, body, robot="ur10") if is_watched else None
    for step in range(count):
        speeds = [0.1 * math.sin(step / 100)] * 6
        p.setJointMotorControlArray(
            body, JOINTS, p.VELOCITY_CONTROL, targetVelocities=speeds, forces=[1e3] * 6
        )
        p.stepSimulation()
        if is_read:
            p.getJointStates(body, JOINTS)
        if watch is not None:
            watch.sample()
    if watch is not None:
        watch.close()


def _model() -> mujoco.MjModel:
    """Return the UR10 with a motor in each joint, and no shapes."""
    spec = mujoco.MjSpec.from_file(str(shipped.urdf() / "ur10.urdf"))
    for geom in list(spec.geoms):
        spec.delete(geom)
    for joint in spec.joints:
        joint.limited = joint.actfrclimited = 0
        spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    spec.option.timestep = 1e-3
    return spec.compile()


def _mujoco_loop(model: mujoco.MjModel, data: mujoco.MjData, count: int, is_watched: bool) -> None:
    step, sample = mujoco.mj_step, None
    if is_watched:
        sample = sim.watch(model, data, robot="ur10").sample
    for _ in range(count // FALL):
        mujoco.mj_resetData(model, data)
        data.qpos[:] = START
        for _ in range(FALL):
            data.ctrl[:] = CONTROL
            step(model, data)
            if sample is not None:
                sample()
