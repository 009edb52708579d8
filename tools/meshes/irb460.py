"""IRB 460: orange palletizer with a crank, a parallel rod and two levelling rods on pins.

At zero the lower arm is upright and the upper arm is along Y; all axes of the linkage are along X.
The positions of the parts in X let them pass each other: crank and parallel rod in the middle,
between the legs of the lower arm and the cheeks of the upper arm; link plate and levelling rods on
the left.
"""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array
from sim.robots.loop import Loop
from sim.robots.robot import Robot
from tools.meshes.model import Model
from tools.meshes.shapes import (
    bolts,
    box,
    disc,
    hose,
    hull,
    lathe,
    motor,
    tube,
)

X, Y, Z = np.eye(3)
SIDES = (-1, 1)

FRAME, LEG, CHEEK, CRANK = 0.265, 0.135, 0.108, 0.056  # positions on both sides of the middle [m]
PLATE, RODS = -0.162, -0.198  # positions on the left
SEAM = 0.30  # height of axis 1's bearing


def draw(robot: Robot) -> Model:
    """Draw foot, frame, both arms, crank, rods, link plate and wrist."""
    model = Model(robot)
    _foot(model)
    _frame(model)
    _lower_arm(model)
    _upper_arm(model)
    _crank(model)
    _rods(model)
    _plate(model)
    _wrist(model)
    return model


def _ends(model: Model, rod: str) -> tuple[Array, Array]:
    """Return the two pins of a rod: its joint, and the closure of its loop."""
    loop: Loop = next(loop for loop in model.robot.loops if loop.link_a == rod)
    T = model.T_0[rod]
    return T[:3, 3], T[:3, :3] @ np.asarray(loop.point_a) + T[:3, 3]


def _foot(model: Model) -> None:
    plate = hull(
        *[disc((x, y, 0.02), Z, 0.07, 0.04, 0.008) for x in (-0.31, 0.31) for y in (-0.31, 0.31)]
    )
    bell = [
        (0, 0.03),
        (0.355, 0.03),
        (0.345, 0.09, 0.05),
        (0.315, 0.18, 0.06),
        (0.325, SEAM - 0.012),
    ]
    model.add("base_link", "arm orange", plate, lathe((0, 0, 0), Z, [*bell, (0, SEAM - 0.012)]))
    model.add(
        "base_link",
        "arm orange",
        hull(
            box((0, -0.32, 0.11), (0.26, 0.12, 0.16), 0.012),
            box((0, -0.2, 0.12), (0.3, 0.1, 0.2), 0.012),
        ),
    )
    model.add(
        "base_link",
        "graphite",
        box((0, -0.382, 0.11), (0.2, 0.02, 0.11), 0.005),
        disc((0, 0, SEAM - 0.006), Z, 0.315, 0.02),
    )
    for x in (-0.05, 0.05):
        model.add("base_link", "steel", tube((x, -0.385, 0.11), (x, -0.42, 0.11), 0.028))
    for x in (-0.31, 0.31):
        for y in (-0.31, 0.31):
            model.add("base_link", "steel", bolts((x, y, 0.04), Z, 0.0, 1, 0.05))


def _frame(model: Model) -> None:
    axis = model.origin("lower_arm")
    table = disc((0, 0, SEAM + 0.03), Z, 0.39, 0.06, 0.012)
    model.add("swing_base", "arm orange", table)
    for side in SIDES:
        boss = disc(axis + side * FRAME * X, X, 0.15, 0.075, 0.015)
        front = box((side * FRAME, 0.14, SEAM + 0.06), (0.075, 0.2, 0.06), 0.012)
        rear = box((side * FRAME * 0.94, -0.17, SEAM + 0.07), (0.085, 0.16, 0.08), 0.012)
        model.add("swing_base", "arm orange", hull(boss, front, rear))
        outside = axis + side * (FRAME + 0.0375) * X
        model.add("swing_base", "graphite", motor(outside, side * X, 0.085, 0.26))
        model.add("swing_base", "arm orange", disc(outside, X, 0.12, 0.03, 0.006))
        gap = axis + side * np.array([LEG + 0.034, 0, 0]), axis + side * (FRAME - 0.03) * X
        model.add("swing_base", "graphite", tube(*gap, 0.12))
    model.add("swing_base", "steel", tube(axis - FRAME * X, axis + FRAME * X, 0.05))
    model.add("swing_base", "arm orange", box((0, -0.2, SEAM + 0.09), (0.5, 0.14, 0.1), 0.02))
    model.add("swing_base", "steel", bolts((0, 0, SEAM + 0.06), Z, 0.36, 12, 0.018))
    model.add("swing_base", "graphite", motor(np.array([0.13, -0.2, SEAM + 0.13]), Z, 0.075, 0.27))
    pin, _ = _ends(model, "levelling_rod_1")
    wall = -FRAME + 0.02
    lug = disc(pin + (wall + 0.005) * X, X, 0.042, 0.05, 0.006)
    model.add(
        "swing_base",
        "arm orange",
        hull(lug, disc(axis + (wall + 0.005) * X - 0.03 * Y, X, 0.11, 0.045, 0.006)),
    )
    model.add("swing_base", "steel", tube(pin + wall * X, pin + (RODS + 0.026) * X, 0.018))


def _lower_arm(model: Model) -> None:
    axis, elbow = model.origin("lower_arm"), model.origin("link_plate")
    up = elbow - axis
    fork = axis + 0.3 * up
    for side in SIDES:
        foot = disc(axis + side * LEG * X, X, 0.135, 0.06, 0.012)
        knee = disc(fork + side * 0.062 * X, X, 0.118, 0.06, 0.012)
        model.add("lower_arm", "arm orange", hull(foot, knee))
    waist = disc(fork, X, 0.118, 0.184, 0.015)
    neck = disc(axis + 0.72 * up, X, 0.092, 0.15, 0.02)
    head = disc(elbow, X, 0.098, 0.14, 0.012)
    model.add("lower_arm", "arm orange", hull(waist, neck), hull(neck, head))
    model.add(
        "lower_arm",
        "steel",
        tube(elbow + (RODS + 0.02) * X, elbow + (CHEEK + 0.04) * X, 0.032, fillet=0.004),
    )
    model.add(
        "lower_arm",
        "cable",
        hose(
            [
                axis + s * up + (0.105 + out) * Y
                for s, out in (
                    (0.32, -0.005),
                    (0.4, 0.025),
                    (0.55, 0.015),
                    (0.7, 0.01),
                    (0.8, 0.015),
                    (0.87, -0.02),
                )
            ],
            0.02,
        ),
    )


def _upper_arm(model: Model) -> None:
    elbow, wrist = model.origin("upper_arm"), model.origin("wrist")
    _, rear = _ends(model, "parallel_rod")
    out = wrist - elbow
    for side in SIDES:
        place = side * CHEEK * X
        hub = disc(elbow + place, X, 0.118, 0.046, 0.01)
        tail = disc(rear + place, X, 0.066, 0.046, 0.01)
        front = disc(elbow + 0.24 * out + side * 0.085 * X, X, 0.1, 0.06, 0.012)
        model.add("upper_arm", "arm orange", hull(hub, tail), hull(hub, front))
        cap = elbow + side * (CHEEK + 0.024) * X
        model.add("upper_arm", "deep orange", disc(cap, X, 0.08, 0.012, 0.003))
        model.add(
            "upper_arm", "steel", disc(rear + side * (CHEEK + 0.024) * X, X, 0.034, 0.012, 0.003)
        )
    chest = disc(elbow + 0.24 * out, X, 0.1, 0.23, 0.015)
    throat = disc(elbow + 0.88 * out, X, 0.062, 0.115, 0.012)
    nose = disc(wrist, X, 0.066, 0.105, 0.01)
    model.add("upper_arm", "arm orange", hull(chest, throat), hull(throat, nose))
    model.add("upper_arm", "steel", tube(rear - CHEEK * X, rear + CHEEK * X, 0.028))
    shin = 0.082 * Z
    model.add(
        "upper_arm",
        "cable",
        hose(
            [
                elbow + s * out - shin * t + 0.03 * X
                for s, t in (
                    (0.2, 0.9),
                    (0.3, 1.35),
                    (0.45, 1.28),
                    (0.62, 1.1),
                    (0.78, 0.98),
                    (0.88, 0.6),
                )
            ],
            0.018,
        ),
    )


def _crank(model: Model) -> None:
    axis, pin = model.origin("crank"), model.origin("crank_pin")
    out = pin - axis
    hub = disc(axis, X, 0.11, 0.2, 0.012)
    root = disc(axis + 0.3 * out, X, 0.085, 0.14, 0.012)
    model.add("crank", "arm orange", hull(hub, root))
    for side in SIDES:
        eye = disc(pin + side * CRANK * X, X, 0.06, 0.034, 0.008)
        thigh = disc(axis + 0.3 * out + side * 0.053 * X, X, 0.08, 0.034, 0.008)
        model.add("crank", "arm orange", hull(eye, thigh))
    model.add("crank_pin", "steel", tube(pin - 0.079 * X, pin + 0.079 * X, 0.03, fillet=0.004))


def _rods(model: Model) -> None:
    start, end = _ends(model, "parallel_rod")
    _rod(model, "parallel_rod", "arm orange", start, end, 0.034, 0.055, 0.066)
    for rod in ("levelling_rod_1", "levelling_rod_2"):
        start, end = _ends(model, rod)
        _rod(model, rod, "arm orange", start + RODS * X, end + RODS * X, 0.017, 0.034, 0.036)


def _rod(
    model: Model,
    link: str,
    colour: str,
    start: Array,
    end: Array,
    radius: float,
    eye: float,
    width: float,
) -> None:
    """Draw a rod with an eye at each pin."""
    way = (end - start) / np.linalg.norm(end - start)
    model.add(link, colour, tube(start, end, radius))
    for at, inwards in ((start, way), (end, -way)):
        neck = tube(at + 0.8 * eye * inwards, at + 2.1 * eye * inwards, 1.05 * radius)
        model.add(link, colour, hull(disc(at, X, eye, width, 0.006), neck))
        model.add(link, "steel", disc(at, X, 0.6 * eye, width + 0.006))


def _plate(model: Model) -> None:
    elbow = model.origin("link_plate")
    _, behind = _ends(model, "levelling_rod_1")
    ahead, _ = _ends(model, "levelling_rod_2")
    corners = [
        disc(at + PLATE * X, X, r, 0.026, 0.006)
        for at, r in ((elbow, 0.085), (behind, 0.045), (ahead, 0.045))
    ]
    model.add("link_plate", "deep orange", hull(*corners))
    model.add("link_plate", "steel", disc(elbow + (PLATE - 0.016) * X, X, 0.05, 0.012, 0.003))
    for pin in (behind, ahead):
        model.add(
            "link_plate",
            "steel",
            tube(pin + (PLATE + 0.017) * X, pin + (RODS - 0.026) * X, 0.016, fillet=0.003),
        )


def _wrist(model: Model) -> None:
    wrist, flange = model.origin("wrist"), model.origin("flange")
    _, pin = _ends(model, "levelling_rod_2")
    axis_4 = np.array([0.0, flange[1], wrist[2]])
    top, bottom = axis_4 + 0.05 * Z, flange + 0.045 * Z
    barrel = lathe(
        bottom,
        Z,
        [(0, 0), (0.092, 0, 0.006), (0.098, (top - bottom)[2], 0.012), (0, (top - bottom)[2])],
    )
    model.add("wrist", "arm orange", barrel)
    for side in SIDES:
        cheek = disc(wrist + side * 0.08 * X, X, 0.078, 0.046, 0.01)
        root = box(axis_4 + np.array([side * 0.07, -0.03, -0.03]), (0.05, 0.08, 0.13), 0.012)
        model.add("wrist", "arm orange", hull(cheek, root))
        model.add("wrist", "deep orange", disc(wrist + side * 0.104 * X, X, 0.052, 0.012, 0.003))
    lug = disc(pin + PLATE * X, X, 0.042, 0.026, 0.006)
    root = axis_4 + PLATE * X - 0.05 * Y - 0.03 * Z
    bracket = hull(lug, disc(root, X, 0.046, 0.026, 0.006))
    model.add("wrist", "arm orange", bracket, tube(root, root - PLATE * X, 0.036))
    model.add(
        "wrist",
        "steel",
        tube(pin + (PLATE + 0.017) * X, pin + (RODS - 0.026) * X, 0.016, fillet=0.003),
    )
    model.add("wrist", "graphite", motor(top, Z, 0.062, 0.2))
    model.add("wrist", "graphite", disc(bottom - 0.002 * Z, Z, 0.085, 0.012))
    plate = [
        (0.03, 0),
        (0.1, 0, 0.004),
        (0.1, 0.022, 0.004),
        (0.07, 0.03),
        (0.07, 0.042),
        (0.03, 0.042),
    ]
    model.add("flange", "steel", lathe(flange, Z, [(0, 0.02), *plate, (0, 0.042)]))
    model.add("flange", "motor black", bolts(flange, -Z, 0.08, 6, 0.014))
