"""Random robots with payloads, mounted anywhere under any gravity, in random states."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from sim.maths import Array
from sim.robots import Robot, read_urdf
from tests.helpers.random_robots import random_urdf

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class World:
    """A robot, the gravity around it, and N states of its independent joints, each (n, N)."""

    robot: Robot
    gravity: Vector
    q: Array
    qd: Array
    qdd: Array


def numbers(size: float) -> st.SearchStrategy[float]:
    return st.floats(-size, size, allow_subnormal=False)


def vectors(size: float) -> st.SearchStrategy[Vector]:
    return st.tuples(numbers(size), numbers(size), numbers(size))


gravities = vectors(15.0)  # [m/s²]
angles = vectors(math.pi)


@st.composite
def robots(
    draw: st.DrawFn, *, fewest: int = 2, most: int = 12, mimic: bool = False, loaded: bool = True
) -> Robot:
    """A random tree with a tilted base; half of them carry a payload, on any link."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    text = random_urdf(
        rng,
        draw(st.integers(fewest, most)),
        branching=draw(st.booleans()),
        prismatic=draw(st.booleans()),
        mimic=mimic,
    )
    robot = read_urdf(text).mounted(draw(vectors(2.0)), draw(angles))
    if loaded and draw(st.booleans()):
        second = rng.uniform(0.001, 0.1, 3)
        tensor = np.diag(second.sum() - second)
        frame = robot.links[draw(st.integers(1, len(robot.links) - 1))].name
        robot = robot.with_payload(draw(st.floats(0.1, 20)), draw(vectors(0.3)), tensor, frame)
    return robot


@st.composite
def worlds(
    draw: st.DrawFn, *, fewest: int = 2, most: int = 12, mimic: bool = False, states: int = 4
) -> World:
    robot = draw(robots(fewest=fewest, most=most, mimic=mimic))
    return in_random_states(robot, draw(gravities), draw(st.integers(0, 2**32 - 1)), states)


def in_random_states(robot: Robot, gravity: Vector, seed: int, states: int) -> World:
    """q within ±π, qd within ±2, qdd within ±5."""
    rng = np.random.default_rng(seed)
    shape = (len(robot.joint_names), states)
    q, qd, qdd = (rng.uniform(-size, size, shape) for size in (math.pi, 2.0, 5.0))
    return World(robot, gravity, q, qd, qdd)
