"""UR10: motion and torques of a real arm, compared with the model.

The joints follow the positions of a log, and the run compares the torques with the measured ones:
the share unexplained by the rigid model, and that unexplained in the second half of the log with
friction identified on the first. The log of a real UR10 (Petrone et al., IEEE Transactions on
Industrial Informatics, 10.1109/TII.2025.3534415) is not included; give it, or one of your own:

    sim run ur10_measured --set log=ur10_exciting_trajectory.csv

By default the run follows a synthetic log: this model with known friction and noise, low-passed
like the real log. It demonstrates the procedure and is no statement about a real robot.
"""

from dataclasses import replace

import numpy as np

import sim
from sim.curves import zero_phase

SLOPES = (
    sim.Claim(
        text="measured gravity torque equals the model's within 4 %",
        source="a real UR10's log has 0.981 ± 0.008 and 0.966 ± 0.009",
        channel="tau.shoulder_lift_joint",
        statistic="measured_slope",
        value=1.0,
        within=0.04,
    ),
)
CLAIMS = (*SLOPES, replace(SLOPES[0], channel="tau.elbow_joint"))

# Synthetic log, with magnitudes as in the real one.
COULOMB = (15.0, 15.0, 9.0, 3.0, 2.5, 2.5)  # N·m
VISCOUS = (14.0, 20.0, 8.0, 3.0, 3.0, 3.0)  # N·m·s/rad
OFFSET = (0.4, -0.3, 0.0, 0.7, 0.9, 0.9)  # N·m
NOISE = (0.8, 1.6, 0.9, 0.3, 0.25, 0.4)  # N·m, RMS
RATE, PERIOD, LOW_PASS = 125.0, 20.0, 1.7  # Hz, s, Hz


def scenario(log: str = "") -> sim.Scenario:
    """Follow the log in the file `log` (default: a synthetic log)."""
    arm = sim.load_robot("ur10")
    measured = sim.Log.read(log, arm) if log else synthetic_log(arm)
    return replace(sim.follow_log(arm, measured, is_synthetic=not log), claims=CLAIMS)


def synthetic_log(arm: sim.Robot) -> sim.Log:
    """Return a motion of five harmonics of `PERIOD`, with friction and low-passed noise."""
    rng = np.random.default_rng(26)
    t = np.arange(round(PERIOD * RATE) + 1) / RATE
    w = 2 * np.pi / PERIOD * np.arange(1, 6)[:, None]
    a, b = 0.25 * rng.normal(size=(2, 6, 5))
    s, c = np.sin(w * t), np.cos(w * t)
    q = np.array([[0.0, -1.2, 1.0, -0.5, -1.5, 0.5]]).T + a @ s + b @ c
    qd, qdd = a @ (w * c) - b @ (w * s), -a @ (w**2 * s) - b @ (w**2 * c)
    coulomb, viscous, offset, size = (np.array([x]).T for x in (COULOMB, VISCOUS, OFFSET, NOISE))
    tau = sim.inverse_dynamics(arm, q, qd, qdd) + coulomb * np.sign(qd) + viscous * qd + offset
    noise = zero_phase(rng.normal(size=tau.shape), RATE, LOW_PASS)
    noise *= size / noise.std(axis=1, keepdims=True)
    tau = zero_phase(tau, RATE, LOW_PASS) + noise
    return sim.Log(arm.joint_names, t, q, tau, qd, source="a made-up log")


if __name__ == "__main__":
    sim.main(scenario)
