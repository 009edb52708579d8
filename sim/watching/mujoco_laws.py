"""Forces of a compiled model other than its motors, per element, to compare two models."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.gravity import Gravity
from sim.errors import ModelError
from sim.robots.loading import read_file
from sim.robots.mjcf.callbacks import suspended_callbacks
from sim.robots.mjcf.compiled import Compiled, compile_file, compiled_of
from sim.robots.xml_text import is_mjcf
from sim.watching.mujoco_readback import gravity_of

Names = tuple[str, ...]
Law = tuple[Names, tuple[float, ...]]  # joints and bodies that it acts on, and numbers
Laws = Mapping[str, Mapping[str, Law]]  # by kind of force, and by element
AT_JOINT = int(mujoco.mjtTrn.mjTRN_JOINT)


def laws_of(model: mujoco.MjModel) -> Laws:
    """The laws of a model by kind of force, named as in a `Replay`, and by element."""
    laws: dict[str, dict[str, Law]] = {}

    def put(
        kind: str, element: str, on: tuple[str, ...], size: ArrayLike, *more: ArrayLike
    ) -> None:
        if np.any(size):
            numbers = np.concatenate([np.ravel(x) for x in (size, *more)])
            laws.setdefault(kind, {})[element] = on, tuple(map(float, numbers))

    compiled, m = compiled_of(model), model
    on: Names
    for j, name in enumerate(compiled.joints):
        rows, on, element = m.dof_jntid == j, (name,), f"joint {name}"
        stiffness = [m.jnt_stiffness[j], *m.jnt_stiffnesspoly[j]]
        put("spring", element, on, stiffness, m.qpos_spring[m.jnt_qposadr[j]])
        put("damper", element, on, [*m.dof_damping[rows], *m.dof_dampingpoly[rows].flat])
        put("friction", element, on, m.dof_frictionloss[rows])
        put("armature", element, on, m.dof_armature[rows])
        stop = m.jnt_range[j], m.jnt_margin[j], m.jnt_solref[j], m.jnt_solimp[j]
        put("limit", element, on, m.jnt_limited[j], *stop)
    for t in range(m.ntendon):
        element, on = f"tendon {compiled.name('tendon', t)}", _joints_of_tendon(compiled, t)
        stiffness = [m.tendon_stiffness[t], *m.tendon_stiffnesspoly[t]]
        put("spring", element, on, stiffness, m.tendon_lengthspring[t])
        put("damper", element, on, [m.tendon_damping[t], *m.tendon_dampingpoly[t]])
        put("friction", element, on, m.tendon_frictionloss[t])
        put("armature", element, on, m.tendon_armature[t])
        put("limit", element, on, m.tendon_limited[t], m.tendon_range[t])
    for a in range(m.nu):
        element, number = f"actuator {compiled.name('actuator', a)}", int(m.actuator_trnid[a, 0])
        on = (compiled.joints[number],) if m.actuator_trntype[a] == AT_JOINT else ()
        damping = [m.actuator_damping[a], *m.actuator_dampingpoly[a]]
        put("damper", element, on, damping, m.actuator_gear[a])
        put("armature", element, on, m.actuator_armature[a], m.actuator_gear[a])
    for b, name in enumerate(compiled.bodies):
        put("gravcomp", f"body {name}", (name,), m.body_gravcomp[b])
    for e in range(m.neq):
        is_of_tendons = m.eq_type[e] == int(mujoco.mjtEq.mjEQ_TENDON)
        on = () if is_of_tendons else ends_of_equality(compiled, e)
        numbers = (m.eq_type[e], m.eq_data[e], m.eq_solref[e], m.eq_solimp[e])
        put("equality", f"equality {compiled.name('equality', e)}", on, 1.0, *numbers)
    put("fluid", "option", (), [m.opt.density, m.opt.viscosity], m.opt.wind)
    put("gravity", "option", (), 1.0, gravity_of(m))
    return laws


def laws_in_file(path: str | Path, here: Laws) -> Laws:
    """Return the laws of a robot's file as compiled by MuJoCo; none if MuJoCo refuses it.

    A URDF is not compiled where no law `here` can be one that it has and a robot has not.
    """
    try:
        file, text = read_file(path)
        if is_mjcf(text):
            return laws_of(compile_file(file).model)
        with suspended_callbacks():
            return laws_of(mujoco.MjModel.from_xml_path(str(file))) if "equality" in here else {}
    except (ModelError, ValueError, mujoco.FatalError):
        return {}


def are_shared(here: Laws, own: Laws, kind: str, names: Collection[str]) -> bool:
    """Whether the laws of a kind on named joints and bodies equal those of another model."""
    theirs = own.get(kind, {})
    acting = {
        element: law
        for element, law in here.get(kind, {}).items()
        if element in theirs or not law[0] or not set(names).isdisjoint(law[0])
    }
    return bool(acting) and acting == theirs


def stated_gravity(laws: Laws) -> Gravity | None:
    """Gravity that laws have [m/s²]; None of no file."""
    if "gravity" not in laws:
        return None
    _, (_, x, y, z) = laws["gravity"]["option"]
    return x, y, z


def ends_of_equality(compiled: Compiled, number: int) -> Names:
    """Names of the joints, tendons or bodies that an equality constraint ties."""
    model, kind = compiled.model, int(compiled.model.eq_type[number])
    ends = [int(n[number]) for n in (model.eq_obj1id, model.eq_obj2id) if n[number] >= 0]
    if kind == int(mujoco.mjtEq.mjEQ_JOINT):
        return tuple(compiled.joints[end] for end in ends)
    if kind == int(mujoco.mjtEq.mjEQ_TENDON):
        return tuple(compiled.name("tendon", end) for end in ends)
    if kind not in (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD)):
        return ()
    if int(model.eq_objtype[number]) == int(mujoco.mjtObj.mjOBJ_SITE):
        ends = [int(model.site_bodyid[end]) for end in ends]
    return tuple(compiled.bodies[end] for end in ends)


def _joints_of_tendon(compiled: Compiled, number: int) -> Names:
    """Names of the joints of a fixed tendon; none of one over sites, which may act on any."""
    model = compiled.model
    first, count = int(model.tendon_adr[number]), int(model.tendon_num[number])
    wraps = range(first, first + count)
    if any(int(model.wrap_type[k]) != int(mujoco.mjtWrap.mjWRAP_JOINT) for k in wraps):
        return ()
    return tuple(compiled.joints[int(model.wrap_objid[k])] for k in wraps)
