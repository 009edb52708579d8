"""A bar resting on the perpendicular edge of another slides over it and falls beyond its end.

Both are 0.1 m square and stand on edge, so that one is a ridge along x, and the other's lower edge
runs along y above it. Over the ridge the two edges are nearest; beside it the corner of the ridge
and the edge; then that corner and a face; and far out the corner and the bar's side edge.
"""

from functools import cache

import numpy as np

import sim
from sim.clearance.clearance_of_run import clearance_of_run
from sim.clearance.sampled_motion import SampledMotion
from sim.kinematics import tree_of
from sim.verification.bodies import robot, slide

SIDE, HALF = 0.1, 0.4  # of the squares, and half the length of the ridge [m]
LOW, LOWEST = 0.05, 1.37  # [m], when [s]
T = np.linspace(0.0, 2.0, 21)
AHEAD, RISE = (0.9, -0.6), 0.08  # x = 0.9 m − 0.6 m/s t;  the gap is LOW + RISE (t − LOWEST)²


def _bars():
    def bar(name, size, rpy):
        return (
            f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" '
            'izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
            f'<visual><origin rpy="{rpy}"/><geometry><box size="{size}"/></geometry></visual>'
            "</link>"
        )

    turned = repr(np.pi / 4)
    return robot(
        bar("ridge", f"{2 * HALF} {SIDE} {SIDE}", f"{turned} 0 0"),
        '<joint name="weld" type="fixed"><parent link="ground"/><child link="ridge"/></joint>',
        '<link name="sledge"/>',
        slide("ahead", "ground", "sledge", (1, 0, 0)),
        bar("roof", f"{SIDE} 0.6 {SIDE}", f"0 {turned} 0"),
        slide("up", "sledge", "roof", (0, 0, 1)),
    )


def _motion(t):
    """x of the roof, the gap between the edges, and their rates."""
    late = t - LOWEST
    place = AHEAD[0] + AHEAD[1] * t, LOW + RISE * late**2
    return place, (np.full_like(t, AHEAD[1]), 2 * RISE * late)


@cache
def _found():
    """With no gap the bars' axes would be a diagonal of the square apart."""
    (x, gap), rates = _motion(T)
    bars = _bars()
    q = np.stack([x, gap + np.sqrt(2) * SIDE])
    motion = SampledMotion(tree_of(bars), T, q, np.stack(rates))
    return clearance_of_run(bars, sim.Clearance(), [motion], {})


def compute(method):
    """By the search that ``sim run --clearance`` makes."""
    return {
        "distance": lambda: _found().columns[0]["clearance.links"],
        "smallest distance": lambda: _found().facts.pairs[0].distance,
        "time of smallest distance": lambda: _found().facts.pairs[0].at,
    }


def expected():
    """The ridge's nearest point in the frame of the square above it, and its distance to that."""
    (x, gap), _ = _motion(T)
    across, below = np.minimum(HALF - x, 0.0), -gap - SIDE / np.sqrt(2)
    u, w = (across + below) / np.sqrt(2), (across - below) / np.sqrt(2)
    outside = [np.maximum(np.abs(c) - SIDE / 2, 0.0) for c in (u, w)]
    return {
        "distance": sim.Expected(
            np.hypot(*outside), "m", 1e-9, "the search on convex bodies", T, needs="coal"
        ),
        "smallest distance": sim.Expected(
            LOW, "m", 1e-5, "the search leaves nothing 0.01 mm lower", needs="coal"
        ),
        "time of smallest distance": sim.Expected(
            LOWEST, "s", np.sqrt(1e-5 / RISE), "0.01 mm of a parabola", needs="coal"
        ),
    }


CASE = sim.Case(
    source=sim.Source(
        "Ericson, C.",
        2005,
        "Real-Time Collision Detection",
        "section 5.1, closest points of segments, and of a point and a box",
    ),
    equation="d = √(max(|u| − a/2, 0)² + max(|w| − a/2, 0)²)",
    compute=compute,
    methods=("model",),
    expected=expected,
)
