"""Four-bar with a rotating crank: coupler and rocker by Freudenstein's equation.

Ground 0.45 m, crank 0.2 m, coupler 0.5 m, rocker 0.4 m; the open assembly, at 4 rad/s.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot

D, A, B, C, TURNING = 0.45, 0.2, 0.5, 0.4, 4.0
T = np.linspace(0.0, 2.0, 81)


def _angles(a):
    """Angles of coupler and rocker from the ground, open assembly."""
    k1, k2, k3 = D / A, D / C, (A**2 - B**2 + C**2 + D**2) / (2 * A * C)
    k4, k5 = D / B, (C**2 - D**2 - A**2 - B**2) / (2 * A * B)
    c = np.cos(a)

    def root(p, q, r):
        return 2 * np.arctan2(-q - np.sqrt(q**2 - 4 * p * r), 2 * p)

    q = -2 * np.sin(a)
    coupler = root(c - k1 + k4 * c + k5, q, k1 + (k4 - 1) * c + k5)
    rocker = root(c - k1 - k2 * c + k3, q, k1 - (k2 + 1) * c + k3)
    return np.unwrap(coupler), np.unwrap(rocker)


def scenario():
    """The coupler is cut loose at the rocker."""
    plant = robot(
        body("crank", 1.0, (A / 2, 0, 0), (0, 0.01, 0.01)),
        body("coupler", 1.5, (B / 2, 0, 0), (0, 0.02, 0.02)),
        body("rocker", 1.2, (C / 2, 0, 0), (0, 0.01, 0.01)),
        hinge("crank_joint", "ground", "crank", (0, 0, 1)),
        hinge("coupler_joint", "crank", "coupler", (0, 0, 1), (A, 0, 0)),
        hinge("rocker_joint", "ground", "rocker", (0, 0, 1), (D, 0, 0)),
    )
    pin = sim.Loop(
        *("pin", "coupler", (B, 0, 0), "rocker", (C, 0, 0), (0, 0, 1)),
        passive=("coupler_joint", "rocker_joint"),
    )
    coupler, rocker = (float(x[0]) for x in _angles(np.zeros(1)))
    start = {"coupler_joint": coupler, "rocker_joint": rocker}
    motion = sim.JointMotion.displacement({"crank_joint": f"{TURNING}*time"}, q0=start)
    return sim.Scenario(plant.with_loops(pin), motion, 2.0, dt=0.025, method="ideal")


def expected():
    """Angles, and the rocker's speed by the law of sines of velocities."""
    a = TURNING * T
    coupler, rocker = _angles(a)
    speed = A * TURNING / C * np.sin(a - coupler) / np.sin(rocker - coupler)
    why = "rounding of a loop closed to 1e-15 m, over the sine of the least angle between the bars"
    return {
        "rocker": sim.Expected(rocker, "rad", 1e-12, why, T),
        "coupler": sim.Expected(coupler - a, "rad", 1e-12, why, T),
        "rocker's speed": sim.Expected(speed, "rad/s", 1e-11, why, T),
    }


def read(table):
    """The coupler's angle is from the crank."""
    return {
        "rocker": table["q.rocker_joint"],
        "coupler": table["q.coupler_joint"],
        "rocker's speed": table["qd.rocker_joint"],
    }


CASE = sim.Case(
    source=sim.Source(
        "Norton, R. L.",
        2012,
        "Design of Machinery, 5th edition",
        "section 4.5, equations 4.8 to 4.13 (Freudenstein), and 6.18",
    ),
    equation="K₁ cos θ₄ − K₂ cos θ₂ + K₃ = cos(θ₂ − θ₄)",
    scenario=scenario,
    read=read,
    expected=expected,
)
