"""Inverse kinematics of the UR10: all branches of many poses, and one branch along a path.

The baseline is EAIK in a Python loop, which also returns all branches; along a path, the solution
nearest to the previous one is taken. roboticstoolbox finds one solution iteratively. The error is
the largest distance between the joint positions that generated the poses and the nearest branch.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import sim
from benchmarks.contest import Contender, Part, Settings, Subject, Target, has, ratio, turns
from sim.kinematics import dh
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import branches, follow
from sim.robots.robot import Robot

OURS, EAIK, TOOLBOX = "sim, closed form", "EAIK in a loop", "roboticstoolbox ik_LM in a loop"
ALONG, EAIK_ALONG = "sim, tracking one branch", "EAIK in a loop, nearest solution"
TAU = 2 * np.pi


def measured(settings: Settings) -> Subject:
    """Return times per pose, and our speed-ups over the peers."""
    robot = sim.load_robot("ur10")
    rng = np.random.default_rng(1)
    poses = turns(_of_poses(robot, rng, settings), settings)
    path = turns(_along(robot, rng, settings), settings)
    error = "largest joint position error [rad]"
    return Subject(
        __doc__,
        (
            Part("All branches", tuple(poses.values()), "pose", error),
            Part("Along a path", tuple(path.values()), "pose", error),
        ),
        (
            Target("all branches, speed-up over EAIK", ratio(poses, EAIK, OURS), 10, "x", True),
            Target(
                "all branches, speed-up over roboticstoolbox",
                ratio(poses, TOOLBOX, OURS),
                50,
                "x",
                True,
            ),
            Target(
                "along a path, speed-up over EAIK", ratio(path, EAIK_ALONG, ALONG), 10, "x", True
            ),
        ),
    )


def _of_poses(robot: Robot, rng: np.random.Generator, settings: Settings) -> list[Contender]:
    count, some, few = settings.pick(100_000, 100), settings.pick(5_000, 20), settings.pick(200, 2)
    q = rng.uniform(-np.pi, np.pi, (6, count))
    T = frame_pose(robot, q)
    each = [np.ascontiguousarray(T[:, :, k]) for k in range(some)]
    found = branches(robot, T).q
    apart = np.abs(_turned(found - q)).max(axis=1).min(axis=0)
    contenders = [Contender(OURS, lambda: branches(robot, T), count, float(apart.max()))]
    if has("eaik"):
        solve = _eaik(robot)
        nearest = [
            np.abs(_turned(solve(pose) - q[:, k])).max(axis=1).min() for k, pose in enumerate(each)
        ]
        work: Callable[[], object] = lambda: [solve(pose) for pose in each]  # noqa: E731
        contenders.append(Contender(EAIK, work, some, float(max(nearest)), "eaik"))
    else:
        contenders.append(Contender(EAIK, list, needs="eaik"))
    if has("roboticstoolbox"):
        chain = _toolbox(robot)
        work = lambda: [chain(pose) for pose in each[:few]]  # noqa: E731
        contenders.append(Contender(TOOLBOX, work, few, needs="roboticstoolbox"))
    else:
        contenders.append(Contender(TOOLBOX, list, needs="roboticstoolbox"))
    return contenders


def _along(robot: Robot, rng: np.random.Generator, settings: Settings) -> list[Contender]:
    count = settings.pick(10_000, 50)
    begin, way = rng.uniform(-1, 1, (2, 6, 1))
    q = begin + way * np.linspace(0, 1, count)
    T = frame_pose(robot, q)
    each = [np.ascontiguousarray(T[:, :, k]) for k in range(count)]

    def followed() -> np.ndarray:
        return follow(robot, T, near=q[:, 0]).q

    error = float(np.abs(_turned(followed() - q)).max())
    contenders = [Contender(ALONG, followed, count, error)]
    if not has("eaik"):
        return [*contenders, Contender(EAIK_ALONG, list, needs="eaik")]
    solve = _eaik(robot)

    def nearest() -> np.ndarray:
        last, found = q[:, 0], np.empty((count, 6))
        for k, pose in enumerate(each):
            step = _turned(solve(pose) - last)
            last = found[k] = last + step[np.argmin(np.abs(step).sum(axis=1))]
        return found.T

    error = float(np.abs(_turned(nearest() - q)).max())
    return [*contenders, Contender(EAIK_ALONG, nearest, count, error, "eaik")]


def _eaik(robot: Robot) -> Callable[[np.ndarray], np.ndarray]:
    from eaik.IK_DH import DhRobot

    table = dh.table_of(robot)
    solver = DhRobot(np.array(table.alpha), np.array(table.a), np.array(table.d))
    return lambda pose: np.asarray(solver.IK(pose).Q)


def _toolbox(robot: Robot) -> Callable[[np.ndarray], object]:
    from roboticstoolbox import ET, ETS

    table, chain = dh.table_of(robot), ETS()
    for d, a, alpha in zip(table.d, table.a, table.alpha, strict=True):
        chain = chain * ET.Rz() * ET.tz(d) * ET.tx(a) * ET.Rx(alpha)
    return chain.ik_LM


def _turned(step: np.ndarray) -> np.ndarray:
    """Return differences of angles within half a turn."""
    return step - TAU * np.rint(step / TAU)
