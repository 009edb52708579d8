"""Edits of a compiled MuJoCo model: during the loop, or without `mj_setConst`."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

import mujoco
import numpy as np

from sim.showing.one_line import shorten_list
from sim.watching.cause import CHANGED, Cause
from sim.watching.mujoco_loop import MujocoLoop
from sim.watching.mujoco_replay import replay

STALE = 1e-9  # relative: rounding of a compiled mass matrix
LISTED = 3  # arrays that are named
PARTS = ("body", "dof", "jnt", "geom", "site", "tendon", "actuator", "eq", "pair")
OPTIONS = ("gravity", "wind", "density", "viscosity", "integrator", "disableflags", "tolerance")


def changed_model(loop: MujocoLoop) -> Cause | None:
    """Return the cause of a model that the loop edits while it is watched; None if it does not."""
    names = _changed_arrays(loop.former, loop.model)
    if not names:
        return None
    is_new = replay(loop.former, loop.recorded, loop.places).is_other
    first = int(np.argmax(is_new)) if is_new.any() else 0
    is_clean = not loop.replay.is_other[first:].any()
    arrays = shorten_list([f"model.{name}" for name in names], LISTED)
    when = f"before step {first + 1}" if is_clean else "more than once"
    remedy = "edit the model before sim.watch, or save() before and watch anew"
    text = f"the loop changes {arrays}, {when}: no single robot fits all steps"
    return Cause(CHANGED, text, remedy)


def _changed_arrays(former: mujoco.MjModel, model: mujoco.MjModel) -> list[str]:
    """Return the names of arrays and options that differ."""
    arrays = [name for name in dir(model) if name.partition("_")[0] in PARTS]
    options = [(f"opt.{name}", former.opt, model.opt, name) for name in OPTIONS]
    every = [*((name, former, model, name) for name in arrays), *options]
    return [
        label
        for label, one, other, name in every
        if not callable(getattr(other, name))
        and not np.array_equal(getattr(one, name), getattr(other, name))
    ]


def stale_constants(loop: MujocoLoop) -> Iterator[Cause]:
    """Yield the cause of masses that were edited without `mj_setConst`.

    MuJoCo takes the mass matrix of a simple body, such as a carriage, from the compiled
    ``dof_M0``, and its weight from ``body_mass``.
    """
    model, v = loop.model, loop.places.v
    is_simple = model.dof_simplenum[v] > 0
    if not is_simple.any():
        return
    fresh = copy(model)
    mujoco.mj_setConst(fresh, mujoco.MjData(fresh))
    missing = np.where(is_simple, model.dof_M0[v] - fresh.dof_M0[v], 0.0)
    missing[np.abs(missing) <= STALE * fresh.dof_M0[v]] = 0.0
    if missing.any():
        text = (
            "a mass, inertia or armature was edited without mj_setConst: the mass matrix keeps the "
            f"former one, other by {loop.per_joint(missing, 'inertia')}"
        )
        torque = missing[:, None] * loop.evidence.qdd
        yield Cause("stale constants", text, "mujoco.mj_setConst(model, data)", "", torque)
