"""Mechanisms of the IFToMM library of benchmark problems, and a governor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import sim
from sim.maths import Array
from sim.robots import Loop, Robot
from tests.helpers.loop_robots import at
from tests.helpers.small_robots import joint, link, robot


def andrews() -> Robot:
    """A03, Andrews' squeezer: seven bodies in a plane, three loops, their third equations repeated.

    Source: Schiehlen 1990, Multibody Systems Handbook; Hairer and Wanner 1996, section VII.7.
    """
    moments = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
    masses = 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498
    centres = (
        (0.92e-3, 0), (11.5e-3, 0), (10.43e-3, -18.74e-3), (0, -5.79e-3), (23.08e-3, 9.16e-3),
        (5.79e-3, 0), (4.49e-3, -12.28e-3),
    )  # fmt: skip
    bodies = {
        f"K{k}": link(f"K{k}", mass, f"{x!r} {y!r} 0", f"{i / 2!r} {i / 2!r} {i!r}")
        for k, (mass, i, (x, y)) in enumerate(zip(masses, moments, centres, strict=True), 1)
    }
    hinges = (
        ("beta", "ground", "K1", 0.0, 0.0, 0.0), ("theta", "K1", "K2", 7e-3, 0.0, np.pi),
        ("gamma", "ground", "K3", -0.03635, 0.03273, 0.0),
        ("delta", "ground", "K5", -0.06934, -0.00227, 0.0), ("phi", "K5", "K4", 0.04, 0.0, 0.0),
        ("epsilon", "ground", "K7", -0.06934, -0.00227, 0.0),
        ("omega", "K7", "K6", 0.0, -0.04, 0.0),
    )  # fmt: skip
    parts = [
        joint(name, "continuous", parent, child, "0 0 1", at(f"{x!r} {y!r} 0", f"0 0 {turn!r}"))
        for name, parent, child, x, y, turn in hinges
    ]
    ends = (
        ("K3", (0, -0.035, 0), ("theta", "gamma")),
        ("K4", (0, -0.02, 0), ("delta", "phi")),
        ("K6", (0.02, 0, 0), ("epsilon", "omega")),
    )
    tip = "K2", (0.028, 0, 0)
    loops = (Loop(f"{body} on K2", body, p, *tip, passive=names) for body, p, names in ends)
    return robot(*bodies.values(), *parts).with_loops(*loops)


ANDREWS_NAMES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
ANDREWS_START = (
    -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449,
    0.222668390165885884674473185609, 0.487364979543842550225598953530,
    -0.222668390165885884674473185609, 1.23054744454982119249735015568,
)  # fmt: skip


def andrews_scenario(duration: float, step: float) -> sim.Scenario:
    """The squeezer with its motor of 0.033 N·m and its spring of 4530 N/m."""
    D = sim.Marker("D", "K3", (0.02, -0.018, 0))
    C = sim.Marker("C", "ground", (0.014, 0.072, 0))
    spring = sim.SForce("spring", D, C, "-4530*(DM(D,C)-0.07785)")
    start = dict(zip(ANDREWS_NAMES, ANDREWS_START, strict=True))
    motion = sim.JointMotion.torque({"beta": 0.033}, q0=start)
    return sim.Scenario(
        andrews(), motion, duration, dt=step, forces=[spring], gravity=(0, 0, 0), method="adaptive"
    )


def bricard() -> Robot:
    """A04, Bricard's mechanism: six rods of 1 m and 1 kg on a cube, five equations of rank four."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
    axes = "0 1 0", "0 0 1", "1 0 0", "0 1 0", "0 0 1"
    thick, thin = (1 + 0.1**2) / 12, 2 * 0.1**2 / 12
    parts = []
    for k, axis in enumerate(axes):
        way = corners[k + 1] - corners[k]
        base = corners[0] if k == 0 else corners[k] - corners[k - 1]
        moments = [thick + (thin - thick) * abs(x) for x in way]
        parts += [
            link(f"R{k}", 1.0, _text(way / 2), _text(moments)),
            joint(f"J{k}", "continuous", f"R{k - 1}" if k else "ground", f"R{k}", axis,
                  at(_text(base))),
        ]  # fmt: skip
    last = tuple((corners[5] - corners[4]).tolist()), tuple(corners[5].tolist())
    axis = (1.0, 0.0, 0.0)
    passive = ("J1", "J2", "J3", "J4")
    return robot(*parts).with_loops(
        Loop("last", "R4", last[0], "ground", last[1], None, passive, "hinge", axis, axis)
    )


def _text(numbers: Array | list[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)


@dataclass(frozen=True)
class Governor:
    """A flyball governor (after A05; its numbers are assumed): two arms, two rods, a sleeve.

    The arms hang on hinges `offset` beside the shaft, `alpha` out of the vertical; the sleeve hangs
    on rods without mass from the arms at `pin`. Two freedoms: shaft and arms.
    """

    length: float = 1.0
    pin: float = 0.5
    rod: float = 0.6
    offset: float = 0.1
    arm: float = 0.5
    ball: float = 2.0
    sleeve: float = 3.0
    shaft: float = 0.2
    stiffness: float = 200.0
    damping: float = 20.0
    gravity: float = 9.81

    @property
    def first(self) -> float:
        """First moment of an arm about its hinge [kg·m]."""
        return self.arm * self.length / 2 + self.ball * self.length

    @property
    def second(self) -> float:
        """Second moment of an arm about its hinge [kg·m²]."""
        return self.arm * self.length**2 / 3 + self.ball * self.length**2

    def robot(self) -> Robot:
        mass = self.arm + self.ball
        com = self.first / mass
        about = self.second - mass * com**2
        parts = [
            link("shaft", 1.0, moments=f"{self.shaft!r} {self.shaft!r} {self.shaft!r}"),
            joint("shaft_joint", "continuous", "ground", "shaft", "0 0 1"),
            link("sleeve", self.sleeve, moments="0.01 0.01 0.01"),
            joint("sleeve_joint", "prismatic", "shaft", "sleeve", "0 0 1"),
        ]
        loops = []
        for side, x in (("left", -1.0), ("right", 1.0)):
            parts += [
                link(side, mass, f"0 0 {-com!r}", f"{about!r} {about!r} 0"),
                joint(f"{side}_joint", "continuous", "shaft", side, f"0 {-x!r} 0",
                      at(f"{x * self.offset!r} 0 0")),
            ]  # fmt: skip
            ends = side, (0, 0, -self.pin), "sleeve", (x * self.offset, 0, 0)
            passive = ("sleeve_joint",) if side == "left" else ("right_joint",)
            loops.append(Loop(f"{side} rod", *ends, None, passive, "rod", length=self.rod))
        tree = robot(*parts).with_loops(*loops)
        spring = sim.JointSpring(self.stiffness, self.damping)
        return tree.with_springs({"sleeve_joint": spring})

    def height(self, alpha: Array) -> tuple[Array, Array, Array]:
        """Of the sleeve below the hinges, and its first and second derivative by the angle."""
        s, c = np.sin(alpha), np.cos(alpha)
        root = np.sqrt(self.rod**2 - (self.pin * s) ** 2)
        inner, outer = -(self.pin**2) * s * c, -(self.pin**2) * (c * c - s * s)
        first = self.pin * s - inner / root
        second = self.pin * c - outer / root + inner**2 / root**3
        return -self.pin * c - root, first, second

    def rate(self, _: float, y: Array) -> Array:
        """d/dt of shaft angle, arm angle and their rates, by Lagrange's equations."""
        _, alpha, w, ad = y
        s, c = np.sin(alpha), np.cos(alpha)
        z, z1, z2 = self.height(alpha)
        mass, about = self.arm + self.ball, 2 * c * (self.offset * self.first + s * self.second)
        turning = self.shaft + 0.01
        turning += 2 * (
            mass * self.offset**2 + 2 * self.offset * s * self.first + s**2 * self.second
        )
        inertia = 2 * self.second + self.sleeve * z1**2
        pull = about * w**2 - 2 * self.gravity * self.first * s - self.sleeve * self.gravity * z1
        pull -= (self.stiffness * z + self.damping * z1 * ad) * z1 + self.sleeve * z1 * z2 * ad**2
        return np.array([w, ad, -2 * about * ad * w / turning, pull / inertia])
