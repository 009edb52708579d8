"""Inverse dynamics, mass matrices and energies at 10 000 samples of a UR10 with a payload."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin

import sim
from benchmarks.contest import (
    Contender,
    Part,
    Row,
    Settings,
    Subject,
    Target,
    has,
    ratio,
    turns,
)
from benchmarks.peers import MuJoCo, Toolbox
from sim.dynamics import lagrange, newton_euler
from sim.robots.robot import Robot

OURS, LOOP = "sim, NumPy", "Pinocchio in a loop"
Works = dict[str, tuple[Callable[[], np.ndarray], str]]  # by name: work, package that it needs


def measured(settings: Settings) -> Subject:
    """Return tables of the three, and our speed-ups over a loop over Pinocchio."""
    samples = settings.pick(10_000, 200)
    robot = sim.load_robot("ur10").with_payload(10.0, (0, 0, 0.1))
    q, qd, qdd = np.random.default_rng(0).uniform(-3, 3, (3, 6, samples))
    parts, targets = [], []
    for title, works, bound in (
        ("Inverse dynamics, Newton–Euler", _torques(robot, q, qd, qdd), 3.7),
        ("Mass matrix", _mass_matrices(robot, q, qd), None),
        ("Kinetic and potential energy", _energies(robot, q, qd), 4.0),
    ):
        rows = _compared(works, samples, settings)
        parts.append(Part(title, tuple(rows.values()), "sample", "largest difference [SI]"))
        if bound is not None:
            how = ratio(rows, LOOP, OURS)
            targets.append(Target(f"{title}: speed-up over {LOOP}", how, bound, "x", True))
    return Subject(__doc__, tuple(parts), tuple(targets))


def _compared(works: Works, samples: int, settings: Settings) -> dict[str, Row]:
    reference = works[LOOP][0]()
    contenders = [
        Contender(name, work, samples, _apart(work, reference, needs), needs)
        for name, (work, needs) in works.items()
    ]
    return turns(contenders, settings)


def _apart(work: Callable[[], np.ndarray], reference: np.ndarray, needs: str) -> float | None:
    """Return the largest difference; for matrices in the half that both fill."""
    if not has(needs):
        return None
    apart = np.abs(work() - reference)
    if apart.ndim == 3:
        apart = apart[np.triu_indices(len(apart))]
    return float(apart.max())


def _torques(robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> Works:
    model = pin.buildModelFromXML(robot.text)
    data, pool = model.createData(), pin.ModelPool(model, 1)
    rows = [np.ascontiguousarray(x.T) for x in (q, qd, qdd)]
    columns = [np.asfortranarray(x) for x in (q, qd, qdd)]

    def loop() -> np.ndarray:
        return np.array([pin.rnea(model, data, *state) for state in zip(*rows, strict=True)]).T

    def parallel() -> np.ndarray:
        tau = np.empty_like(columns[0], order="F")
        pin.rneaInParallel(1, pool, *columns, tau)
        return tau

    works: Works = {
        OURS: (lambda: newton_euler.inverse_dynamics(robot, q, qd, qdd), ""),
        "sim, Lagrange by virtual work": (
            lambda: lagrange.inverse_dynamics(robot, q, qd, qdd),
            "",
        ),
        LOOP: (loop, ""),
        "Pinocchio rneaInParallel, one thread": (parallel, ""),
    }
    works["MuJoCo mj_inverse in a loop"] = (
        MuJoCo(robot).torques(*rows) if has("mujoco") else _nothing,
        "mujoco",
    )
    toolbox = "roboticstoolbox"
    works["roboticstoolbox rne"] = (
        Toolbox(robot).torques(*rows) if has(toolbox) else _nothing,
        toolbox,
    )
    return works


def _mass_matrices(robot: Robot, q: np.ndarray, qd: np.ndarray) -> Works:
    model = pin.buildModelFromXML(robot.text)
    data, rows = model.createData(), np.ascontiguousarray(q.T)

    def loop() -> np.ndarray:
        found = np.empty((len(rows), 6, 6))  # the upper half is filled
        for k, state in enumerate(rows):
            found[k] = pin.crba(model, data, state)
        return found.transpose(1, 2, 0)

    works: Works = {
        OURS: (lambda: lagrange.mass_matrix(robot, q), ""),
        LOOP: (loop, ""),
    }
    works["MuJoCo mj_fullM in a loop"] = (
        MuJoCo(robot).mass_matrices(rows) if has("mujoco") else _nothing,
        "mujoco",
    )
    return works


def _energies(robot: Robot, q: np.ndarray, qd: np.ndarray) -> Works:
    model = pin.buildModelFromXML(robot.text)
    data, rows = model.createData(), [np.ascontiguousarray(x.T) for x in (q, qd)]

    def ours() -> np.ndarray:
        _, ke, pe = lagrange.energies(robot, q, qd)
        return np.stack([ke.sum(axis=0), pe.sum(axis=0)])

    def loop() -> np.ndarray:
        return np.array(
            [
                (
                    pin.computeKineticEnergy(model, data, position, rate),
                    pin.computePotentialEnergy(model, data, position),
                )
                for position, rate in zip(*rows, strict=True)
            ]
        ).T

    works: Works = {OURS: (ours, ""), LOOP: (loop, "")}
    works["MuJoCo mj_energy in a loop"] = (
        MuJoCo(robot).energies(*rows) if has("mujoco") else _nothing,
        "mujoco",
    )
    return works


def _nothing() -> np.ndarray:
    return np.zeros(0)
