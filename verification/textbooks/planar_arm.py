"""Equations of motion of a planar arm of two links, as printed in textbooks.

Links of 0.6 m and 0.5 m, 3 kg and 2 kg, mass centres at 0.25 m and 0.2 m, 0.08 and 0.05 kg·m²
about them; both joints are driven along sines in a vertical plane.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot

L1, LC1, LC2, M1, M2, I1, I2, G = 0.6, 0.25, 0.2, 3.0, 2.0, 0.08, 0.05, 9.81
T = np.linspace(0.0, 2.0, 201)


def scenario():
    """Angles from the horizontal x axis, about −y, so that z is up."""
    plant = robot(
        body("upper", M1, (LC1, 0, 0), (0.01, I1, I1)),
        body("lower", M2, (LC2, 0, 0), (0.01, I2, I2)),
        hinge("shoulder", "ground", "upper", (0, -1, 0)),
        hinge("elbow", "upper", "lower", (0, -1, 0), (L1, 0, 0)),
    )
    drives = {"shoulder": "0.9*SIN(2*time)", "elbow": "0.7*SIN(3*time)"}
    motion = sim.JointMotion.displacement(drives)
    return sim.Scenario(plant, motion, 2.0, dt=0.01, method="ideal")


def expected():
    """M, h and g written out."""
    q1, q1d, q1dd = 0.9 * np.sin(2 * T), 1.8 * np.cos(2 * T), -3.6 * np.sin(2 * T)
    q2, q2d, q2dd = 0.7 * np.sin(3 * T), 2.1 * np.cos(3 * T), -6.3 * np.sin(3 * T)
    c2, s2 = np.cos(q2), np.sin(q2)
    d11 = M1 * LC1**2 + M2 * (L1**2 + LC2**2 + 2 * L1 * LC2 * c2) + I1 + I2
    d12, d22 = M2 * (LC2**2 + L1 * LC2 * c2) + I2, M2 * LC2**2 + I2
    h = -M2 * L1 * LC2 * s2
    g2 = M2 * LC2 * G * np.cos(q1 + q2)
    g1 = (M1 * LC1 + M2 * L1) * G * np.cos(q1) + g2
    first = d11 * q1dd + d12 * q2dd + h * (2 * q1d * q2d + q2d**2) + g1
    second = d12 * q1dd + d22 * q2dd - h * q1d**2 + g2
    why = "rounding of 40 N·m; stepped: third order in steps of 10 ms, by two runs"
    return {
        "shoulder's torque": sim.Expected(first, "N·m", 1e-11, why, T, stepped=2e-3),
        "elbow's torque": sim.Expected(second, "N·m", 1e-11, why, T, stepped=2e-3),
    }


def read(table):
    """Both torques."""
    return {"shoulder's torque": table["tau.shoulder"], "elbow's torque": table["tau.elbow"]}


CASE = sim.Case(
    source=sim.Source(
        "Spong, M. W., Hutchinson, S. and Vidyasagar, M.",
        2006,
        "Robot Modeling and Control",
        "section 7.4, planar elbow manipulator, equations 7.85 to 7.87",
    ),
    equation="d₁₁ q̈₁ + d₁₂ q̈₂ + h (2 q̇₁ q̇₂ + q̇₂²) + g₁ = τ₁,  d₁₂ q̈₁ + d₂₂ q̈₂ − h q̇₁² + g₂ = τ₂",
    scenario=scenario,
    read=read,
    expected=expected,
)
