"""Logs of robots that are known: torques by Pinocchio, friction by its formula, noise by a seed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.identification import Log
from sim.maths import Array
from sim.robots import Robot
from tests.helpers.pinocchio_model import PinocchioModel

GRAVITY = (0.0, 0.0, -9.81)
FRICTION = {"coulomb": 6.0, "viscous": 4.0, "offset": 0.5}  # of the first joint; others have less


def exciting_motion(n: int, seconds: float = 20.0, rate: float = 100.0, seed: int = 0) -> Array:
    """t, and q, qd, qdd of five harmonics of 0.1 Hz, (1 + 3 n, N)."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(seconds * rate)) / rate
    w = 2 * np.pi * 0.1 * np.arange(1, 6)[:, None]
    a, b = rng.normal(size=(2, n, 5)) * 0.35
    s, c = np.sin(w * t), np.cos(w * t)
    q = rng.normal(size=(n, 1)) + a @ s + b @ c
    return np.vstack([t, q, a @ (w * c) - b @ (w * s), -a @ (w**2 * s) - b @ (w**2 * c)])


def friction_laws(robot: Robot) -> dict[str, dict[str, float]]:
    """A law for each joint, smaller from joint to joint."""
    return {
        name: {kind: value / (1 + k) for kind, value in FRICTION.items()}
        for k, name in enumerate(robot.row_names)
    }


def clean_log(
    robot: Robot,
    laws: Mapping[str, Mapping[str, float]] | None = None,
    *,
    seconds: float = 20.0,
    rate: float = 100.0,
    seed: int = 0,
) -> Log:
    """The log of a robot without noise."""
    n = len(robot.row_names)
    motion = exciting_motion(n, seconds, rate, seed)
    t, q, qd, qdd = motion[0], *np.split(motion[1:], 3)
    tau = PinocchioModel(robot, GRAVITY).torque(q, qd, qdd)
    for row, name in enumerate(robot.row_names):
        law = (friction_laws(robot) if laws is None else laws)[name]
        tau[row] += law["coulomb"] * np.sign(qd[row]) + law["viscous"] * qd[row] + law["offset"]
    return Log(robot.row_names, t, q, tau, qd, "known.csv")


def noisy(log: Log, size: float | Array, seed: int = 0) -> Log:
    """The log with white noise on its torques [N·m]."""
    noise = np.random.default_rng(seed).normal(size=log.tau.shape) * np.reshape(size, (-1, 1))
    return Log(log.joints, log.t, log.q, log.tau + noise, log.qd, log.source)


def columns_of(log: Log) -> dict[str, Array]:
    """Columns of a table with our own names."""
    found = {"t": log.t}
    for group, rows in (("q", log.q), ("qd", log.qd), ("tau", log.tau)):
        if rows is not None:
            found |= {f"{group}.{name}": row for name, row in zip(log.joints, rows, strict=True)}
    return found


def csv_text(columns: Mapping[str, Array], *, titles: bool = True) -> str:
    """A table as CSV with nine digits."""
    lines = [",".join(columns)] if titles else []
    lines += [",".join(f"{x:.9g}" for x in row) for row in np.array([*columns.values()]).T]
    return "\n".join(lines) + "\n"
