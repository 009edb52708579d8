"""Result files as ADAMS writes them, of motions solved without this package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

G = 9.80665  # [m/s²]
TIMES = np.arange(501) / 100  # [s]
ARM, MASS, MOMENT = 2.0, 1.0, 0.1  # [m], [kg], about the mass centre across the arm [kg·m²]

COLUMNS = {
    "Pos": ["X_Pos", "Y_Pos", "Z_Pos"],
    "Quat": ["e0", "e1", "e2", "e3"],
    "Vel": ["X_Vel", "Y_Vel", "Z_Vel"],
    "Avel": ["X_AngVel", "Y_AngVel", "Z_AngVel"],
    "Acc": ["X_Acc", "Y_Acc", "Z_Acc"],
    "Aacc": ["X_AngAcc", "Y_AngAcc", "Z_AngAcc"],
    "Rforce": ["X_Force", "Y_Force", "Z_Force"],
    "Rtorque": ["X_Torque", "Y_Torque", "Z_Torque"],
}

DECK = """ADAMS/View model name: test_{case}
!-------------------------------- SYSTEM UNITS ---------------------------------
UNITS/
, FORCE = NEWTON
, MASS = KILOGRAM
, LENGTH = METER
, TIME = SECOND
!----------------------------------- PARTS -------------------------------------
PART/01, GROUND
END
"""

# quantity -> rows over time
Case = Mapping[str, np.ndarray]


def swing(start: float = 0.0, stiffness: float = 0.0, damping: float = 0.0) -> Case:
    """A body let go `start` [rad] below the level, beside a hinge about y with spring and damper.

    With θ the angle below the level: (I + m l²) θ'' = m g l cos θ - k θ - c θ'. The force is that
    on the ground, m (g - a), and so is the torque, k θ + c θ'.
    """
    moment = MOMENT + MASS * ARM**2

    def rate(t: float, y: np.ndarray) -> list[float]:
        return [y[1], (MASS * G * ARM * np.cos(y[0]) - stiffness * y[0] - damping * y[1]) / moment]

    solved = solve_ivp(rate, (0, TIMES[-1]), [start, 0.0], "DOP853", TIMES, rtol=1e-12, atol=1e-12)
    theta, speed = solved.y
    torque = stiffness * theta + damping * speed
    rise = (MASS * G * ARM * np.cos(theta) - torque) / moment
    c, s, none = np.cos(theta), np.sin(theta), np.zeros_like(theta)
    acceleration = ARM * np.stack([-c * speed**2 - s * rise, none, s * speed**2 - c * rise])
    half, r = theta / 2, np.sqrt(0.5)
    return {
        "Pos": ARM * np.stack([c, none, -s]),
        # about y by θ, after about x by -90°
        "Quat": r * np.stack([np.cos(half), -np.cos(half), np.sin(half), np.sin(half)]),
        "Vel": ARM * np.stack([-s * speed, none, -c * speed]),
        "Avel": np.stack([none, speed, none]),
        "Acc": acceleration,
        "Aacc": np.stack([none, rise, none]),
        "Rforce": MASS * (np.array([[0.0], [0.0], [-G]]) - acceleration),
        "Rtorque": np.stack([none, torque, none]),
    }


def fall(speed: float = 0.0, spin: float = 0.0) -> Case:
    """A body thrown up at `speed` [m/s] that turns about an upright axis at `spin` [rad/s].

    It flies freely but for the pull m l ω² towards the axis; on the ground the pull is outwards.
    """
    t, none = TIMES, np.zeros_like(TIMES)
    c, s = np.cos(spin * t), np.sin(spin * t)
    outwards = np.stack([c, s, none])
    half = spin * t / 2
    return {
        "Pos": ARM * outwards + np.stack([none, none, speed * t - G * t**2 / 2]),
        "Quat": np.stack([np.cos(half), none, none, np.sin(half)]),
        "Vel": ARM * spin * np.stack([-s, c, none]) + np.stack([none, none, speed - G * t]),
        "Avel": np.stack([none, none, none + spin]),
        "Acc": -ARM * spin**2 * outwards + np.stack([none, none, none - G]),
        "Aacc": np.stack([none, none, none]),
        "Rforce": MASS * ARM * spin**2 * outwards,
        "Rtorque": np.stack([none, none, none]),
    }


def write_case(folder: Path, name: str, case: Case) -> Path:
    """The deck and the eight files of a case; six digits and a zero, as ADAMS prints."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"test_{name}.adm").write_text(DECK.format(case=name), encoding="utf-8")
    for quantity, columns in COLUMNS.items():
        lines = [f"# {name}_ADAMS", "#", "\t".join(["Time", *columns])]
        for row in np.vstack([TIMES, case[quantity]]).T:
            lines.append("\t".join(f"{value:+.5e}".replace("e", "0E") for value in row))
        path = folder / f"{name}_ADAMS_{quantity}.txt"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
