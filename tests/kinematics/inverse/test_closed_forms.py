"""What the closed form of each family has to keep, against poses by another formula."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kinematics import dh
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import branches, inverse_kinematics
from sim.kinematics.inverse.recognition import family_of
from sim.kinematics.poe import screws_of
from sim.robots import Robot, load_robot, read_urdf
from tests.helpers.axes_robot import PALLETIZER, disguised, palletizer_pose
from tests.helpers.examples import examples
from tests.helpers.inverse_checks import (
    apart,
    check_branches,
    check_distinct,
    check_nothing_is_missing,
)


@dataclass(frozen=True)
class Arm:
    """A robot, its poses by another formula, and what is known of its solutions."""

    robot: Robot
    forward: Callable[[np.ndarray], np.ndarray]
    family: str
    shares: dict[int, float]  # of random poses with so many solutions, by the papers' formulas
    near: float = 1e-5  # [rad]; what the rounding of a pose hides of a singular one's joints

    @property
    def n(self) -> int:
        return len(self.robot.joint_names)


def by_table(name, family, shares, near=1e-5):
    robot = load_robot(name)
    return Arm(robot, lambda q: dh.forward(dh.table_of(robot), q), family, shares, near)


ARMS = {
    "ur10": by_table("ur10", "ur", {8: 0.78, 6: 0.046, 4: 0.144, 2: 0.03}, 1e-3),
    "kr210": by_table("kr210", "spherical_wrist", {}, 1e-3),
    "kr210_paper": by_table("kr210_paper", "spherical_wrist", {}, 1e-3),
    "weld5": by_table("weld5", "five_axis", {4: 4202 / 5000}),
    "palletizer": Arm(read_urdf(PALLETIZER), palletizer_pose, "palletizer", {}),
}
POSSIBLE = {"ur": (2, 4, 6, 8), "spherical_wrist": (4, 8)}  # numbers of solutions; else 2 or 4
each_arm = pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
SERIAL = {name: arm for name, arm in ARMS.items() if name != "palletizer"}


def random_positions(arm, seed, n):
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (arm.n, n))


@each_arm
def test_ten_thousand_random_poses_give_back_their_joints(arm):
    q = random_positions(arm, 0, 10_000)
    T = arm.forward(q)
    found = branches(arm.robot, T)
    check_branches(found, q, arm.forward, T)
    check_distinct(found)
    counts = np.bincount(found.reached.sum(axis=0), minlength=9) / 10_000
    possible = POSSIBLE.get(arm.family, (2, 4))
    assert counts[list(possible)].sum() == pytest.approx(1.0, abs=1e-12)
    assert counts[possible[-1]] > (0.1 if arm.family == "palletizer" else 0.7)
    for solutions, share in arm.shares.items():  # of 2000: four standard deviations
        assert abs(counts[solutions] - share) < 4 * np.sqrt(share * (1 - share) * 1.2 / 2000)


turns = st.integers(-8, 8).map(lambda k: np.radians(45.0 * k)) | st.floats(-6.2, 6.2)


@each_arm
@given(data=st.data())
@examples(75)
def test_any_position_is_found_from_itself(arm, data):
    q = np.array(data.draw(st.lists(turns, min_size=arm.n, max_size=arm.n)))
    answer = inverse_kinematics(arm.robot, arm.forward(q[:, None])[..., 0], near=q)
    found = np.array([solution.q for solution in answer.solutions])
    assert apart(found[:, :, None], q[:, None]).min() < arm.near
    assert all(solution.residual <= 1e-10 for solution in answer.solutions)


@pytest.mark.parametrize(
    "degrees",
    [
        (0, -45, -90, -90, 90, 0),
        (0, -90, 0, -90, 0, 0),
        (0, 0, 0, 0, 0, 0),
        (0, 0, -90, 0, 0, 0),
        (90, -90, 90, 0, 90, 0),
        (0, -90, 90, 180, 0, 0),
    ],
)
@pytest.mark.parametrize("arm", SERIAL.values(), ids=SERIAL)
def test_round_angles_are_found_and_bring_no_spurious_branch(arm, degrees):
    q = np.radians(degrees[: arm.n])
    T = arm.forward(q[:, None])
    answer = inverse_kinematics(arm.robot, T[..., 0], near=q)
    found = np.array([solution.q for solution in answer.solutions])
    assert apart(found[:, :, None], q[:, None]).min() < 1e-7
    np.testing.assert_allclose(arm.forward(found.T), T.repeat(len(found), 2), rtol=0, atol=2e-10)


@each_arm
def test_no_solution_is_missing(arm):
    rng = np.random.default_rng(4)
    T = arm.forward(random_positions(arm, 6, 6))
    hits = [check_nothing_is_missing(arm.robot, T[..., k], rng) for k in range(6)]
    assert np.mean(hits) > POSSIBLE.get(arm.family, (2, 3))[-1] / 2  # so the descent does explore


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("arm", SERIAL.values(), ids=SERIAL)
def test_the_same_arm_described_by_a_stranger_is_recognised_and_solved(arm, seed):
    robot = read_urdf(disguised(screws_of(arm.robot), np.random.default_rng(seed)), tool="tool")
    assert family_of(robot).name == arm.family
    q = random_positions(arm, seed, 500)
    T = frame_pose(robot, q)
    check_branches(branches(robot, T), q, lambda x: frame_pose(robot, x), T)
