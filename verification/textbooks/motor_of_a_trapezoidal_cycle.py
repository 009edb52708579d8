"""Motor loads of a trapezoidal cycle, and the smallest suitable motor of three.

A table of 2 kg·m² that rubs with 4 N·m is brought to 3 rad/s in 0.2 s, turns for 0.5 s, is braked
in 0.1 s and rests for 0.4 s, by a gear of 50 that passes 80 % of what drives it and 70 % of what
brakes it. The first motor would grow too hot, the second has too small a peak.
"""

from dataclasses import replace

import numpy as np

import sim
from sim.sizing import Gear, Motor
from sim.verification.bodies import body, hinge, robot, rubbing

INERTIA, DRY, SPEED = 2.0, 4.0, 3.0
LAPS = np.array([0.2, 0.5, 0.1, 0.4])  # up, on, down, at rest [s]
N, FORTH, BACK, ROTOR = 50.0, 0.8, 0.7, 1e-4
MOTORS = {"too hot": (0.42, 1.5, 0.8), "too weak": (0.6, 0.9, 0.9), "holds": (0.6, 1.2, 1.1)}


def scenario():
    """Upright axis, no weight; the drive's string has the corners of the trapezoid."""
    table = robot(
        body("table", 10.0, (0, 0, 0), (1.0, 1.0, INERTIA)),
        hinge("turn", "ground", "table", (0, 0, 1), more=rubbing(DRY)),
    )
    up, on, down = np.cumsum(LAPS)[:3]
    braked = f"{SPEED}*({down}-time)/{LAPS[2]}"
    speed = (
        f"IF(time-{up}: {SPEED}*time/{LAPS[0]}, {SPEED}, "
        f"IF(time-{on}: {SPEED}, {SPEED}, IF(time-{down}: {braked}, 0, 0)))"
    )
    motion = sim.JointMotion.velocity({"turn": speed})
    return sim.Scenario(table, motion, float(LAPS.sum()), dt=5e-4, method="ideal")


def compute(method):
    """By `sim.size_motors` of a run of each engine."""
    recording = sim.run(replace(scenario(), engine=method.engine))
    motors = [
        Motor(name, rated, peak, 200.0, ROTOR, "this problem", mass=mass)
        for name, (rated, peak, mass) in MOTORS.items()
    ]
    gear = Gear("50", N, 80.0, 0.0, FORTH, "this problem", efficiency_back=BACK, mass=1.0)
    (choice,) = sim.size_motors(recording, motors, [gear]).choices
    load = choice.load
    return {
        "mass of the choice": choice.pair.motor.mass,
        "peak torque": load.peak_torque,
        "RMS torque": load.rms_torque.value,
        "mean speed": load.mean_speed,
        "energy taken back": load.regenerated.value,
        "mean torque of the gear": load.gear_mean,
    }


def expected():
    """Lap by lap, through the gear to the shaft."""
    accelerations = np.array([SPEED / LAPS[0], 0.0, -SPEED / LAPS[2], 0.0])
    links = INERTIA * accelerations + DRY * np.array([1.0, 1.0, 1.0, 0.0])
    passed = np.where(links > 0, links / FORTH, links * BACK)
    motor = passed / N + ROTOR * N * accelerations
    ways = SPEED * LAPS * np.array([0.5, 1.0, 0.5, 0.0])
    jumps = "the torque jumps four times, each somewhere in a sample of 0.5 ms"
    return {
        "mass of the choice": sim.Expected(MOTORS["holds"][2], "kg", 0.05, "a choice of three"),
        "peak torque": sim.Expected(np.abs(motor).max(), "N·m", 1e-9, "rounding"),
        "RMS torque": sim.Expected(np.sqrt(motor**2 @ LAPS / LAPS.sum()), "N·m", 5e-4, jumps),
        "mean speed": sim.Expected(N * ways.sum() / LAPS.sum(), "rad/s", 1e-6, "rounding"),
        "energy taken back": sim.Expected(-motor[2] * N * ways[2], "J", 0.1, jumps),
        "mean torque of the gear": sim.Expected(
            np.cbrt(np.abs(links) ** 3 @ ways / ways.sum()), "N·m", 0.1, jumps
        ),
    }


CASE = sim.Case(
    source=sim.Source(
        "Roos, F., Johansson, H. and Wikander, J.",
        2006,
        "Optimal selection of motor and gearhead in mechatronic applications",
        "Mechatronics 16(1), p. 63-72, root mean square and peak of the torque at the motor",
    ),
    equation="M_RMS = √((t₁ M₁² + t₂ M₂² + …)/t),  M = (J α + M_R)/(N η) + J_m N α",
    compute=compute,
    methods=("bullet", "mujoco"),
    expected=expected,
)
