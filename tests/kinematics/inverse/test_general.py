"""All solutions of six hinges, against Pinocchio and searches from many random starts.

Each arm is solved at 300 random poses, of which a run of the suite takes a part; all:
``pytest tests/kinematics/inverse/test_general.py``.
"""

from dataclasses import replace

import numpy as np
import pytest

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse.elimination import ASSIGNMENTS
from sim.kinematics.inverse.general import free_joints, settle, solve_poses
from sim.kinematics.inverse.joint_axes import displacement
from sim.kinematics.inverse.numerical import descend
from sim.kinematics.inverse.roots import Roots, empty_roots, gather
from sim.kinematics.inverse.six_joints import six_joints_of
from sim.kinematics.jacobian import jacobian
from tests.helpers.general_arms import SHIPPED, TABLES, general_arm
from tests.helpers.inverse_checks import apart
from tests.helpers.pinocchio_model import PinocchioModel

PARTS, POSES = 30, 10
STARTS = 200


def solve(robot, T):
    """Positions (6, m) and roots of each pose of T (4, 4, N)."""
    chain = six_joints_of(robot)
    _, found = solve_poses(chain.arm, chain.displacements(T))
    return [chain.positions(one.q, np.zeros(6)) for one in found], found


def pinocchio_poses(robot, q):
    rows = PinocchioModel(robot, (0, 0, 0)).frame_motion(robot.tool, q, 0 * q)
    return rows[:9].reshape(3, 3, -1), rows[9:12]


@pytest.mark.rotates(PARTS)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", [*SHIPPED, *TABLES])
def test_every_solution_of_a_random_pose_is_there(name, part):
    robot = general_arm(name)
    rng = np.random.default_rng(part)
    q = rng.uniform(-np.pi, np.pi, (6, POSES))
    T = frame_pose(robot, q)
    positions, found = solve(robot, T)
    for k, (solutions, one) in enumerate(zip(positions, found, strict=True)):
        assert one.is_complete, (k, one.count)
        assert one.count == one.degree
        assert one.degree == (8 if name in SHIPPED else 16) or (
            "errors" in name and one.degree == 8
        )
        assert apart(solutions, q[:, k, None]).min() < 1e-6  # rad
        R, p = pinocchio_poses(robot, solutions)
        np.testing.assert_allclose(p, T[:3, 3, k, None] + 0 * p, rtol=0, atol=1e-12)  # m
        np.testing.assert_allclose(R, T[:3, :3, k, None] + 0 * R, rtol=0, atol=1e-12)
    starts = rng.uniform(-np.pi, np.pi, (6, STARTS))
    fit = descend(robot, None, T[:, :, :1], starts, bounded=False)
    met = fit.q[:, fit.error.residual <= 1e-10]
    assert met.size
    for column in met.T:
        assert apart(positions[0], column[:, None]).min() < 1e-5  # rad


def vertical(robot, rng):
    """The tool axis along axis 1, as on most tables; None: the positions are not known."""
    chain = six_joints_of(robot)
    T = frame_pose(robot, rng.uniform(-np.pi, np.pi, (6, 1)))[..., 0]
    axis6, axis1 = chain.T_0e[:3, :3].T @ chain.arm.axes.h[5], chain.arm.axes.h[0]
    along = T[:3, :3] @ axis6
    half = along + axis1
    R = 2 * np.outer(half, half) / (half @ half) - np.eye(3)  # half a turn: swaps both
    T[:3, :3] = R @ T[:3, :3]
    return T, None


def straight_wrist(robot, rng):
    """Joint 5 at zero."""
    q = rng.uniform(-np.pi, np.pi, 6)
    q[4] = 0
    return frame_pose(robot, q[:, None])[..., 0], q


def fold(robot, rng):
    """The Jacobian singular: two solutions are one."""
    while True:
        q = np.repeat(rng.uniform(-np.pi, np.pi, (6, 1)), 60, axis=1)
        q[2] = np.linspace(-np.pi, np.pi, 60)
        size = np.linalg.det(np.moveaxis(jacobian(robot, q), -1, 0))
        (changes,) = np.nonzero(size[1:] * size[:-1] < 0)
        if changes.size:
            a, b = q[:, changes[0]].copy(), q[:, changes[0] + 1].copy()
            for _ in range(60):
                middle = (a + b) / 2
                if np.linalg.det(jacobian(robot, middle[:, None])[..., 0]) * size[changes[0]] > 0:
                    a = middle
                else:
                    b = middle
            return frame_pose(robot, a[:, None])[..., 0], a


@pytest.mark.rotates(5)
@pytest.mark.parametrize("special", [vertical, straight_wrist, fold])
@pytest.mark.parametrize("name", TABLES)
def test_at_special_poses_all_means_all(name, special):
    robot = general_arm(name)
    rng = np.random.default_rng(21)
    complete = 0
    for _ in range(4):
        T, q = special(robot, rng)
        (solutions,), (one,) = solve(robot, T[..., None])
        complete += one.is_complete
        if q is not None:
            assert (
                apart(solutions, q[:, None]).min() < 1e-4
            )  # rad; a double root has half the digits
        if one.is_complete:
            starts = rng.uniform(-np.pi, np.pi, (6, 60))
            fit = descend(robot, None, T[..., None], starts, bounded=False)
            for column in fit.q[:, fit.error.residual <= 1e-11].T:
                assert apart(solutions, column[:, None]).min(initial=9) < 1e-3  # rad
    assert complete >= 3


@pytest.mark.parametrize(
    "name", ["offset wrist", "UR10 with errors of 0.3 mm and 1 mrad", "puma560"]
)
def test_a_poor_elimination_is_never_called_complete_without_a_solution(name):
    """Most of the 36 ways to eliminate lose roots of a special arm; the count tells."""
    chain = six_joints_of(general_arm(name))
    q = np.random.default_rng(3).uniform(-np.pi, np.pi, (2, 6))
    G = displacement(chain.arm.axes, q)[0]
    _, best = solve_poses(chain.arm, G)
    lost = 0
    for assignment in ASSIGNMENTS[::2]:
        arm = replace(chain.arm, assignments=(assignment,))
        _, found = solve_poses(arm, G, nudges=0)
        for one, whole in zip(found, best, strict=True):
            lost += len(one.q) < len(whole.q)
            assert whole.is_complete
            assert not one.is_complete or len(one.q) == len(whole.q)
    assert lost > 0


def test_a_continuum_is_not_complete_whatever_the_count():
    """Joint 5 of a PUMA at zero: joints 4 and 6 turn about one axis."""
    chain = six_joints_of(general_arm("puma560"))
    q = np.array([[0.3, -0.4, 0.5, 0.6, 0.0, 0.7]])
    G = displacement(chain.arm.axes, q)[0]
    roots = empty_roots(1).with_roots(
        np.array([0]),
        Roots(q[None] + 0j, np.array([[8]]), np.array([[1e-12]]), np.array([[0.0]])),
    )
    (found,) = settle(chain.arm, G, roots, np.array([True]))
    assert (found.count, found.has_continuum, found.is_complete) == (8, True, False)
    assert free_joints(chain.arm, found.q[0]).tolist() == [False, False, False, True, False, True]


def test_a_root_found_twice_counts_twice_only_where_its_jacobian_is_singular():
    axes = six_joints_of(general_arm("UR10 with errors of 0.3 mm and 1 mrad")).arm.axes
    regular, singular = np.full(6, 0.3), np.full(6, -0.7)
    q = np.array([regular, regular, singular, singular]) + 0j
    sigma = np.array([0.1, 0.1, 0.0, 0.0])  # by the implicit function theorem 0.1 is a simple root
    roots = gather(axes, q, np.zeros(4, dtype=np.intp), 1, sigma, np.zeros(4))
    np.testing.assert_array_equal(roots.times, [[1, 2]])
    np.testing.assert_array_equal(roots.q[0], [regular, singular])
