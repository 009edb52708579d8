"""Replay of every step of a MuJoCo loop from its recorded state, with forces by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array, Mask
from sim.watching.mujoco_readback import Places

CONSTRAINTS: Mapping[str, tuple[int, ...]] = {
    "friction": (
        int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF),
        int(mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON),
    ),
    "limit": (
        int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT),
        int(mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON),
    ),
    "equality": (int(mujoco.mjtConstraint.mjCNSTR_EQUALITY),),
    "contact": (
        int(mujoco.mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS),
        int(mujoco.mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL),
        int(mujoco.mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC),
    ),
}
PASSIVE = ("spring", "damper", "gravcomp", "fluid", "callback")  # the last is all that is left
SAME = 1e-9  # of a velocity: tolerance of a replayed step
FEW = 0.1  # share of samples that steps between need not lead to: states set by hand
HALVED = 40  # steps that are repeated in two halves


@dataclass(frozen=True, eq=False)
class Recorded:
    """Samples of a MuJoCo loop, a row per step: states before it, inputs during it.

    `external` has the forces on bodies, which equality constraints are on, and then the positions
    and quaternions of mocap bodies.
    """

    start: Array
    qpos: Array
    qvel: Array
    act: Array
    ctrl: Array
    applied: Array
    external: Array
    lengths: Array

    def put(self, data: mujoco.MjData, k: int) -> None:
        """Set state and inputs of a step."""
        data.qpos[:], data.qvel[:] = self.qpos[k], self.qvel[k]
        data.act[:], data.ctrl[:], data.qfrc_applied[:] = self.act[k], self.ctrl[k], self.applied[k]
        values, first = self.external[k], 0
        for array in (data.xfrc_applied, data.eq_active, data.mocap_pos, data.mocap_quat):
            array.flat[:] = values[first : first + array.size]
            first += array.size


@dataclass(frozen=True, eq=False)
class Replay:
    """N replayed steps.

    Parameters
    ----------
    forces : mapping of str to ndarray, shape (n, N)
        By name: actuator, applied, external, spring, damper, gravcomp, fluid, callback, friction,
        limit, equality, contact, and integrator: M a + c minus their sum [N·m or N].
    actuators : ndarray, shape (nu, N)
        ``actuator_force``.
    apart : ndarray, shape (N,)
        Largest difference of a velocity, and by RK4 of a position, from the recorded one, relative
        to 1 + its magnitude.
    rows : mapping of str to set of (int, int)
        ``efc_type`` and ``efc_id`` of the constraints that acted on the robot, by the kind of row.
    pairs : mapping of tuple of int to ndarray of bool, shape (N,)
        Touching geoms, at least one of the robot.
    halved : float
        Change of M a by a step in two halves, relative to the largest of M a and c.
    bias : ndarray, shape (n, N)
        c: ``qfrc_bias`` before each step [N·m or N].
    own_reset : int, optional
        First step in which MuJoCo resets a motion that diverges.
    """

    forces: Mapping[str, Array]
    actuators: Array
    apart: Array
    rows: Mapping[str, set[tuple[int, int]]]
    pairs: Mapping[tuple[int, int], Mask]
    halved: float
    bias: Array
    own_reset: int | None = None

    @property
    def is_other(self) -> Mask:
        """Mask of steps that MuJoCo does not reproduce from the recorded state, shape (N,)."""
        return np.asarray(self.apart > SAME)


def replay(model: mujoco.MjModel, recorded: Recorded, places: Places) -> Replay:
    """Replay every step from its recorded state; all other state is carried over."""
    r, v = recorded, places.v
    count, scratch, start = len(r.ctrl), mujoco.MjData(model), mujoco.MjData(model)
    mujoco.mj_setState(model, scratch, r.start, int(mujoco.mjtState.mjSTATE_INTEGRATION))
    is_rk4 = int(model.opt.integrator) == int(mujoco.mjtIntegrator.mjINT_RK4)
    names = ("actuator", "applied", "external", *PASSIVE, *CONSTRAINTS, "integrator")
    forces = {name: np.zeros((len(v), count)) for name in names}
    actuators, far = np.zeros((model.nu, count)), np.zeros(count)
    bias = np.zeros((len(v), count))
    rows: dict[str, set[tuple[int, int]]] = {kind: set() for kind in CONSTRAINTS}
    pairs: dict[tuple[int, int], Mask] = {}
    step, own_reset, motion = float(model.opt.timestep), None, np.zeros(model.nv)
    motion[v] = np.random.default_rng(0).random(len(v))  # of the robot, moves all that acts on it
    try:
        for k in range(count):
            r.put(scratch, k)
            model.opt.timestep = r.lengths[k]
            time = scratch.time
            mujoco.mj_step(model, scratch)
            if scratch.time < time and own_reset is None:
                own_reset = k
            there, here = r.qvel[k + 1], scratch.qvel
            far[k] = apart(here, there)
            if is_rk4:  # its positions do not follow from the velocities after a step
                far[k] = max(far[k], apart(scratch.qpos, r.qpos[k + 1]))
            actuators[:, k] = scratch.actuator_force
            is_own = _acts_on(model, scratch, motion)
            for name, force in _named(model, scratch, rows, is_own):
                forces[name][:, k] = force[v]
            at = scratch
            if is_rk4:  # its mass matrix and passive forces are then those of the last stage
                at = start
                start.qpos[:], start.qvel[:] = r.qpos[k], r.qvel[k]
                mujoco.mj_forward(model, start)
                for name in PASSIVE:
                    forces[name][:, k] = _passive(model, start, name)[v]
            missing = sum(forces[name][:, k] for name in names[:-1])
            acceleration, moved = (there - r.qvel[k]) / r.lengths[k], np.empty(model.nv)
            mujoco.mj_mulM(model, at, moved, acceleration)
            bias[:, k] = at.qfrc_bias[v]
            forces["integrator"][:, k] = missing - moved[v] - bias[:, k]
            is_own &= np.isin(scratch.efc_type[: scratch.nefc], CONSTRAINTS["contact"])
            for contact in set(scratch.efc_id[: scratch.nefc][is_own].tolist()):
                pair = tuple(sorted(scratch.contact[contact].geom.tolist()))
                pairs.setdefault((pair[0], pair[1]), np.zeros(count, dtype=bool))[k] = True
    finally:
        model.opt.timestep = step
    halved = _halved(model, r, places)
    return Replay(forces, actuators, far, rows, pairs, halved, bias, own_reset)


def with_steps_between(
    model: mujoco.MjModel, recorded: Recorded, steps: NDArray[np.intp], may_miss: Mask
) -> tuple[Recorded | None, NDArray[np.intp]]:
    """Return the record with the states between samples that are `steps` (N,) apart.

    None if steps with inputs held do not lead from a sample to the next, but after a few of them,
    and where they `may_miss` it (N,), as at a reset. The second value has the sample of each step.
    """
    r, scratch = recorded, mujoco.MjData(model)
    mujoco.mj_setState(model, scratch, r.start, int(mujoco.mjtState.mjSTATE_INTEGRATION))
    qpos, qvel, act, missed = list[Array](), list[Array](), list[Array](), 0
    step = float(model.opt.timestep)
    try:
        for k, several in enumerate(steps.tolist()):
            r.put(scratch, k)
            model.opt.timestep = step if several > 1 else r.lengths[k]
            for _ in range(several):
                qpos.append(scratch.qpos.copy())
                qvel.append(scratch.qvel.copy())
                act.append(scratch.act.copy())
                mujoco.mj_step(model, scratch)
            is_missed = several > 1 and apart(scratch.qvel, r.qvel[k + 1]) > SAME
            missed += is_missed and not may_miss[k]
    finally:
        model.opt.timestep = step
    samples = np.repeat(np.arange(len(steps)), steps)
    if missed > FEW * np.sum(steps > 1):
        return None, samples
    whole = Recorded(
        r.start,
        qpos=np.array([*qpos, r.qpos[-1]]),
        qvel=np.array([*qvel, r.qvel[-1]]),
        act=np.array([*act, r.act[-1]]),
        ctrl=r.ctrl[samples],
        applied=r.applied[samples],
        external=r.external[samples],
        lengths=np.where(steps[samples] > 1, step, r.lengths[samples]),
    )
    return whole, samples


def apart(here: Array, there: Array) -> float:
    """Return the largest difference of velocities, relative to 1 + their magnitude."""
    return float(np.max(np.abs(here - there) / (1 + np.abs(there)), initial=0.0))


def _acts_on(model: mujoco.MjModel, data: mujoco.MjData, motion: Array) -> Mask:
    """Return the rows of constraints that a motion (nv,) of the robot's joints changes."""
    change = np.zeros(data.nefc)
    if data.nefc:
        mujoco.mj_mulJacVec(model, data, change, motion)
    return change != 0


def _named(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    rows: dict[str, set[tuple[int, int]]],
    is_own: Mask,
) -> Iterator[tuple[str, Array]]:
    """Yield the generalised forces of a step, by name; `rows` only of those on the robot."""
    yield "actuator", data.qfrc_actuator
    yield "applied", data.qfrc_applied
    smooth = data.qfrc_smooth - data.qfrc_passive + data.qfrc_bias
    yield "external", smooth - data.qfrc_actuator - data.qfrc_applied
    for name in PASSIVE:
        yield name, _passive(model, data, name)
    if not data.nefc:
        return
    kinds, whole = data.efc_type[: data.nefc], data.efc_force[: data.nefc]
    present = {kind: np.isin(kinds, numbers) for kind, numbers in CONSTRAINTS.items()}
    present = {kind: own for kind, own in present.items() if own.any()}
    rest = data.qfrc_constraint.copy()  # of huge forces that cancel, parts do not sum to it
    for number, (kind, own) in enumerate(present.items(), 1):
        active = own & (whole != 0) & is_own
        numbers_of = data.efc_id[: data.nefc][active].tolist()
        rows[kind].update(zip(kinds[active].tolist(), numbers_of, strict=True))
        force = np.zeros(model.nv)
        if number == len(present):
            force = rest
        else:
            mujoco.mj_mulJacTVec(model, data, force, np.where(own, whole, 0.0))
            rest -= force
        yield kind, force


def _passive(model: mujoco.MjModel, data: mujoco.MjData, name: str) -> Array:
    """A passive force by name; gravcomp without joints whose actuators carry it."""
    if name == "callback":
        force = data.qfrc_passive - sum(_passive(model, data, one) for one in PASSIVE[:-1])
        return np.where(np.abs(force) > SAME * np.abs(data.qfrc_passive), force, 0.0)
    force = getattr(data, f"qfrc_{name}")
    if name == "gravcomp" and model.jnt_actgravcomp.any():
        return np.where(model.jnt_actgravcomp[model.dof_jntid], 0.0, force)
    return force


def _halved(model: mujoco.MjModel, r: Recorded, places: Places) -> float:
    """Return the change of M a by a step in two halves, relative to the largest of M a and c."""
    count, scratch = len(r.ctrl), mujoco.MjData(model)
    most, size = 0.0, 1e-300
    step = float(model.opt.timestep)
    try:
        for k in np.linspace(1, count - 1, min(HALVED, count - 1)).astype(int):
            ends = []
            for parts in (1, 2):
                mujoco.mj_setState(
                    model, scratch, r.start, int(mujoco.mjtState.mjSTATE_INTEGRATION)
                )
                r.put(scratch, k)
                model.opt.timestep = r.lengths[k] / parts
                for _ in range(parts):
                    mujoco.mj_step(model, scratch)
                ends.append(scratch.qvel.copy())
            once, twice = ends
            forces = [scratch.qfrc_bias]
            for change in (once - twice, once - r.qvel[k]):
                mujoco.mj_mulM(model, scratch, moved := np.empty(model.nv), change / r.lengths[k])
                forces.append(moved)
            weight, other, inertial = (float(np.abs(x[places.v]).max()) for x in forces)
            most, size = max(most, other), max(size, weight, inertial)
    finally:
        model.opt.timestep = step
    return most / size if size > 1e-9 else 0.0
