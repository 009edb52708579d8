"""Arc welding arm: a slim yellow arm on a pedestal, a wire feeder at the elbow, a straight torch.

At zero the arm is along X and the torch upright on the wrist; axes 2, 3 and 4 are along Y. The
origin of the base frame is on axis 1 at the height of axis 2, so the pedestal is below it.
"""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array
from sim.robots.robot import Robot
from tools.meshes.model import Model
from tools.meshes.shapes import bolts, box, disc, hose, hull, lathe, motor, ring, tube

X, Y, Z = np.eye(3)
SIDES = (-1, 1)

FLOOR, SEAM = -0.30, -0.125  # heights of the floor and of axis 1's bearing [m]
BEAM = -0.098  # position of the upper arm in Y
BEAM_WIDTH = 0.062


def draw(robot: Robot) -> Model:
    """Draw pedestal, swivel, upper arm, forearm, wrist and torch."""
    model = Model(robot)
    _pedestal(model)
    _swivel(model)
    _upper_arm(model)
    _forearm(model)
    _wrist(model)
    _torch(model)
    return model


def _pedestal(model: Model) -> None:
    foot = [
        (0, FLOOR),
        (0.175, FLOOR, 0.004),
        (0.175, FLOOR + 0.022, 0.006),
        (0.128, FLOOR + 0.034, 0.02),
    ]
    bell = [
        (0.112, SEAM - 0.03, 0.01),
        (0.122, SEAM - 0.02, 0.004),
        (0.122, SEAM - 0.006),
        (0, SEAM - 0.006),
    ]
    model.add("base_link", "yellow", lathe((0, 0, 0), Z, [*foot, *bell]))
    model.add("base_link", "graphite", disc((0, 0, SEAM - 0.003), Z, 0.114, 0.012))
    model.add("base_link", "yellow", box((-0.12, 0, FLOOR + 0.085), (0.07, 0.12, 0.09), 0.01))
    model.add("base_link", "graphite", box((-0.157, 0, FLOOR + 0.085), (0.012, 0.09, 0.065), 0.004))
    for y in (-0.022, 0.022):
        plug = np.array([-0.16, y, FLOOR + 0.085])
        model.add("base_link", "steel", tube(plug, plug - 0.025 * X, 0.013))
    model.add("base_link", "steel", bolts((0, 0, FLOOR + 0.022), Z, 0.153, 8, 0.018, np.pi / 8))


def _swivel(model: Model) -> None:
    axis = model.origin("link_2")
    table = disc((0, 0, SEAM + 0.022), Z, 0.122, 0.044, 0.008)
    shoulder = disc(axis + 0.012 * Y, Y, 0.094, 0.13, 0.014)
    rear = disc((-0.035, 0.0, SEAM + 0.075), Z, 0.078, 0.05, 0.012)
    model.add(
        "link_1",
        "yellow",
        hull(table, rear),
        hull(disc((0.01, 0, SEAM + 0.04), Z, 0.105, 0.03, 0.008), shoulder),
    )
    model.add("link_1", "graphite", motor(axis + 0.077 * Y, Y, 0.052, 0.15))
    model.add("link_1", "graphite", motor(np.array([-0.05, 0.0, SEAM + 0.1]), Z, 0.046, 0.14))
    model.add(
        "link_1", "graphite", disc(axis + (BEAM + BEAM_WIDTH / 2 + 0.008) * Y, Y, 0.078, 0.02)
    )


def _upper_arm(model: Model) -> None:
    near, far = model.origin("link_2") + BEAM * Y, model.origin("link_3") + BEAM * Y
    along = far - near
    boss = disc(near, Y, 0.092, BEAM_WIDTH, 0.012)
    waist = disc(near + 0.32 * along, Y, 0.06, BEAM_WIDTH, 0.012)
    neck = disc(near + 0.75 * along, Y, 0.05, BEAM_WIDTH, 0.012)
    head = disc(far, Y, 0.07, BEAM_WIDTH, 0.012)
    casting = hull(boss, waist) + hull(waist, neck) + hull(neck, head)
    pocket = hull(
        disc(near + 0.27 * along, Y, 0.034, 0.016), disc(near + 0.78 * along, Y, 0.026, 0.016)
    )
    outside = -(BEAM_WIDTH / 2) * Y
    model.add("link_2", "yellow", casting - pocket.translate(tuple(outside)))
    for at, radius in ((near, 0.066), (far, 0.05)):
        model.add("link_2", "deep yellow", disc(at + outside, Y, radius, 0.016, 0.005))
        model.add("link_2", "steel", bolts(at + outside - 0.008 * Y, -Y, 0.78 * radius, 8, 0.009))
    inner = (BEAM_WIDTH / 2) * Y
    model.add("link_2", "graphite", disc(far + inner + 0.006 * Y, Y, 0.056, 0.016))
    model.add(
        "link_2",
        "cable",
        hose(
            [
                near + s * along + 0.25 * inner + h * Z
                for s, h in (
                    (0.2, 0.05),
                    (0.3, 0.078),
                    (0.5, 0.072),
                    (0.7, 0.07),
                    (0.82, 0.064),
                    (0.88, 0.04),
                )
            ],
            0.012,
            8,
            18,
        ),
    )


def _forearm(model: Model) -> None:
    elbow, wrist = model.origin("link_3"), model.origin("link_4")
    along = wrist - elbow
    hub = disc(elbow + 0.008 * Y, Y, 0.073, 0.12, 0.012)
    root = disc(elbow + 0.1 * X, X, 0.062, 0.03, 0.008)
    model.add("link_3", "yellow", hull(hub, root))
    model.add("link_3", "yellow", tube(elbow + 0.1 * X, wrist - 0.115 * X, 0.054, 0.036))
    model.add("link_3", "steel", tube(elbow + 0.112 * X, elbow + 0.122 * X, 0.058, fillet=0.002))
    model.add("link_3", "graphite", motor(elbow + 0.068 * Y, Y, 0.043, 0.13))
    for side in SIDES:
        cheek = disc(wrist + side * 0.044 * Y, Y, 0.037, 0.02, 0.005)
        fork = box(wrist - 0.105 * X + side * 0.03 * Y, (0.03, 0.04, 0.06), 0.008)
        model.add("link_3", "yellow", hull(cheek, fork))
        cover = wrist + side * 0.054 * Y
        model.add("link_3", "graphite", disc(cover, Y, 0.027, 0.008, 0.002))
    model.add("link_3", "yellow", disc(wrist - 0.115 * X, X, 0.044, 0.03, 0.008))
    _feeder(model, elbow, along)


def _feeder(model: Model, elbow: Array, along: Array) -> None:
    """Draw the wire feeder on the elbow, its reel, and the hose for wire and gas to the torch."""
    seat = elbow + np.array([0.02, 0.012, 0.105])
    model.add(
        "link_3",
        "graphite",
        box(seat, (0.16, 0.09, 0.08), 0.01),
        box(seat - 0.045 * Z, (0.09, 0.07, 0.04), 0.006),
    )
    reel = seat + np.array([-0.03, 0.053, 0.008])
    model.add("link_3", "label white", disc(reel, Y, 0.03, 0.016, 0.004))
    model.add("link_3", "copper", ring(reel + 0.0085 * Y, Y, 0.022, 0.012, 0.004))
    mouth = seat + np.array([0.08, 0.0, 0.0])
    model.add("link_3", "steel", tube(mouth - 0.004 * X, mouth + 0.02 * X, 0.015))
    points = [mouth + 0.015 * X, mouth + 0.06 * X + 0.004 * Z]
    points += [
        elbow + 0.4 * along + 0.012 * Y + 0.082 * Z,
        elbow + 0.58 * along + 0.008 * Y + 0.06 * Z,
    ]
    points += [elbow + 0.74 * along + 0.03 * Z]
    model.add("link_3", "cable", hose(points, 0.0115, 8, 20))
    model.add("link_3", "graphite", ring(elbow + 0.4 * along, X, 0.053, 0.04, 0.02, 0.003))


def _wrist(model: Model) -> None:
    wrist, out = model.origin("link_4"), model.axis("link_5")
    hub = disc(wrist, Y, 0.034, 0.066, 0.006)
    barrel = disc(wrist + 0.056 * out, out, 0.031, 0.03, 0.006)
    model.add("link_4", "graphite", hull(hub, barrel))
    model.add("link_4", "graphite", motor(wrist - 0.02 * out, -out, 0.024, 0.055))
    model.add("link_4", "motor black", disc(wrist + 0.072 * out, out, 0.026, 0.008))


def _torch(model: Model) -> None:
    wrist, tip, out = model.origin("link_4"), model.origin("tool0"), model.axis("link_5")
    length = float((tip - wrist) @ out)
    model.add(
        "link_5",
        "steel",
        lathe(wrist, out, [(0, 0.074), (0.03, 0.074, 0.002), (0.03, 0.084, 0.002), (0, 0.084)]),
    )
    sensor = [
        (0, 0.083),
        (0.025, 0.083),
        (0.025, 0.1, 0.003),
        (0.019, 0.106),
        (0.019, 0.112),
        (0, 0.112),
    ]
    model.add("link_5", "deep yellow", lathe(wrist, out, sensor))
    body = [
        (0, 0.11),
        (0.0165, 0.11, 0.002),
        (0.0165, 0.145),
        (0.0135, 0.155),
        (0.0135, length - 0.06),
        (0, length - 0.06),
    ]
    model.add("link_5", "motor black", lathe(wrist, out, body))
    nozzle = [
        (0, length - 0.062),
        (0.0155, length - 0.062, 0.002),
        (0.0155, length - 0.035, 0.003),
        (0.0105, length - 0.013),
        (0.0085, length - 0.013),
        (0.0085, length - 0.02),
        (0, length - 0.02),
    ]
    model.add("link_5", "copper", lathe(wrist, out, nozzle))
    model.add(
        "link_5",
        "copper",
        tube(wrist + (length - 0.03) * out, wrist + (length - 0.012) * out, 0.005, 0.0035),
    )
    model.add("link_5", "bright steel", tube(wrist + (length - 0.02) * out, tip, 0.0015))
