"""Solutions along a path, against all roots of each pose and Pinocchio."""

import numpy as np
import pytest

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import follow
from sim.kinematics.inverse.general import solve_poses
from sim.kinematics.inverse.six_joints import six_joints_of
from sim.kinematics.inverse.tracks import find_tracks
from tests.helpers.general_arms import general_arm
from tests.helpers.pinocchio_model import PinocchioModel

N = 240


def wandering(name, seed=5):
    """An arm and a smooth motion of its joints, (6, N)."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, N)
    middle, swing, speed = (rng.uniform(*ends, (6, 1)) for ends in ((-2, 2), (-1, 1), (0.3, 1)))
    return general_arm(name), middle + swing * np.sin(2 * np.pi * t * speed)


@pytest.mark.parametrize("name", ["two offsets in the wrist", "random 2"])
def test_solutions_are_born_and_die_along_a_path(name):
    robot, q = wandering(name)
    chain = six_joints_of(robot)
    G = chain.displacements(frame_pose(robot, q))
    tracks = find_tracks(chain.arm, G)
    alive = np.zeros(N, int)
    for track in tracks:
        alive[track.start : track.start + len(track.q)] += 1
        steps = np.abs(chain.arm.axes.wrap(np.diff(np.array(track.q), axis=0)))
        assert steps.max(initial=0) < 0.5  # rad; as a root does beside a fold, but no jump
    _, found = solve_poses(chain.arm, G[::7])
    assert [len(one.q) for one in found] == alive[::7].tolist()
    assert len(set(alive.tolist())) > 1  # some were born or died
    model = PinocchioModel(robot, (0, 0, 0))
    for track in tracks:
        positions = chain.positions(np.array(track.q), np.zeros(6))
        rows = model.frame_motion(robot.tool, positions, 0 * positions)[9:12]
        reached = frame_pose(robot, q)[:3, 3, track.start : track.start + len(track.q)]
        np.testing.assert_allclose(rows, reached, rtol=0, atol=1e-11)  # m


@pytest.mark.parametrize("name", ["offset wrist", "UR10 with errors of 0.3 mm and 1 mrad"])
def test_a_path_that_the_arm_has_run_is_followed(name):
    robot, q = wandering(name)
    path = follow(robot, frame_pose(robot, q), near=q[:, 0])
    assert path.is_possible
    np.testing.assert_allclose(path.q, q, rtol=0, atol=1e-8)  # rad


def test_another_start_is_taken_where_the_nearest_solution_dies():
    """From far away the nearest start may end at a fold; another one has the whole path."""
    robot, q = wandering("two offsets in the wrist")
    T = frame_pose(robot, q)
    path = follow(robot, T, near=np.full(6, 0.1))
    assert path.is_possible
    chain = six_joints_of(robot)
    dead = [t for t in find_tracks(chain.arm, chain.displacements(T)) if len(t.q) < N]
    assert any(track.start == 0 for track in dead)


def test_beyond_reach_a_path_waits_and_goes_on():
    robot = general_arm("offset wrist")
    T = np.repeat(frame_pose(robot, np.full((6, 1), 0.3)), 60, axis=2)
    T[:3, 3] *= 1 + 0.9 * np.sin(np.linspace(0, np.pi, 60))
    path = follow(robot, T)
    assert not path.is_possible
    assert path.reached[0]
    assert not path.reached.all()
