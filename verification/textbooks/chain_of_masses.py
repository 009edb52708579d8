"""Equal masses on equal springs, one end fixed: ω = 2 √(k/m) sin((2 i − 1) π/(4 n + 2)).

Five sleds of 0.7 kg in a row, 900 N/m between each and the one before it.
"""

import numpy as np

import sim
from sim.verification.bodies import body, robot, slide

COUNT, MASS, STIFFNESS = 5, 0.7, 900.0


def _chain():
    names = ["ground", *(f"sled_{k}" for k in range(1, COUNT + 1))]
    parts = [body(name, MASS) for name in names[1:]]
    parts += [
        slide(f"slide_{k}", names[k - 1], names[k], (1, 0, 0), (0.2, 0, 0))
        for k in range(1, COUNT + 1)
    ]
    springs = {f"slide_{k}": sim.JointSpring(STIFFNESS, 0.0) for k in range(1, COUNT + 1)}
    return robot(*parts).with_springs(springs)


def compute(method):
    """By `sim.modes`."""
    return {"frequencies": sim.modes(_chain(), np.zeros(COUNT)).frequency}


def expected():
    """All five."""
    i = np.arange(1, COUNT + 1)
    omega = 2 * np.sqrt(STIFFNESS / MASS) * np.sin((2 * i - 1) * np.pi / (4 * COUNT + 2))
    why = "rounding of eigenvalues"
    return {"frequencies": sim.Expected(omega / (2 * np.pi), "Hz", 1e-11, why)}


CASE = sim.Case(
    source=sim.Source(
        "Blevins, R. D.",
        1979,
        "Formulas for Natural Frequency and Mode Shape",
        "table 6-2, equal masses and springs with one end free",
    ),
    equation="f = (1/π) √(k/m) sin((2 i − 1) π/(4 n + 2))",
    compute=compute,
    methods=("model",),
    expected=expected,
    shown=lambda: (_chain(), np.zeros(COUNT)),
)
