"""Shortest motion time and largest extra load of a slide under a rated force.

8 kg on 30 N over 0.6 m from rest to rest by a polynomial of fifth order, level; the least time of
the same way is that of full force forwards, then back. Then the same upright in 1.5 s under 120 N.
"""

import numpy as np

import sim
from sim.verification.bodies import body, frame, robot, slide

MASS, FORCE, WAY = 8.0, 30.0, 0.6
LIFT, LIFTING = 1.5, 120.0  # [s], [N]
PEAK = 10 / np.sqrt(3)  # of the second derivative of 10 s³ − 15 s⁴ + 6 s⁵


def _motion(axis, duration):
    sled = robot(
        body("sled", MASS),
        slide("slide", "ground", "sled", axis),
        frame("tool"),
        '<joint name="weld" type="fixed"><parent link="sled"/><child link="tool"/></joint>',
    )
    path = sim.JointMotion.displacement({"slide": f"STEP5(time, 0, 0, {duration}, {WAY})"})
    return sim.Scenario(sled, path, duration, dt=duration / 200, method="ideal")


def compute(method):
    """By `sim.fit_time`, `sim.time_optimal` and `sim.largest_payload`."""
    level, upright = _motion((1, 0, 0), 2.0), _motion((0, 0, 1), LIFT)
    return {
        "time by the polynomial": sim.fit_time(level, torque={"slide": FORCE}).duration,
        "least time": lambda: sim.time_optimal(level, torque={"slide": FORCE}).duration,
        "payload": sim.largest_payload(upright, torque={"slide": LIFTING}).mass,
    }


def expected():
    """Peak acceleration (10/√3) d/T², and half of the way at each sense of F/m."""
    at_best = np.sqrt(MASS * WAY / FORCE)
    peak = PEAK * WAY / LIFT**2
    sampled = "the peak lies up to half a sample of T/200 beside one, by which 1e-4 of it is missed"
    return {
        "time by the polynomial": sim.Expected(
            np.sqrt(PEAK) * at_best, "s", 1e-9, "rounding; the maximum between samples is included"
        ),
        "least time": sim.Expected(
            2 * at_best,
            "s",
            1e-5,
            "the grid along the path, on which the force turns",
            needs="toppra",
        ),
        "payload": sim.Expected(LIFTING / (9.81 + peak) - MASS, "kg", 2e-4, sampled),
    }


CASE = sim.Case(
    source=sim.Source(
        "Lynch, K. M. and Park, F. C.",
        2017,
        "Modern Robotics: Mechanics, Planning, and Control",
        "section 9.2, fifth-order polynomials; section 9.4, time-optimal time scaling",
    ),
    equation="T = √(10 m d/(√3 F)),  T_least = 2 √(m d/F),  m' = F/(g + 10 d/(√3 T²)) − m",
    compute=compute,
    methods=("model",),
    expected=expected,
    shown=lambda: (_motion((1, 0, 0), 2.0).robot, [0.3]),
)
