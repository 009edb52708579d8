"""Seven joints: all solutions with one of them locked, against Pinocchio and random starts."""

import numpy as np

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import inverse_kinematics
from sim.kinematics.inverse.numerical import descend
from sim.kinematics.inverse.redundant import SphericalShoulder, seven_joints_of
from sim.maths import pose
from sim.robots import read_urdf
from tests.helpers.axes_robot import urdf_of_axes
from tests.helpers.inverse_checks import apart

# Franka Panda: axes and points at zero, from its published Denavit-Hartenberg table
PANDA = urdf_of_axes(
    np.array(
        [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (0, -1, 0), (0, 0, -1)], float
    ),
    np.array(
        [
            (0, 0, 0.333),
            (0, 0, 0.333),
            (0, 0, 0.649),
            (0.0825, 0, 0.649),
            (0, 0, 1.033),
            (0, 0, 1.033),
            (0.088, 0, 1.033),
        ]
    ),
    pose(None, (0.088, 0, 0.926)),
)
Q = np.array([0.3, -0.5, 0.4, -1.9, 0.6, 1.8, 0.7])


def test_an_arm_of_seven_joints_has_all_solutions_at_the_start_of_its_locked_joint():
    robot = read_urdf(PANDA, tool="tool")
    T = frame_pose(robot, Q[:, None])
    answer = inverse_kinematics(robot, T[..., 0], near=Q)
    np.testing.assert_allclose(answer.solutions[answer.nearest].q, Q, rtol=0, atol=1e-9)
    assert not answer.is_complete
    assert (answer.locked, answer.root_count) == ("joint_3", answer.degree)
    q = np.array([s.q for s in answer.solutions]).T
    assert (q[2] == Q[2]).all()
    # a search with joint 3 held finds no other solution
    fixed = PANDA.replace('name="joint_3" type="revolute"', 'name="joint_3" type="fixed"')
    held = read_urdf(fixed, tool="tool")
    assert len(held.joint_names) == 6
    zero = read_urdf(PANDA, tool="tool")
    T_held = frame_pose(zero, np.where(np.arange(7) == 2, 0.0, Q)[:, None])
    listed = inverse_kinematics(zero, T_held[..., 0], near=np.zeros(7))
    listed = np.delete(np.array([s.q for s in listed.solutions]).T, 2, axis=0)
    starts = np.random.default_rng(0).uniform(-np.pi, np.pi, (6, 150))
    fit = descend(held, None, T_held, starts, bounded=False)
    for column in fit.q[:, fit.error.residual <= 1e-10].T:
        assert apart(listed, column[:, None]).min() < 1e-5  # rad


def test_where_the_start_has_no_solution_inside_the_limits_the_locked_joint_is_swept():
    text = PANDA.replace('lower="-6.2832" upper="6.2832"', 'lower="-2.5" upper="2.5"')
    robot = read_urdf(text, tool="tool")
    T = frame_pose(robot, Q[:, None])[..., 0]
    near = np.where(np.arange(7) == 2, 2.4, Q)
    answer = inverse_kinematics(robot, T, near=near)
    assert answer.nearest is not None
    assert answer.solutions[answer.nearest].inside_limits


def test_an_arm_on_a_rail_is_solved_with_the_rail_locked():
    axes = [(1, 0, 0), (0, 0, 1), (0, 1, 0), (0, -1, 0), (-1, 0, 0), (0, -1, 0), (-1, 0, 0)]
    shoulder, elbow, wrist = (0, 0, 0.245), (0, 0, 0.955), (0.54, -0.15, 0.955)
    points = np.array([(0, 0, 0.1), shoulder, shoulder, elbow, elbow, wrist, wrist])
    T_0e = pose(None, (0.7, -0.15, 0.955))
    text = urdf_of_axes(np.array(axes, float), points, T_0e, "prrrrrr")
    robot = read_urdf(text, tool="tool")
    assert seven_joints_of(robot).locked == 0
    q = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    answer = inverse_kinematics(robot, frame_pose(robot, q[:, None])[..., 0], near=q)
    assert (answer.locked, answer.root_count) == ("joint_1", 16)
    np.testing.assert_allclose(answer.solutions[answer.nearest].q, q, rtol=0, atol=1e-9)


def iiwa(shoulder_offset=0.0):
    """KUKA LBR iiwa 7: three axes that intersect, an elbow, three axes that intersect."""
    axes = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1)]
    points = [(0, 0, z) for z in (0.34, 0.34, 0.34, 0.74, 1.14, 1.14, 1.14)]
    points[1] = (shoulder_offset, 0, 0.34)
    return urdf_of_axes(np.array(axes, float), np.array(points), pose(None, (0, 0, 1.266)))


IIWA = iiwa()


def test_an_arm_with_spherical_shoulder_and_wrist_has_all_solutions_of_its_locked_joint():
    robot = read_urdf(IIWA, tool="tool")
    held = read_urdf(
        IIWA.replace('name="joint_3" type="revolute"', 'name="joint_3" type="fixed"'), tool="tool"
    )
    rng = np.random.default_rng(5)
    for q in rng.uniform(-2, 2, (6, 7)):
        T = frame_pose(robot, q[:, None])[..., 0]
        answer = inverse_kinematics(robot, T, near=q)
        np.testing.assert_allclose(answer.solutions[answer.nearest].q, q, rtol=0, atol=1e-9)
        assert (answer.family, answer.locked, answer.is_complete) == (
            "spherical_shoulder",
            "joint_3",
            False,
        )
        assert answer.completeness.endswith("(with joint_3 at one position: closed form)")
        q[2] = 0.0
        T = frame_pose(robot, q[:, None])
        listed = np.array([s.q for s in inverse_kinematics(robot, T[..., 0]).solutions]).T
        assert listed.shape[1] == 8
        assert (np.abs(frame_pose(robot, listed) - T).max(axis=(0, 1)) < 1e-9).all()
        fit = descend(held, None, T, rng.uniform(-np.pi, np.pi, (6, 60)), bounded=False)
        for column in fit.q[:, fit.error.residual <= 1e-10].T:
            assert apart(np.delete(listed, 2, axis=0), column[:, None]).min() < 1e-5  # rad


def test_a_straight_arm_with_a_spherical_shoulder_keeps_its_free_joints_at_the_start():
    robot = read_urdf(IIWA, tool="tool")
    T = pose(None, (0, 0, 1.266))  # all axes but two are vertical
    near = np.array([0.1, 0, 0.2, 0, 0.3, 0, -0.6])
    answer = inverse_kinematics(robot, T, near=near)
    np.testing.assert_allclose(answer.solutions[answer.nearest].q, near, rtol=0, atol=1e-7)


def test_an_arm_whose_shoulder_is_nearly_spherical_is_none():
    assert isinstance(seven_joints_of(read_urdf(IIWA, tool="tool")).arm, SphericalShoulder)
    chain = seven_joints_of(read_urdf(iiwa(1e-3), tool="tool"))
    assert chain is None or not isinstance(chain.arm, SphericalShoulder)
