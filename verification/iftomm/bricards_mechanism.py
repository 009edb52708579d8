"""A04, Bricard's mechanism: five equations of rank four; its energy is conserved.

Six rods of 1 m and 1 kg on the edges of a cube, six hinges; an overconstrained loop that moves all
the same. The benchmark asks for the energy alone.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
AXES = ((0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))
T = np.linspace(0.0, 2.0, 41)


def mechanism():
    """Cut open at the last hinge."""
    thick, thin = (1 + 0.1**2) / 12, 2 * 0.1**2 / 12
    parts = []
    for k, axis in enumerate(AXES):
        way = CORNERS[k + 1] - CORNERS[k]
        base = CORNERS[0] if k == 0 else CORNERS[k] - CORNERS[k - 1]
        parts += [
            body(f"R{k}", 1.0, way / 2, thick + (thin - thick) * np.abs(way)),
            hinge(f"J{k}", f"R{k - 1}" if k else "ground", f"R{k}", axis, base),
        ]
    x = (1.0, 0.0, 0.0)
    ends = "last", "R4", CORNERS[5] - CORNERS[4], "ground", CORNERS[5]
    passive = ("J1", "J2", "J3", "J4")
    return robot(*parts).with_loops(
        sim.Loop(*ends, passive=passive, kind="hinge", axis_a=x, axis_b=x)
    )


def scenario():
    """It falls under gravity along −y."""
    motion = sim.JointMotion({}, free=("J0",))
    gravity = (0, -9.81, 0)
    return sim.Scenario(mechanism(), motion, 2.0, dt=0.05, gravity=gravity, method="adaptive")


def expected():
    """No drift; and it does move."""
    asked = "a thousandth of the 1e-6 J that the benchmark asks"
    return {
        "change of energy": sim.Expected(0 * T, "J", 1e-9, asked, T),
        "passes 4 J of kinetic energy": sim.Expected(1, "1", 0.5, "1 is yes: it does move"),
    }


def read(table):
    """Kinetic and potential energy together."""
    energy = table["ke"] + table["pe"]
    return {
        "change of energy": energy - energy[0],
        "passes 4 J of kinetic energy": np.max(table["ke"]) > 4.0,
    }


CASE = sim.Case(
    source=sim.Source(
        "IFToMM Technical Committee for Multibody Dynamics",
        2014,
        "Library of Computational Benchmark Problems",
        "A04, https://www.iftomm-multibody.org/benchmark",
    ),
    equation="T + V = const",
    scenario=scenario,
    read=read,
    expected=expected,
)
