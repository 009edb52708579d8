"""Compare MJCF files of other packages, as read here, with MuJoCo at random states.

    python -m tools.mjcf_models FOLDER… [--states 1000]

For each file that MuJoCo compiles and that has moving parts: mass matrix, bias force and passive
force, each difference relative to the largest value in the model. What the reader leaves out by
name is switched off in MuJoCo's model, and listed. Ends with 1 if a difference exceeds 1e-10.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from sim.conversion.original import uncouple
from sim.dynamics.gravity import GRAVITY
from sim.dynamics.lagrange import link_torque, mass_matrix
from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import vectors_of_quaternions
from sim.robots.loading import load_robot
from sim.robots.mjcf.compiled import BALL, FREE, HINGE, Compiled, compile_file
from sim.robots.mjcf.read_mjcf import FLAGS, read_mjcf
from sim.robots.robot import Robot

ALLOWED = 1e-10  # of the largest value; rounding of a hundred links is below 1e-12
STATES, PIECE = 1000, 100
SEED = 0
TOO_LARGE = "are allowed"  # in the refusal of a robot with too many joints


@dataclass(frozen=True)
class Proof:
    """Largest differences between a robot and MuJoCo's model of its file.

    Parameters
    ----------
    n : int
        Number of degrees of freedom.
    M, bias, passive : float
        Each relative to MuJoCo's largest value; `bias` to that of M if it is larger.
    left_out : tuple of str
        Kinds of elements that the robot lacks, by name in `Robot.repairs`.
    """

    n: int
    M: float
    bias: float
    passive: float
    left_out: tuple[str, ...]

    @property
    def worst(self) -> float:
        """Largest of the three."""
        return max(self.M, self.bias, self.passive)


def prove(path: Path, states: int = STATES) -> Proof:
    """Compare the robot of a file with MuJoCo's model at random states within the limits.

    Raises
    ------
    ModelError
        If the file cannot be read.
    """
    robot, compiled = load_robot(path), compile_file(path)
    left = _switch_off(compiled, robot)
    x, y, z = map(float, compiled.model.opt.gravity)
    tree = uncouple(robot)
    rows = [_dof(compiled, name) for name in tree.row_names]
    inertias, rotors = (
        read_mjcf(path).rotors,
        dict(zip(robot.row_names, robot.rotor_inertia, strict=True)),
    )
    own, led = (
        np.diag([of.get(name, 0.0) for name in tree.row_names]) for of in (inertias, rotors)
    )
    random, differences = np.random.default_rng(SEED), np.zeros((2, 3))
    S = robot.coupling[0]  # rotors of joints that follow others turn with their leaders
    lacking = tuple(f"{j}." for one in robot.repairs if "armature" in one.says for j in one.joints)
    has_rotor = [not f"{joint.name}.".startswith(lacking) for joint in tree.tree_row_joints]
    differences[0, 0] = np.abs(S.T @ (own - led)[:, has_rotor] @ S[has_rotor]).max(initial=0.0)
    for begin in range(0, states, PIECE):
        q, qd, wanted = _mujoco_states(compiled, random, min(PIECE, states - begin))
        q, qd = q[rows], qd[rows]
        made = (
            mass_matrix(tree, q) + own[:, :, None],
            link_torque(tree, q, qd, 0.0 * q, (x, y, z)),
            _passive(robot, tree, q, qd),
        )
        for k, (ours, theirs) in enumerate(zip(made, wanted, strict=True)):
            true = theirs[np.ix_(rows, rows)] if k == 0 else theirs[rows]
            pair = np.abs(ours - true).max(), np.abs(true).max()
            differences[:, k] = np.maximum(differences[:, k], pair)
    off, sizes = differences
    sizes[1] = max(sizes[:2])
    M, bias, passive = (off / np.where(sizes > 0, sizes, 1.0)).tolist()
    return Proof(len(rows), M, bias, passive, left)


def _dof(compiled: Compiled, row: str) -> int:
    """Return MuJoCo's degree of freedom of a row of the robot."""
    if row in compiled.joints:
        return int(compiled.model.jnt_dofadr[compiled.joints.index(row)])
    name, _, part = row.rpartition(".")
    if part.startswith("slide_"):
        return _dof(compiled, name) + "xyz".index(part[-1])
    joint = name.removesuffix(".ball")
    of_free = 3 if name != joint and joint in compiled.joints else 0
    return _dof(compiled, joint if of_free else name) + of_free + "xyz".index(part)


def _mujoco_states(
    compiled: Compiled, random: np.random.Generator, count: int
) -> tuple[Array, Array, tuple[Array, Array, Array]]:
    """Return positions and velocities by degree of freedom, (nv, N), and M, bias, passive."""
    model = compiled.model
    data, n = mujoco.MjData(model), int(model.nv)
    q, qd = np.empty((n, count)), 2.0 * random.standard_normal((n, count))
    M, bias, passive = np.empty((n, n, count)), np.empty((n, count)), np.empty((n, count))
    for k in range(count):
        data.qpos[:], q[:, k] = _position(model, random)
        data.qvel[:] = qd[:, k]
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        full = np.zeros((n, n))
        mujoco.mj_fullM(model, data, full)
        M[:, :, k], bias[:, k] = full, data.qfrc_bias
        passive[:, k] = data.qfrc_passive - model.dof_frictionloss * np.sign(data.qvel)
    return q, qd, (M, bias, passive)


def _position(model: Any, random: np.random.Generator) -> tuple[Array, Array]:
    """Return a random position in MuJoCo's coordinates and by degree of freedom."""
    qpos, q = np.array(model.qpos0), np.empty(int(model.nv))
    for j in range(int(model.njnt)):
        place, dof = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
        kind = int(model.jnt_type[j])
        if kind == FREE:
            qpos[place : place + 3] = q[dof : dof + 3] = random.standard_normal(3)
            place, dof = place + 3, dof + 3
        if kind in (FREE, BALL):
            w, x, y, z = quaternion = _unit(random.standard_normal(4))
            qpos[place : place + 4] = quaternion
            q[dof : dof + 3] = vectors_of_quaternions(np.array([[x], [y], [z], [w]]))[:, 0]
            continue
        most = np.pi if kind == HINGE else 1.0
        low, high = model.jnt_range[j] if model.jnt_limited[j] else (-most, most)
        qpos[place] = q[dof] = random.uniform(low, high)
    return qpos, q


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))


def _passive(robot: Robot, tree: Robot, q: Array, qd: Array) -> Array:
    """Return the force of springs, dampers and dry friction, shape (n, N)."""
    force, row = np.empty_like(q), 0
    by_name = {joint.name: joint for joint in robot.joints}
    for joint in tree.tree_joints:
        rows = slice(row, row := row + len(joint.coordinates))
        force[rows] = -joint.damping * qd[rows] - joint.friction * np.sign(qd[rows])
        for element in by_name[joint.name].forces:
            force[rows] += element.effort(joint, q[rows], qd[rows])
    return force


def _switch_off(compiled: Compiled, robot: Robot) -> tuple[str, ...]:
    """Switch off in MuJoCo's model what the robot leaves out; return its kinds."""
    model, parts = compiled.model, {one.part for one in robot.repairs}
    says = {(one.part, one.says.split(" of a joint")[0]) for one in robot.repairs}
    if any(what.startswith("its gravity is") for _, what in says):
        model.opt.gravity[:] = GRAVITY
        model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    for flag, what in FLAGS.items():
        if any(f"switch {what} off" in text for _, text in says):
            model.opt.disableflags &= ~int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
    for j, name in enumerate(compiled.joints):
        part = f"MJCF joint {name!r}"
        _switch_off_in_joint(model, j, " ".join(what for of, what in says if of == part))
    for b, name in enumerate(compiled.bodies):
        if f"MJCF body {name!r}" in parts:
            model.body_gravcomp[b] = 0.0
    for k in range(int(model.ntendon)):
        if f"MJCF tendon {compiled.name('tendon', k)!r}" in parts:
            model.tendon_stiffness[k] = model.tendon_damping[k] = model.tendon_armature[k] = 0.0
    if any("fluid" in what for _, what in says):
        model.opt.density = model.opt.viscosity = 0.0
    return _kinds(robot)


def _switch_off_in_joint(model: Any, j: int, says: str) -> None:
    dof = int(model.jnt_dofadr[j])
    dofs = slice(dof, dof + {FREE: 6, BALL: 3}.get(int(model.jnt_type[j]), 1))
    for text, values, rows in (
        ("dry friction", model.dof_frictionloss, dofs),
        ("a spring", model.jnt_stiffness, j),
        ("stiffness that is not linear", model.jnt_stiffnesspoly, j),
        ("damping that is not linear", model.dof_dampingpoly, dofs),
    ):
        if text in says:
            values[rows] = 0.0


def _kinds(robot: Robot) -> tuple[str, ...]:
    """Return the omissions without names and numbers, and their counts."""
    texts = Counter(
        re.sub(r"\b[A-Z]*\d[\d.e+-]*\b ?", "", _short(one.part, one.says)) for one in robot.repairs
    )
    return tuple(f"{count} × {text}" for text, count in texts.items())


def _short(part: str, says: str) -> str:
    what = part.removeprefix("MJCF ").partition(" ")[0]
    return f"{what}: {says.partition(';')[0].partition(' is ')[0].strip()}"


def moving_models(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield MJCF files that MuJoCo compiles and that have moving parts."""
    for path in sorted(file for folder in folders for file in folder.rglob("*.xml")):
        if "<mujoco" in path.read_text(encoding="utf-8", errors="replace"):
            with contextlib.suppress(ModelError):  # an included file, or refused
                if int(compile_file(path).model.njnt):
                    yield path


def main(argv: list[str] | None = None) -> int:
    """Print a line for each file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--states", type=int, default=STATES)
    options = parser.parse_args(argv)
    total, wrong, large = 0, 0, 0
    _say("   n        M     bias  passive  file; left out by name")
    for path in moving_models(options.folders):
        total += 1
        try:
            proof = prove(path, options.states)
        except ModelError as error:
            large += TOO_LARGE in str(error)
            wrong += TOO_LARGE not in str(error)
            _say(f"not read: {path}: {error}")
            continue
        wrong += not proof.worst <= ALLOWED
        numbers = f"{proof.n:4d} {proof.M:8.0e} {proof.bias:8.0e} {proof.passive:8.0e}"
        _say(f"{numbers}  {path}; {', '.join(proof.left_out) or 'nothing'}")
    _say(
        f"{total} models: {large} with too many joints, "
        f"{wrong} not read otherwise or above {ALLOWED:g} of the largest value"
    )
    return 1 if wrong else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
