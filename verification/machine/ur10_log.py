"""A real UR10: rigid-body torques along a measured motion, and the residual of the log.

An exciting trajectory of 27.5 s; the log is named by SIM_UR10_LOG, a CSV or Parquet file with
columns q, v or qd, and tau of the six joints. What the bodies leave is friction, most of the torque
of four joints, and no fault of the model: this case gates the arithmetic alone, by Pinocchio.
"""

import os
from pathlib import Path

import numpy as np

import sim
from sim import shipped

LOG = "SIM_UR10_LOG"
GROUPS = (("q", "q_rad"), ("qd", "v_rad_s"), ("tau", "tau_Nm"))
EVERY = 10  # of the samples


def _columns():
    """t (N,), then q, qd and tau (6, N), in the order of the joints."""
    import pandas as pd

    path = Path(os.environ[LOG])
    table = (pd.read_parquet if path.suffix == ".parquet" else pd.read_csv)(path)
    joints = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")

    def rows(names):
        return np.stack(
            [
                table[next(c for c in table if c in {f"{n}.{j}_joint" for n in names})].to_numpy(
                    float
                )
                for j in joints
            ]
        )

    time = next(c for c in table if c in ("t", "t_s"))
    return table[time].to_numpy(float), *(rows(names) for names in GROUPS)


def _states():
    t, q, qd, tau = _columns()
    qdd = np.gradient(qd, t, axis=1)
    return q[:, ::EVERY], qd[:, ::EVERY], qdd[:, ::EVERY], tau[:, ::EVERY]


def _residual_share(tau, model):
    """Root mean square that is left, over that of the measured torque."""
    return np.sqrt(np.mean((tau - model) ** 2, axis=1) / np.mean(tau**2, axis=1))


def compute(method):
    """The arm alone, nothing fitted."""
    q, qd, qdd, tau = _states()
    model = method.inverse_dynamics(sim.load_robot("ur10"), q, qd, qdd)
    return {"torques along the log": model, "share left": _residual_share(tau, model)}


def expected():
    """The same by Pinocchio from the same file."""
    import pinocchio as pin

    q, qd, qdd, tau = _states()
    model = pin.buildModelFromUrdf(str(shipped.urdf() / "ur10.urdf"))
    data = model.createData()
    states = zip(q.T, qd.T, qdd.T, strict=True)
    torques = np.stack([pin.rnea(model, data, *state).copy() for state in states], axis=1)
    return {
        "torques along the log": sim.Expected(torques, "N·m", 1e-9, "rounding of 200 N·m"),
        "share left": sim.Expected(_residual_share(tau, torques), "1", 1e-10, "as of the torques"),
    }


CASE = sim.Case(
    source=sim.Source(
        "Petrone, V. et al.",
        2025,
        "Inverse dynamics of a UR10: measured exciting trajectory",
        "IEEE Trans. Industrial Informatics, https://doi.org/10.1109/TII.2025.3534415",
    ),
    equation="τ = M q̈ + C q̇ + g + friction",
    compute=compute,
    methods=("model", "newton_euler", "bullet", "mujoco"),
    expected=expected,
    oracle="pinocchio",
    file=LOG,
    shown=lambda: (sim.load_robot("ur10"), sim.load_robot("ur10").pose("upright")),
)
