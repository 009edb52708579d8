"""PUMA 560: a white arm on a round column, its upper arm and forearm flat castings side by side.

At zero the upper arm is along X and the forearm upright beyond it; axes 2 and 3 are along -Y, and
the forearm is in the plane of the offset `d3`. The column is on the floor.
"""

from __future__ import annotations

import numpy as np

from sim.robots.robot import Robot
from tools.meshes.model import Model
from tools.meshes.shapes import bolts, disc, hull, lathe, tube

X, Y, Z = np.eye(3)

COLUMN = 0.09  # radius [m]
NECK = 0.56  # height at which the body turns on the column [m]
WIDE, NARROW = 0.085, 0.075  # of the two castings across the arm [m]


def draw(robot: Robot) -> Model:
    """Draw column, body, upper arm, forearm and wrist."""
    model = Model(robot)
    _column(model)
    _body(model)
    _upper_arm(model)
    _forearm(model)
    _wrist(model)
    return model


def _column(model: Model) -> None:
    foot = [(0, 0), (0.16, 0, 0.004), (0.16, 0.025, 0.006), (COLUMN, 0.05, 0.02)]
    post = [(COLUMN, NECK - 0.06, 0.01), (0.11, NECK - 0.03, 0.01), (0.11, NECK), (0, NECK)]
    model.add("base_link", "label white", lathe((0, 0, 0), Z, [*foot, *post]))
    model.add("base_link", "steel", bolts((0, 0, 0.025), Z, 0.138, 8, 0.018, np.pi / 8))


def _body(model: Model) -> None:
    shoulder = model.origin("link_2")
    table = disc((0, 0, NECK + 0.012), Z, 0.115, 0.024, 0.006)
    barrel = disc(shoulder + 0.01 * Y, Y, 0.1, 0.2, 0.012)
    model.add("link_1", "label white", hull(table, barrel))
    model.add("link_1", "graphite", disc(shoulder + 0.115 * Y, Y, 0.075, 0.02, 0.004))


def _upper_arm(model: Model) -> None:
    inner = -(0.1 + WIDE / 2) * Y
    near, far = model.origin("link_2") + inner, model.origin("link_3") + inner
    rear = near - 0.16 * (far - near)
    casting = hull(disc(near, Y, 0.1, WIDE, 0.01), disc(far, Y, 0.065, WIDE, 0.01))
    counter = hull(disc(near, Y, 0.1, WIDE, 0.01), disc(rear, Y, 0.085, WIDE, 0.01))
    model.add("link_2", "label white", casting, counter)
    outside = -(WIDE / 2) * Y
    model.add("link_2", "steel", bolts(near + outside, -Y, 0.07, 8, 0.01))


def _forearm(model: Model) -> None:
    elbow, wrist = model.origin("link_3"), model.origin("link_5")
    inner = -(0.1 + WIDE + 0.002 + NARROW / 2) * Y
    at = elbow + inner
    along = (wrist - elbow) @ Z * Z
    plane = np.array([wrist[0], at[1], elbow[2]])
    top = plane + 0.62 * along
    casting = hull(disc(at, Y, 0.07, NARROW, 0.01), disc(top, Y, 0.042, NARROW, 0.01))
    tail = hull(disc(at, Y, 0.07, NARROW, 0.01), disc(at - 0.1 * Z, Y, 0.055, NARROW, 0.01))
    model.add("link_3", "label white", casting, tail)
    sleeve = np.array([wrist[0], wrist[1], elbow[2]]) + 0.62 * along
    flange = sleeve + 0.1 * along
    model.add("link_3", "label white", hull(disc(top, Z, 0.036, 0.04), disc(sleeve, Z, 0.04, 0.04)))
    model.add("link_3", "graphite", tube(sleeve, flange, 0.038))
    model.add("link_4", "label white", tube(flange + 0.002 * Z, wrist - 0.042 * Z, 0.036))
    for side in (-1, 1):
        cheek = disc(wrist + side * 0.034 * Y, Y, 0.026, 0.012, 0.003)
        root = disc(wrist - 0.046 * Z + side * 0.026 * Y, Z, 0.01, 0.01)
        model.add("link_4", "label white", hull(cheek, root))


def _wrist(model: Model) -> None:
    wrist, out = model.origin("link_5"), model.axis("link_6")
    model.add("link_5", "graphite", disc(wrist, Y, 0.024, 0.052, 0.004))
    model.add("link_5", "graphite", tube(wrist, wrist + 0.019 * out, 0.02))
    model.add("link_6", "steel", tube(wrist + 0.02 * out, wrist + 0.036 * out, 0.012))
    model.add("link_6", "steel", disc(wrist + 0.045 * out, out, 0.026, 0.02, 0.003))
    model.add("link_6", "steel", bolts(wrist + 0.055 * out, out, 0.018, 4, 0.005))
