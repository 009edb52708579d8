"""A heavy top released with its axis at rest nutates between two cones: elliptic functions.

1 kg, its mass centre 0.2 m from the fixed point; 0.004 kg·m² about its axis, 0.05 kg·m² across it
at the fixed point; 60 rad/s about its axis, which leans by 0.6 rad. The cosine of the lean is sn².
"""

import numpy as np
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk

import sim
from sim.verification.bodies import ball, body, robot

MASS, REACH, ALONG, ACROSS, SPIN, LEAN, G = 1.0, 0.2, 0.004, 0.05, 60.0, 0.6, 9.81
T = np.linspace(0.0, 2.0, 81)


def scenario():
    """Its axis is at rest at the start."""
    aside = ACROSS - MASS * REACH**2  # about the mass centre
    top = robot(
        body("top", MASS, (0, 0, REACH), (aside, aside, ALONG)), ball("ball", "ground", "top")
    )
    motion = sim.JointMotion({}, q0={"ball": (LEAN, 0.0, 0.0)}, qd0={"ball": (0.0, 0.0, SPIN)})
    return sim.Scenario(top, motion, 2.0, dt=0.025, method="adaptive")


def expected():
    """u'² = β (u₀ − u)(u − u₁)(u₃ − u): between the cones of u₁ and u₀."""
    a, beta, u0 = ALONG * SPIN / ACROSS, 2 * MASS * G * REACH / ACROSS, np.cos(LEAN)
    u1, u3 = np.sort(np.roots([beta, -(a**2), a**2 * u0 - beta]).real)
    modulus = (u0 - u1) / (u3 - u1)
    sn = ellipj(np.sqrt(beta * (u3 - u1)) / 2 * T + ellipk(modulus), modulus)[0]
    why = "1e-12 a step of the solver, grown in 20 turns of the top"
    return {
        "cosine of the lean": sim.Expected(u1 + (u0 - u1) * sn**2, "1", 1e-9, why, T),
        "spin": sim.Expected(SPIN + 0 * T, "rad/s", 1e-9, why, T),
    }


def read(table):
    """How far the axis leans, and the spin about it."""
    turned = Rotation.from_rotvec(np.stack([table[f"q.ball.{c}"] for c in "xyz"], axis=1))
    return {"cosine of the lean": turned.apply([0, 0, 1])[:, 2], "spin": table["qd.ball.z"]}


CASE = sim.Case(
    source=sim.Source(
        "Goldstein, H., Poole, C. and Safko, J.",
        2002,
        "Classical Mechanics, 3rd edition",
        "section 5.7, equation 5.62 and figure 5.9 (cusps)",
    ),
    equation="cos θ = u₁ + (u₀ − u₁) sn²(√(β (u₃ − u₁)) t/2 + K)",
    scenario=scenario,
    read=read,
    expected=expected,
)
