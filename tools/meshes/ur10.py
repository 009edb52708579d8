"""UR10: six joint modules of three sizes, two tubes, and a blue lid on the back of each module.

A module is a can along its joint's axis: at the front it turns the next link, at the back is the
lid with the electronics, and a port on its side holds the link that carries it.
"""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array
from sim.robots.robot import Robot
from tools.meshes.model import Model
from tools.meshes.shapes import bolts, box, disc, lathe, ring, tube

# Radii of the three sizes of module, of the tubes, and lateral positions of the two tubes [m].
LARGE, MIDDLE, SMALL = 0.088, 0.073, 0.058
UPPER_TUBE, FOREARM_TUBE = 0.062, 0.048
UPPER_PLANE, FOREARM_PLANE = 0.220941, 0.049042
BASE = 0.038  # height of the foot
PORT = 0.97  # a port is a little narrower than its module
SIDES = 32  # of the circles of a module, which are seen at close range
GAP = 0.006  # width of the seal between two links


def draw(robot: Robot) -> Model:
    """Draw the six links and the foot."""
    model = Model(robot)
    _foot_and_shoulder(model)
    _upper_arm(model)
    _forearm(model)
    _wrist(model)
    return model


def _foot_and_shoulder(model: Model) -> None:
    up, across = model.axis("shoulder_link"), model.axis("upper_arm_link")
    shoulder = model.origin("shoulder_link")
    foot = [(0, 0), (0.095, 0, 0.003), (0.095, 0.014, 0.004), (0.079, 0.021, 0.008)]
    model.add(
        "base_link",
        "tube grey",
        lathe((0, 0, 0), up, [*foot, (0.077, BASE), (0, BASE)]),
        box((0.083, 0, 0.026), (0.03, 0.07, 0.024), 0.004),
    )
    model.add(
        "base_link",
        "rubber",
        tube((0.095, 0.012, 0.027), (0.106, 0.012, 0.027), 0.0075),
        tube((0.095, -0.014, 0.027), (0.106, -0.014, 0.027), 0.0075),
    )
    model.add("base_link", "steel", bolts(0.014 * up, up, 0.0865, 4, 0.012, np.pi / 4))
    bottom = BASE + GAP
    model.add("base_link", "rubber", disc((BASE + GAP / 2) * up, up, 0.0775, GAP + 0.002))
    _module(model, "shoulder_link", shoulder, -up, LARGE, 0.075, shoulder[2] - bottom)
    port = shoulder + (UPPER_PLANE - 0.097 - GAP) * across
    model.add("shoulder_link", "tube grey", tube(shoulder, port, PORT * LARGE, fillet=0.004))
    model.add("shoulder_link", "rubber", tube(port, port + GAP * across, LARGE - 0.005))


def _upper_arm(model: Model) -> None:
    across = model.axis("upper_arm_link")
    near = model.origin("upper_arm_link") + UPPER_PLANE * across
    far = model.origin("forearm_link") + UPPER_PLANE * across
    _module(model, "upper_arm_link", near, -across, LARGE, 0.083, 0.097)
    _module(model, "upper_arm_link", far, -across, MIDDLE, 0.072, 0.082)
    _tube(model, "upper_arm_link", near, far, LARGE, MIDDLE, UPPER_TUBE)
    seal = far - 0.082 * across
    model.add("upper_arm_link", "rubber", tube(seal, seal - GAP * across, MIDDLE - 0.004))


def _forearm(model: Model) -> None:
    across = model.axis("forearm_link")
    near = model.origin("forearm_link") + FOREARM_PLANE * across
    wrist = model.origin("wrist_1_link")
    far = wrist - ((wrist - near) @ across) * across
    reach = UPPER_PLANE - FOREARM_PLANE - 0.082 - GAP
    knuckle = [(0, -0.07), (MIDDLE, -0.07, 0.03), (MIDDLE, reach, 0.004), (0, reach)]
    model.add("forearm_link", "tube grey", lathe(near, across, knuckle))
    _module(model, "forearm_link", far, across, SMALL, 0.052, 0.055)
    _tube(model, "forearm_link", near, far, MIDDLE, SMALL, FOREARM_TUBE)
    model.add(
        "forearm_link", "rubber", tube(far + 0.055 * across, wrist - 0.053 * across, SMALL - 0.004)
    )


def _wrist(model: Model) -> None:
    for link, following in (("wrist_1_link", "wrist_2_link"), ("wrist_2_link", "wrist_3_link")):
        at, carrier, own = model.origin(link), model.axis(link), model.axis(following)
        front = 0.055 if following == "wrist_2_link" else 0.051
        _module(model, link, at, own, SMALL, 0.054, front)
        model.add(link, "tube grey", tube(at, at - 0.053 * carrier, PORT * SMALL, fillet=0.003))
        if following == "wrist_2_link":
            end = model.origin(following) - 0.053 * own
            model.add(link, "rubber", tube(at + front * own, end, SMALL - 0.004))
    flange, out = model.origin("tool0"), model.axis("wrist_3_link")
    start = model.origin("wrist_2_link") + 0.051 * out
    model.add("wrist_2_link", "rubber", tube(start, start + 0.004 * out, 0.05))
    face = float((flange - start) @ out)
    corners = [(0, 0.004), (0.0455, 0.004), (0.0455, face - 0.008, 0.003), (0.0315, face - 0.006)]
    model.add("wrist_3_link", "steel", lathe(start, out, [*corners, (0.0315, face), (0, face)]))
    model.add(
        "wrist_3_link", "bright steel", ring(flange - 0.0005 * out, out, 0.0313, 0.016, 0.003)
    )
    model.add(
        "wrist_3_link",
        "rubber",
        bolts(flange, out, 0.025, 4, 0.006, np.pi / 4),
        disc(flange, out, 0.012, 0.002),
    )


def _module(
    model: Model, link: str, at: Array, front: Array, radius: float, back: float, reach: float
) -> None:
    """Draw a can from the lid at `back` behind its middle to the turning face `reach` before it."""
    rim = 0.13 * radius
    can = [(0, -back), (radius, -back, 0.003), (radius, reach, 0.004), (0, reach)]
    model.add(link, "tube grey", lathe(at, front, can, SIDES))
    lid = [(0, 0), (radius + 0.0012, 0, 0.002), (radius + 0.0012, 0.5 * rim, 0.002)]
    dome = [(0.9 * radius, 1.5 * rim, 0.5 * rim), (0.45 * radius, 1.75 * rim), (0, 1.75 * rim)]
    model.add(link, "cap blue", lathe(at - (back - 0.004) * front, -front, [*lid, *dome], SIDES))


def _tube(
    model: Model,
    link: str,
    near: Array,
    far: Array,
    near_size: float,
    far_size: float,
    radius: float,
) -> None:
    """Draw a tube between two modules, with the collars that clamp it."""
    along = (far - near) / np.linalg.norm(far - near)
    model.add(link, "tube grey", tube(near, far, radius, 0.92 * radius))
    for at, size, way in ((near, near_size, along), (far, far_size, -along)):
        root, end = at + 0.4 * size * way, at + (size + 0.035) * way
        model.add(link, "tube grey", tube(root, end, 0.93 * size, radius * 1.06, 0.003))
        model.add(
            link, "steel", tube(end - 0.002 * way, end + 0.006 * way, radius * 1.05, fillet=0.002)
        )
