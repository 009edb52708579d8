"""Random trees whose torques and accelerations are also computed by other programs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.maths.arrays import Array
from sim.robots.loading import read_urdf
from sim.verification.bodies import random_tree
from sim.verification.case import Expected
from sim.verification.solving import SolvingMethod

SIZES = (3, 5, 7, 9)

Answer = Callable[[str, list[str], Array], tuple[Array, Array]]
"""URDF, names of the joints and states (3, n, N) -> torques and accelerations, (n, N) each."""


def states(n: int) -> Array:
    """Return positions, velocities, and torques or accelerations of n joints, shape (3, n, 6)."""
    rng = np.random.default_rng(100 + n)
    values: Array = rng.uniform(-1, 1, (3, n, 6)) * [[[3.0]], [[2.0]], [[5.0]]]
    return values


def compute(method: SolvingMethod) -> dict[str, Array]:
    """Torques of accelerations, and accelerations of torques of the same numbers."""

    def answer(text: str, names: list[str], state: Array) -> tuple[Array, Array]:
        tree = read_urdf(text)
        order = [tree.joint_names.index(name) for name in names]
        q, qd, last = state[:, np.argsort(order)]
        torques = method.inverse_dynamics(tree, q, qd, last)
        return torques[order], method.forward_dynamics(tree, q, qd, last)[order]

    return {f"{name}, {n} joints": value for name, n, value in _answers(answer)}


def expected_by(answer: Answer, within: float, why: str) -> dict[str, Expected]:
    """Return another program's results, with the tolerance `within` relative to the largest."""
    units = {"torques": "N·m, N", "accelerations": "rad/s², m/s²"}
    return {
        f"{name}, {n} joints": Expected(
            value, units[name], within * float(np.abs(value).max()), why
        )
        for name, n, value in _answers(answer)
    }


def _answers(answer: Answer) -> list[tuple[str, int, Array]]:
    answers = []
    for n in SIZES:
        text, names = random_tree(np.random.default_rng(n), n), [f"joint_{k}" for k in range(n)]
        torques, accelerations = answer(text, names, states(n))
        answers += [("torques", n, torques), ("accelerations", n, accelerations)]
    return answers
