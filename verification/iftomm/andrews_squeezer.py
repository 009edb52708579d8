"""A03, Andrews' squeezer: seven bodies, three loops on one tip, seven printed angles after 0.03 s.

A motor of 0.033 N·m at the crank, a spring of 4530 N/m; no gravity. Every loop is closed in space
though all move in a plane: the third equation of each repeats others.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot

NAMES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
START = (
    -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449,
    0.222668390165885884674473185609, 0.487364979543842550225598953530,
    -0.222668390165885884674473185609, 1.23054744454982119249735015568,
)  # fmt: skip
END = (
    15.8107711941762, -15.7563710521963, 0.0408222401302716, -0.534730103180684,
    0.524409976475168, 0.534730103180684, 1.04808074444275,
)  # fmt: skip
MOMENTS = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
MASSES = 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498
CENTRES = (
    (0.92e-3, 0), (11.5e-3, 0), (10.43e-3, -18.74e-3), (0, -5.79e-3), (23.08e-3, 9.16e-3),
    (5.79e-3, 0), (4.49e-3, -12.28e-3),
)  # fmt: skip
HINGES = (
    ("beta", "ground", "K1", 0.0, 0.0, 0.0),
    ("theta", "K1", "K2", 7e-3, 0.0, np.pi),
    ("gamma", "ground", "K3", -0.03635, 0.03273, 0.0),
    ("delta", "ground", "K5", -0.06934, -0.00227, 0.0),
    ("phi", "K5", "K4", 0.04, 0.0, 0.0),
    ("epsilon", "ground", "K7", -0.06934, -0.00227, 0.0),
    ("omega", "K7", "K6", 0.0, -0.04, 0.0),
)
ENDS = (
    ("K3", (0, -0.035, 0), ("theta", "gamma")),
    ("K4", (0, -0.02, 0), ("delta", "phi")),
    ("K6", (0.02, 0, 0), ("epsilon", "omega")),
)


def squeezer(duration, step):
    """The squeezer let go, for some time."""
    bodies = [
        body(f"K{k}", mass, (x, y, 0), (i / 2, i / 2, i))
        for k, (mass, i, (x, y)) in enumerate(zip(MASSES, MOMENTS, CENTRES, strict=True), 1)
    ]
    joints = [
        hinge(name, parent, child, (0, 0, 1), (x, y, 0), (0, 0, turn))
        for name, parent, child, x, y, turn in HINGES
    ]
    tip = "K2", (0.028, 0, 0)
    loops = (sim.Loop(f"{one} on K2", one, p, *tip, passive=names) for one, p, names in ENDS)
    D = sim.Marker("D", "K3", (0.02, -0.018, 0))
    C = sim.Marker("C", "ground", (0.014, 0.072, 0))
    spring = sim.SForce("spring", D, C, "-4530*(DM(D,C)-0.07785)")
    start = dict(zip(NAMES, START, strict=True))
    motion = sim.JointMotion.torque({"beta": 0.033}, q0=start)
    plant = robot(*bodies, *joints).with_loops(*loops)
    settings = {"dt": step, "gravity": (0, 0, 0), "method": "adaptive"}
    return sim.Scenario(plant, motion, duration, forces=[spring], **settings)


def scenario():
    """To the end of the test set's interval."""
    return squeezer(0.03, 0.03 / 30)


def expected():
    """The end as the test set prints it, accelerations and first two multipliers of the start."""
    why = "1e-12 a step of the solver, grown in 2.5 turns of the crank; the set is good to 1e-12"
    found = {
        f"{name} after 0.03 s": sim.Expected(end, "rad", 1e-7, why)
        for name, end in zip(NAMES, END, strict=True)
    }
    printed = "rounding of 1e4 rad/s² through loops of 1e-15 m"
    found["acceleration of beta"] = sim.Expected(14222.4439199541, "rad/s²", 1e-6, printed)
    found["acceleration of theta"] = sim.Expected(-10666.8329399656, "rad/s²", 1e-6, printed)
    pull = (98.5668703962411, 6.12268834425567)
    found["forces of the first loop"] = sim.Expected(pull, "N", 1e-7, "rounding of 1e4 rad/s²")
    return found


def read(table):
    """Angles of the end, accelerations of the start."""
    found = {f"{name} after 0.03 s": table[f"q.{name}"][-1] for name in NAMES}
    for name in NAMES[:2]:
        found[f"acceleration of {name}"] = table[f"qdd.{name}"][0]
    found["forces of the first loop"] = [abs(table[f"loop.K3_on_K2.{c}"][0]) for c in ("fx", "fy")]
    return found


CASE = sim.Case(
    source=sim.Source(
        "Hairer, E. and Wanner, G.",
        1996,
        "Solving Ordinary Differential Equations II, 2nd edition",
        "section VII.7; end values: Mazzia and Magherini, Test Set for IVP Solvers, Andrews",
    ),
    equation="M q̈ = f − Gᵀ λ,  g(q) = 0",
    scenario=scenario,
    read=read,
    expected=expected,
)
