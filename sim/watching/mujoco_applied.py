"""Forces applied by the code of a MuJoCo loop: included in the reference, and noted."""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array
from sim.robots.mjcf.compiled import compiled_of
from sim.showing.one_line import shorten_list
from sim.watching.cause import Cause
from sim.watching.mujoco_loop import MujocoLoop

LISTED = 4  # joints or bodies that are named


def forces_on_bodies(loop: MujocoLoop, torque: Array) -> Cause:
    """Return the note on forces on bodies, as PyBullet counts them in, too."""
    nbody, bodies = loop.model.nbody, compiled_of(loop.model).bodies
    wrenches = loop.recorded.external[:, : 6 * nbody].reshape(-1, nbody, 2, 3)
    sizes = np.linalg.norm(wrenches, axis=3)  # (N, nbody, 2)
    acting = sizes.any(axis=2).sum(axis=0)
    parts = [
        f"{bodies[k]} in {acting[k]} of {len(sizes)} steps, up to {sizes[:, k, 0].max():.4g} N and "
        f"{sizes[:, k, 1].max():.4g} N·m"
        for k in np.argsort(-acting, kind="stable")
        if acting[k]
    ]
    text = f"xfrc_applied on {shorten_list(parts, LISTED)}, along the world's axes"
    return Cause("external force", f"{text}: included", "", "", torque, is_error=False)


def added_forces(loop: MujocoLoop, torque: Array) -> Cause:
    """Return the note on forces that a callback adds to the passive ones in each step."""
    acting = np.flatnonzero(np.abs(torque).max(axis=1))
    names = shorten_list([loop.names[k] for k in acting], LISTED)
    text = f"mjcb_passive, or a plugin, adds forces at {names}, up to {loop.largest_of(torque)}"
    return Cause("passive callback", f"{text}: included", "", "", torque, is_error=False)
