"""Joint torques of URDF texts, and inertias of an MJCF, as read by PyBullet in a child process.

PyBullet may crash on files that other programs only refuse, so that a user's file is read in
another process. Run as ``python -m sim.audit.pybullet_reading``: JSON questions in, answers out.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.maths.arrays import Array

PATIENCE = 60.0  # [s]
TREE = ("q", "qd", "qdd")


def pybullet_torques(
    texts: Sequence[tuple[str, bool]],
    joints: Sequence[str],
    states: tuple[Array, ...],
    gravity: Array,
) -> list[Array | None]:
    """Return torques M qdd + C qd + g of joints of a tree by ``calculateInverseDynamics``.

    Parameters
    ----------
    texts : sequence of tuple of str and bool
        URDFs with absolute paths of meshes, and whether to keep the tensors of the file.
    joints : sequence of str
    states : tuple of ndarray, shape (n, N)
        Positions, velocities and accelerations of the joints.
    gravity : ndarray, shape (3,)
        In the frame of the root link [m/s²].

    Returns
    -------
    list of ndarray of shape (n, N), or None
        None if PyBullet refuses the text, or crashes.
    """
    question = {
        "texts": list(texts),
        "joints": list(joints),
        "states": [rows.tolist() for rows in states],
        "gravity": gravity.tolist(),
    }
    if (answers := _ask(question)) is None:
        return [None] * len(texts)
    return [None if rows is None else np.array(rows) for rows in answers]


def pybullet_inertias(path: Path) -> dict[str, tuple[float, Array, Array]]:
    """Return mass [kg], mass centre [m] and tensor [kg·m²] of the links of an MJCF, by name.

    Empty if PyBullet refuses the file, or crashes.
    """
    answer = _ask({"mjcf": str(path.resolve())}) or {}
    return {name: (one[0], np.array(one[1]), np.array(one[2])) for name, one in answer.items()}


def _ask(question: dict[str, Any]) -> Any:
    """Return the answer of a child process; None if it has none."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__],
            input=json.dumps(question),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
        return json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, json.JSONDecodeError):
        return None


def _answer(question: dict[str, Any]) -> Any:
    p = importlib.import_module("pybullet")
    p.connect(p.DIRECT)
    return _inertias(p, question["mjcf"]) if "mjcf" in question else _all_torques(p, question)


def _inertias(p: Any, path: str) -> dict[str, tuple[float, list[float], list[list[float]]]]:
    links = {}
    for body in p.loadMJCF(path):
        for k in range(p.getNumJoints(body)):
            mass, _, moments, com, turn = p.getDynamicsInfo(body, k)[:5]
            R = np.reshape(p.getMatrixFromQuaternion(turn), (3, 3))
            name = p.getJointInfo(body, k)[12].decode()
            links[name] = mass, list(com), (R @ np.diag(moments) @ R.T).tolist()
    return links


def _all_torques(p: Any, question: dict[str, Any]) -> list[list[list[float]] | None]:
    p.setGravity(*question["gravity"])
    answers: list[list[list[float]] | None] = []
    for text, is_from_file in question["texts"]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "robot.urdf")
            path.write_text(text, encoding="utf-8")
            flags = p.URDF_USE_INERTIA_FROM_FILE if is_from_file else 0
            try:
                body = p.loadURDF(str(path), useFixedBase=True, flags=flags)
                answers.append(_torques(p, body, question))
            except (p.error, KeyError):
                answers.append(None)
    return answers


def _torques(p: Any, body: int, question: dict[str, Any]) -> list[list[float]]:
    info = [p.getJointInfo(body, k) for k in range(p.getNumJoints(body))]
    moving = [row[1].decode() for row in info if row[2] != p.JOINT_FIXED]
    rows = [moving.index(name) if name in moving else -1 for name in question["joints"]]
    if -1 in rows or len(rows) != len(moving):
        raise KeyError
    columns = []
    for state in zip(*(zip(*part, strict=True) for part in question["states"]), strict=True):
        q, qd, qdd = ([0.0] * len(rows) for _ in TREE)
        for row, *values in zip(rows, *state, strict=True):
            q[row], qd[row], qdd[row] = values
        tau = p.calculateInverseDynamics(body, q, qd, qdd)
        columns.append([tau[row] for row in rows])
    return [list(row) for row in zip(*columns, strict=True)]


if __name__ == "__main__":
    with suppress_c_output():
        _answers = _answer(json.load(sys.stdin))
    json.dump(_answers, sys.stdout)
