"""A model compiled by MuJoCo, with a name for each body and joint."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.maths.rotations import rotations_of
from sim.robots.document import LONGEST_NAME
from sim.robots.mjcf.callbacks import suspended_callbacks
from sim.robots.mjcf.mujoco_warnings import collect_mujoco_warnings

FREE, BALL, SLIDE, HINGE = range(4)
"""Kinds of joints, numbered as in MuJoCo."""


class Compiled(Struct, frozen=True, eq=False):
    """A compiled model and the names of its links and joints.

    Parameters
    ----------
    model : mujoco.MjModel
    bodies, joints : tuple of str
        Unique names, in MuJoCo's order; the first body is ``world``.
    warnings : tuple of str
        Warnings of MuJoCo.
    """

    model: Any
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    warnings: tuple[str, ...]

    def joints_of(self, body: int) -> range:
        """Numbers of the joints between a body and its parent, from the parent on."""
        return joints_of(self.model, body)

    def offset(self, body: int) -> Array:
        """Origin of a body's link in the body's frame [m]."""
        return link_offset(self.model, body)

    def name(self, kind: str, number: int) -> str:
        """Name of an element of a kind such as ``actuator`` or ``site``; its number if unnamed."""
        import mujoco

        of = getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
        return mujoco.mj_id2name(self.model, int(of), number) or f"{kind}_{number}"

    def is_off(self, flag: str) -> bool:
        """Whether the file disables a feature, by MuJoCo's name of the flag: ``GRAVITY``."""
        import mujoco

        return bool(
            int(self.model.opt.disableflags) & int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
        )


def joints_of(model: Any, body: int) -> range:
    """Numbers of the joints between a body and its parent, from the parent on."""
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    return range(first, first + count) if count else range(0)


def link_offset(model: Any, body: int) -> Array:
    """Origin of a body's link in the body's frame [m]: the anchor of its last joint.

    A slide has no anchor.
    """
    anchors = [j for j in joints_of(model, body) if model.jnt_type[j] != SLIDE]
    return np.array(model.jnt_pos[anchors[-1]]) if anchors else np.zeros(3)


def rotation_wxyz(quaternion: ArrayLike) -> Array:
    """Return the rotation matrix (3, 3) of a unit quaternion in MuJoCo's order w, x, y, z."""
    return rotations_of(np.roll(quaternion, -1)[:, None])[..., 0]


def compile_file(path: Path) -> Compiled:
    """Compile an MJCF file, with all files that it includes.

    Raises
    ------
    ModelError
        If MuJoCo is not installed or refuses the file; the message has MuJoCo's reason and line.
    """
    try:
        import mujoco
    except ImportError:
        raise ModelError(
            f"{path} is MJCF, which MuJoCo compiles, and MuJoCo is not installed; "
            "pip install 'sim[mujoco]' (in a working copy: pip install -e '.[mujoco]')"
        ) from None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with collect_mujoco_warnings() as printed, suspended_callbacks():
                # the model has the paths of meshes as the path of the file leads to them
                model = mujoco.MjModel.from_xml_path(str(path.parent.resolve() / path.name))
        except (ValueError, mujoco.FatalError) as error:
            reason = " ".join(str(error).split())
            raise ModelError(f"{path}: MuJoCo {mujoco.__version__} refuses it: {reason}") from None
    raised = (" ".join(str(one.message).split()) for one in caught)
    return compiled_of(model, tuple(dict.fromkeys((*raised, *printed))))


def compiled_of(model: Any, messages: tuple[str, ...] = ()) -> Compiled:
    """Return a model of MuJoCo with a name for each body and joint."""
    import mujoco

    bodies = tuple(_distinct_names(model, mujoco.mjtObj.mjOBJ_BODY, model.nbody, "body"))
    joints = tuple(_distinct_names(model, mujoco.mjtObj.mjOBJ_JOINT, model.njnt, "joint"))
    return Compiled(model, bodies, joints, messages)


def _distinct_names(model: Any, of: Any, count: int, kind: str) -> Iterator[str]:
    """Yield unique names of all elements of one kind; unnamed ones and duplicates get a number."""
    import mujoco

    names = set[str]()
    for number in range(count):
        name = mujoco.mj_id2name(model, int(of), number) or f"{kind}_{number}"
        if len(name) > LONGEST_NAME or name in names or not name.strip():
            name = f"{kind}_{number}"
        while name in names:
            name += "_"
        names.add(name)
        yield name
