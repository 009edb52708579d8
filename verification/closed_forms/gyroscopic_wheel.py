"""The gyroscopic moment J w W of a spinning wheel on a turning arm carries its weight.

The wheel, 2 kg, 0.02 kg·m² about its axle, spins at w on an arm of 0.25 m without mass that turns
at W = 2 rad/s about the vertical. With J w W = m g r the arm's bearing carries no moment across the
arm; at half that spin, half of it.
"""

import sim
from sim.verification.bodies import body, frame, hinge, robot

MASS, REACH, MOMENT, TURNING, G = 2.0, 0.25, 0.02, 2.0, 9.81
SPIN = MASS * G * REACH / (MOMENT * TURNING)  # [rad/s]
SHARES = (1.0, 0.5, 0.0)


def scenario():
    """Three of them side by side, all driven."""
    parts, drives = [], {}
    for k, share in enumerate(SHARES):
        parts += [
            frame(f"arm_{k}"),
            hinge(f"turn_{k}", "ground", f"arm_{k}", (0, 0, 1), (0, k, 0)),
            body(f"wheel_{k}", MASS, moments=(MOMENT, 0.01, 0.01)),
            hinge(f"axle_{k}", f"arm_{k}", f"wheel_{k}", (1, 0, 0), (REACH, 0, 0)),
        ]
        drives |= {f"turn_{k}": f"{TURNING}*time", f"axle_{k}": f"{share * SPIN!r}*time"}
    motion = sim.JointMotion.displacement(drives)
    return sim.Scenario(robot(*parts), motion, 0.1, dt=0.01, method="ideal")


def expected():
    """About the arm's y axis; the force is centripetal, and the weight."""
    why = "rounding of 5 N·m and 20 N, of a state at which the wheel has made four turns"
    found = {
        f"moment at {100 * share:.0f} % of the spin": sim.Expected(
            [(share - 1.0) * MASS * G * REACH] * 11, "N·m", 1e-10, why
        )
        for share in SHARES
    }
    found["pull of the arm"] = sim.Expected([-MASS * REACH * TURNING**2] * 11, "N", 1e-10, why)
    found["lift of the arm"] = sim.Expected([MASS * G] * 11, "N", 1e-10, why)
    return found


def read(table):
    """What the ground does to the arm, along the arm's axes."""
    found = {
        f"moment at {100 * share:.0f} % of the spin": table[f"reaction.turn_{k}.my"]
        for k, share in enumerate(SHARES)
    }
    found["pull of the arm"] = table["reaction.turn_0.fx"]
    found["lift of the arm"] = table["reaction.turn_0.fz"]
    return found


CASE = sim.Case(
    source=sim.Source(
        "Goldstein, H., Poole, C. and Safko, J.",
        2002,
        "Classical Mechanics, 3rd edition",
        "section 5.7, dL/dt = W × L",
    ),
    equation="M_y = J w W − m g r",
    scenario=scenario,
    read=read,
    expected=expected,
)
