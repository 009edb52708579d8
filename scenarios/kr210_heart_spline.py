"""KR 210: the heart curve replayed from splines (paper 003, section 3.4).

The paper records the joint curves of the point motion, converts them to splines, deactivates the
point motion, drives the joints by `AKISPL(time,0,...)`, and calls the paths "almost coincident"
without a number. Here the joint positions of the simulated heart curve are recorded at `knots`
instants, interpolated by splines of one `kind`, and drive the robot; a check compares the tool's
path with the heart. The notes give the largest distance for every kind and several numbers of
points.

A natural cubic spline (ADAMS's CUBSPL) has no curvature at its ends; the heart starts at speed, so
the error is large there. `notaknot`, or a heart with a `ramp`, avoids it.
"""

import math

import numpy as np

import sim
from sim.functions.spline import KINDS

STUDIED = (91, 181, 361, 721)  # numbers of points
FUNCTIONS = {
    "akima": "AKISPL(time,0,{})",
    "cubic": "CUBSPL(time,0,{})",
    "linear": "INTERP(time,1,{})",
}
ALMOST_COINCIDENT = 1e-3  # m; our reading of the paper's words: a line's width on its plot


def scenario(
    kind: str = "akima",
    knots: int = 721,
    robot: str = "kr210_paper",
    a: float = 0.26,
    period: float = 2 * math.pi,
    payload: float = 100.0,
    ramp: float = 0.0,
) -> sim.Scenario:
    """Replay the heart of size `a` [m] from splines of a `kind` through `knots` recorded points."""
    settings = {"robot": robot, "a": a, "period": period, "payload": payload, "ramp": ramp}
    heart, _ = sim.load_script("kr210_heart").build(settings)
    steps = (knots - 1) * math.ceil(heart.duration / 1e-3 / (knots - 1)) if knots > 1 else 1
    dt = heart.duration / steps
    recorded = sim.run(heart, method="ideal", dt=dt).recorded.iloc[:: steps // max(knots - 1, 1)]
    names = heart.robot.joint_names
    curves = {name: sim.spline(recorded.index, recorded[f"q.{name}"], kind) for name in names}
    if kind in FUNCTIONS:
        drives = {name: FUNCTIONS[kind].format(f"SPL_{name}") for name in names}
        splines = {f"SPL_{name}": curve for name, curve in curves.items()}
        motion = sim.JointMotion.displacement(drives, splines=splines)
    else:
        motion = sim.JointMotion.displacement(curves)
    return sim.Scenario(
        heart.robot,
        motion,
        duration=heart.duration,
        dt=dt,
        path=heart.motion,
        path_tolerance=ALMOST_COINCIDENT,
        notes=study(heart),
    )


def study(heart: sim.Scenario) -> tuple[str, ...]:
    """Return the largest distance of the tool from the heart, by kind and number of points."""
    path = heart.motion.on(heart.robot, heart.duration)
    t = np.linspace(0.0, heart.duration, 10_001)
    wanted = heart.motion.positions(t)
    lines = []
    for kind in KINDS:
        found = []
        for knots in STUDIED:
            times = np.linspace(0.0, heart.duration, knots)
            q = [sim.spline(times, row, kind).value(t) for row in path.at(times).q]
            p = sim.frame_pose(heart.robot, np.stack(q))[:3, 3]
            found.append(f"{np.sqrt(((p - wanted) ** 2).sum(axis=0)).max():.1e} m")
        points = ", ".join(f"{knots}: {far}" for knots, far in zip(STUDIED, found, strict=True))
        lines.append(
            f"{kind} splines, largest distance from the heart by number of points: {points}"
        )
    return tuple(lines)


if __name__ == "__main__":
    sim.main(scenario)
