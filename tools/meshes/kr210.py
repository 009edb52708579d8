"""KR 210: orange castings, black motors, the balancer behind the link arm, an in-line wrist.

At zero the link arm is upright and the forearm points forwards, along X; Y is to the left. The link
arm is on the right of the column and the forearm in the middle, with the three motors of the wrist
at its rear end.
"""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array
from sim.robots.robot import Robot
from tools.meshes.model import Model
from tools.meshes.shapes import bolts, box, disc, hose, hull, lathe, motor, ring, tube

X, Y, Z = np.eye(3)

BEAM = -0.185  # middle of the link arm in Y [m]
BEAM_WIDTH = 0.13
HAND = 0.64  # of the distance from axis 3 to axis 5: place of the rotation about axis 4


def draw(robot: Robot) -> Model:
    """Draw the six links and the foot."""
    model = Model(robot)
    axis_2, axis_3 = model.origin("link_2"), model.origin("link_3")
    axis_4, wrist, flange = (model.origin(link) for link in ("link_4", "link_5", "tool0"))
    seam = 0.5 * axis_2[2]
    _foot(model, seam)
    _column(model, seam, axis_2)
    _link_arm(model, axis_2, axis_3)
    _arm(model, axis_3, axis_4, wrist)
    _hand(model, axis_4, wrist)
    _wrist(model, wrist, flange)
    return model


def _foot(model: Model, seam: float) -> None:
    plate = 0.055
    pads = [
        disc((x, y, plate / 2), Z, 0.085, plate, 0.009) for x in (-0.3, 0.3) for y in (-0.3, 0.3)
    ]
    legs = [hull(pad, disc((0, 0, plate / 2), Z, 0.24, plate, 0.009)) for pad in pads]
    body = hull(
        disc((0, 0, 0.03), Z, 0.37, 0.06, 0.012), disc((0, 0, 0.72 * seam), Z, 0.31, 0.05, 0.015)
    )
    neck = lathe(
        (0, 0, 0.6 * seam),
        Z,
        [(0, 0), (0.315, 0), (0.325, 0.4 * seam - 0.012), (0, 0.4 * seam - 0.012)],
    )
    rear = hull(
        box((-0.36, 0, 0.42 * seam), (0.16, 0.36, 0.5 * seam), 0.015),
        box((-0.2, 0, 0.40 * seam), (0.1, 0.46, 0.62 * seam), 0.015),
    )
    model.add("base_link", "cast orange", legs, body, neck, rear)
    model.add(
        "base_link", "motor black", box((-0.442, 0, 0.42 * seam), (0.02, 0.30, 0.38 * seam), 0.006)
    )
    for y in (-0.09, 0.0, 0.09):
        at = np.array([-0.45, y, 0.42 * seam])
        model.add("base_link", "graphite", tube(at, at - 0.04 * X, 0.03, fillet=0.004))
    for x in (-0.3, 0.3):
        for y in (-0.3, 0.3):
            model.add("base_link", "steel", bolts((x, y, plate), Z, 0.045, 3, 0.03))
    model.add("base_link", "motor black", disc((0, 0, seam - 0.006), Z, 0.318, 0.016))


def _column(model: Model, seam: float, axis_2: Array) -> None:
    high = axis_2[2]
    table = disc((0, 0, seam + 0.035), Z, 0.345, 0.07, 0.012)
    skirt = disc((0, 0, seam + 0.09), Z, 0.29, 0.05, 0.02)
    shoulder = disc(axis_2 + 0.03 * Y, Y, 0.215, 0.28, 0.03)
    back = box((-0.17, 0.02, seam + 0.12), (0.2, 0.40, 0.14), 0.03)
    model.add("link_1", "cast orange", table, hull(skirt, shoulder), hull(skirt, back))
    rib = [
        hull(
            disc(axis_2 + y * Y, Y, 0.20, 0.03, 0.008),
            box((-0.12, y, seam + 0.16), (0.24, 0.03, 0.14), 0.008),
        )
        for y in (-0.06, 0.12)
    ]
    model.add("link_1", "cast orange", rib)
    # axis 2: gear towards the link arm, motor on the other side
    model.add(
        "link_1", "graphite", disc(axis_2 + (BEAM + BEAM_WIDTH / 2 + 0.012) * Y, Y, 0.185, 0.035)
    )
    model.add("link_1", "motor black", motor(axis_2 + 0.17 * Y, Y, 0.098, 0.30))
    # axis 1: motor upright at the rear
    model.add("link_1", "motor black", motor(np.array([-0.16, 0.12, seam + 0.17]), Z, 0.088, 0.30))
    model.add("link_1", "steel", bolts((0, 0, seam + 0.07), Z, 0.318, 12, 0.024))
    _balancer(model, axis_2, np.array([-0.43, BEAM, high + 0.02]), seam)


def _balancer(model: Model, axis_2: Array, rear: Array, seam: float) -> None:
    """Draw the gas spring that carries part of the arm; it is static here and points at axis 2."""
    target = axis_2 + np.array([0.0, BEAM, 0.09])
    way = (target - rear) / np.linalg.norm(target - rear)
    head = target - 0.27 * way
    model.add("link_1", "motor black", tube(rear, head, 0.082, fillet=0.015))
    model.add(
        "link_1",
        "graphite",
        ring(rear + 0.10 * way, way, 0.09, 0.07, 0.03, 0.006),
        ring(head - 0.03 * way, way, 0.09, 0.07, 0.05, 0.006),
    )
    model.add("link_1", "bright steel", tube(head, target, 0.032))
    pin = rear + 0.10 * way
    lug = disc(pin + 0.115 * Y, Y, 0.06, 0.05, 0.008)
    foot = box((-0.2, BEAM + 0.115, seam + 0.1), (0.22, 0.05, 0.1), 0.01)
    model.add("link_1", "cast orange", hull(lug, foot))
    model.add("link_1", "steel", tube(pin - 0.1 * Y, pin + 0.15 * Y, 0.03, fillet=0.004))


def _link_arm(model: Model, axis_2: Array, axis_3: Array) -> None:
    low, high = axis_2 + BEAM * Y, axis_3 + BEAM * Y
    up = axis_3 - axis_2
    waist = low + 0.36 * up
    chest = low + 0.72 * up
    boss = disc(low, Y, 0.215, BEAM_WIDTH, 0.025)
    neck = disc(waist, Y, 0.135, BEAM_WIDTH, 0.025)
    collar = disc(chest, Y, 0.115, BEAM_WIDTH, 0.025)
    head = disc(high, Y, 0.165, BEAM_WIDTH, 0.025)
    casting = hull(boss, neck) + hull(neck, collar) + hull(collar, head)
    pocket = [
        hull(
            disc(low + share * up - side * 0.5 * BEAM_WIDTH * Y, Y, r, 0.045, 0.0),
            disc(low + upto * up - side * 0.5 * BEAM_WIDTH * Y, Y, s, 0.045, 0.0),
        )
        for share, r, upto, s in ((0.26, 0.085, 0.50, 0.068), (0.58, 0.066, 0.80, 0.068))
        for side in (-1, 1)
    ]
    for hollow in pocket:
        casting -= hollow
    model.add("link_2", "cast orange", casting)
    outside = -(BEAM_WIDTH / 2) * Y
    for at, radius in ((low, 0.15), (high, 0.115)):
        model.add("link_2", "shadow orange", disc(at + outside, Y, radius, 0.03, 0.008))
        model.add("link_2", "steel", bolts(at + outside - 0.015 * Y, -Y, 0.8 * radius, 10, 0.022))
    inner = BEAM + BEAM_WIDTH / 2
    model.add("link_2", "graphite", disc(axis_3 + (inner + 0.012) * Y, Y, 0.135, 0.03))
    side = (inner + 0.02) * Y
    model.add(
        "link_2",
        "cable",
        hose(
            [
                axis_2 + side + s * up + x * X
                for s, x in (
                    (0.24, 0.02),
                    (0.35, 0.05),
                    (0.5, 0.035),
                    (0.65, 0.035),
                    (0.8, 0.05),
                    (0.86, 0.02),
                )
            ],
            0.026,
        ),
    )


def _arm(model: Model, axis_3: Array, axis_4: Array, wrist: Array) -> None:
    ahead = wrist - axis_4
    front = axis_4 + HAND * ahead
    root = axis_4 + 0.16 * X
    hub = disc(axis_3 + 0.035 * Y, Y, 0.175, 0.24, 0.03)
    waist = disc(root, X, 0.172, 0.06, 0.02)
    back = disc(axis_4 - 0.22 * X, X, 0.185, 0.06, 0.02)
    nose = disc(front - 0.03 * X, X, 0.135, 0.06, 0.01)
    model.add("link_3", "cast orange", hull(hub, waist), hull(hub, back), hull(waist, nose))
    model.add("link_3", "shadow orange", ring(front - 0.015 * X, X, 0.15, 0.08, 0.03, 0.006))
    model.add("link_3", "steel", bolts(front - 0.03 * X, -X, 0.142, 12, 0.016))
    model.add("link_3", "graphite", disc(axis_4 - 0.255 * X, X, 0.172, 0.025, 0.006))
    for angle in np.radians((90, 210, 330)):
        side = 0.096 * (np.cos(angle) * Y + np.sin(angle) * Z)
        model.add("link_3", "motor black", motor(axis_4 - 0.26 * X + side, -X, 0.062, 0.26))
    model.add("link_3", "motor black", motor(axis_3 + 0.155 * Y, Y, 0.085, 0.28))


def _hand(model: Model, axis_4: Array, wrist: Array) -> None:
    ahead = wrist - axis_4
    seam = axis_4 + HAND * ahead
    model.add("link_4", "motor black", disc(seam + 0.004 * X, X, 0.128, 0.012))
    barrel = disc(seam + 0.055 * X, X, 0.137, 0.09, 0.012)
    throat = disc(wrist - 0.2 * X, X, 0.122, 0.03, 0.01)
    model.add("link_4", "cast orange", barrel, hull(disc(seam + 0.08 * X, X, 0.128, 0.03), throat))
    for side in (-1, 1):
        cheek = disc(wrist + side * 0.112 * Y, Y, 0.1, 0.052, 0.014)
        root = box(wrist - 0.205 * X + side * 0.085 * Y, (0.03, 0.07, 0.17), 0.012)
        model.add("link_4", "cast orange", hull(cheek, root))
        cover = wrist + side * 0.138 * Y
        model.add("link_4", "graphite", disc(cover, Y, 0.076, 0.016, 0.005))
        model.add("link_4", "steel", bolts(cover + side * 0.008 * Y, side * Y, 0.064, 8, 0.011))


def _wrist(model: Model, wrist: Array, flange: Array) -> None:
    reach = float((flange - wrist) @ X)
    core = disc(wrist, Y, 0.094, 0.166, 0.014)
    mouth = disc(wrist + 0.115 * X, X, 0.088, 0.03, 0.008)
    model.add("link_5", "graphite", hull(core, mouth))
    model.add("link_5", "motor black", disc(wrist + 0.134 * X, X, 0.078, 0.014))
    face = [(0, 0.14), (0.083, 0.14, 0.004), (0.083, 0.178, 0.006), (0.07, 0.186)]
    if reach > 0.3:  # a distance piece that carries the flange further out
        face += [(0.062, 0.2, 0.01), (0.062, reach - 0.035, 0.01), (0.08, reach - 0.028, 0.003)]
        face += [(0.08, reach), (0, reach)]
    else:
        face += [(0.07, reach), (0, reach)]
    model.add("link_6", "steel", lathe(wrist, X, face))
    model.add("link_6", "bright steel", ring(flange - 0.0005 * X, X, 0.066, 0.03, 0.003))
    model.add("link_6", "motor black", bolts(flange, X, 0.05, 8, 0.013))
