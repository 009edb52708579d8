"""Closed-form inverse kinematics of the UR10, all branches, against its peers, in one run.

100 000 poses at once; base: EAIK in a Python loop, which also gives all branches. Roboticstoolbox
gives one solution by iteration. Targets: at least 10 times EAIK and 50 times roboticstoolbox, CPU
time on one thread. Also one branch followed over a path, against EAIK with the nearest solution
taken at each pose. Needs the packages eaik and roboticstoolbox-python beside the
project's own. Run with ``OPENBLAS_NUM_THREADS=1 python benchmarks/inverse_kinematics.py``.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from eaik.IK_DH import DhRobot
from roboticstoolbox import ET, ETS

import sim
from sim.kinematics import dh
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import branches, follow
from sim.kinematics.inverse.pose_error import pose_error

POSES, EAIK_POSES, ITERATED_POSES, PATH_POSES, ROUNDS = 100_000, 5_000, 200, 10_000, 9
TAU = 2 * np.pi


def seconds(work: Callable[[], object], poses: int) -> float:
    """CPU time a pose [s]."""
    start = time.process_time()
    work()
    return (time.process_time() - start) / poses


def main() -> None:
    robot = sim.load_robot("ur10")
    table = dh.table_of(robot)
    eaik = DhRobot(np.array(table.alpha), np.array(table.a), np.array(table.d))
    chain = ETS()
    for d, a, alpha in zip(table.d, table.a, table.alpha, strict=True):
        chain = chain * ET.Rz() * ET.tz(d) * ET.tx(a) * ET.Rx(alpha)
    rng = np.random.default_rng(1)
    q = rng.uniform(-np.pi, np.pi, (6, POSES))
    T = frame_pose(robot, q)
    loop = [np.ascontiguousarray(T[:, :, k]) for k in range(EAIK_POSES)]
    sweep = rng.uniform(-1, 1, (6, 1)) + rng.uniform(-1, 1, (6, 1)) * np.linspace(0, 1, PATH_POSES)
    path = frame_pose(robot, sweep)
    along = [np.ascontiguousarray(path[:, :, k]) for k in range(PATH_POSES)]

    def nearest() -> None:
        last = sweep[:, 0]
        for pose in along:
            found = np.asarray(eaik.IK(pose).Q)
            step = found - last
            step -= TAU * np.rint(step / TAU)
            last = last + step[np.argmin(np.abs(step).sum(axis=1))]

    contenders = {
        "NumPy closed form": lambda: seconds(lambda: branches(robot, T), POSES),
        "EAIK loop": lambda: seconds(lambda: [eaik.IK(pose) for pose in loop], EAIK_POSES),
        "roboticstoolbox ik_LM": lambda: seconds(
            lambda: [chain.ik_LM(pose) for pose in loop[:ITERATED_POSES]], ITERATED_POSES
        ),
        "NumPy, one branch of a path": lambda: seconds(
            lambda: follow(robot, path, near=sweep[:, 0]), PATH_POSES
        ),
        "EAIK + nearest, path": lambda: seconds(nearest, PATH_POSES),
    }
    rounds = [{name: run() for name, run in contenders.items()} for _ in range(ROUNDS)]
    for name in contenders:
        print(f"{name:28} {1e6 * statistics.median(r[name] for r in rounds):9.3f} us a pose")
    for ours, theirs, target in (
        ("NumPy closed form", "EAIK loop", "target at least 10"),
        ("NumPy closed form", "roboticstoolbox ik_LM", "target at least 50"),
        ("NumPy, one branch of a path", "EAIK + nearest, path", "target at least 10"),
    ):
        ratio = statistics.median(r[theirs] / r[ours] for r in rounds)
        print(f"{ours} against {theirs}: {ratio:.1f} x ({target})")
    solved = branches(robot, T)
    apart = np.abs(solved.q - q)
    apart = np.abs(apart - TAU * np.rint(apart / TAU)).max(axis=1)
    print(f"branches a pose: {solved.reached.sum(axis=0).mean():.2f}; ", end="")
    print(f"EAIK: {np.mean([len(eaik.IK(pose).Q) for pose in loop]):.2f}")
    print(f"original found within {np.min(apart, axis=0).max():.0e} rad, worst residual ", end="")
    worst = max(
        pose_error(robot, None, solution[:, met], T[:, :, met]).residual.max()
        for solution, met in zip(solved.q, solved.reached, strict=True)
    )
    print(f"{worst:.0e} m and rad")


if __name__ == "__main__":
    main()
