"""Whether all solutions are listed, and whether the answer says so rightly."""

import numpy as np

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import inverse_kinematics
from sim.maths import pose
from sim.robots import read_urdf
from tests.helpers.axes_robot import urdf_of_axes
from tests.helpers.inverse_checks import apart

# shoulder at a point, wrist 0.15 m aside: every solution has a mirror
OFFSET_WRIST = urdf_of_axes(
    np.array([(0, 0, 1), (0, 1, 0), (0, -1, 0), (-1, 0, 0), (0, -1, 0), (-1, 0, 0)], float),
    np.array([(0, 0, 0.245)] * 2 + [(0, 0, 0.955)] * 2 + [(0.54, -0.15, 0.955)] * 2),
    pose(None, (0.7, -0.15, 0.955)),
)


def mirror(q):
    return np.array([q[0] + np.pi, -q[1], np.pi - q[2], q[3] + np.pi, q[4], q[5]])


def test_an_offset_wrist_has_every_mirrored_solution_and_the_one_it_was_made_from():
    robot = read_urdf(OFFSET_WRIST, tool="tool")
    rng = np.random.default_rng(5)
    for _ in range(15):
        q = rng.uniform(-np.pi, np.pi, 6)
        answer = inverse_kinematics(robot, frame_pose(robot, q[:, None])[..., 0])
        assert (answer.is_complete, answer.root_count, answer.degree) == (True, 16, 16)
        found = np.array([s.q for s in answer.solutions]).T
        for wanted in [q, *(mirror(s.q) for s in answer.solutions)]:
            assert apart(found, wanted[:, None]).min() < 1e-7  # rad
