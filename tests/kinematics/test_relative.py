import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given

from sim.errors import ModelError
from sim.kinematics.relative import relative_motion
from sim.maths import pose, rotation_from_rpy
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import in_random_states, worlds

WEIGHTLESS = (0.0, 0.0, 0.0)
FIXED = pose(rotation_from_rpy([0.3, -0.7, 2.0]), [0.4, -1.0, 0.6])
CLOSE = 1e-12  # [m], [rad] and per rad: rounding over a few metres


def ur10():
    robot = load_robot("ur10").mounted((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    return in_random_states(robot, WEIGHTLESS, 7, 6)


def unpacked(motion):
    return motion[:9].reshape(3, 3, -1), motion[9:12], motion[12:15], motion[15:]


def by_pinocchio(world, frame, reference, qd):
    """Pose of the frame in the reference and its velocity seen from there, from two poses and
    twists in the world: Pinocchio's own SE3 and Motion do the change of frames."""
    oracle = PinocchioModel(world.robot, WEIGHTLESS)
    R_e, p_e, v_e, w_e = unpacked(oracle.frame_motion(frame, world.q, qd))
    if isinstance(reference, str):
        R_r, p_r, v_r, w_r = unpacked(oracle.frame_motion(reference, world.q, qd))
    else:
        states = world.q.shape[1]
        R_r, p_r = (np.repeat(x[..., None], states, -1) for x in (FIXED[:3, :3], FIXED[:3, 3]))
        v_r, w_r = np.zeros((2, 3, states))
    found = []
    for k in range(world.q.shape[1]):
        T_r, T_e = pin.SE3(R_r[..., k], p_r[:, k]), pin.SE3(R_e[..., k], p_e[:, k])
        twist_r = pin.Motion(R_r[..., k].T @ v_r[:, k], R_r[..., k].T @ w_r[:, k])
        twist_e = pin.Motion(R_e[..., k].T @ v_e[:, k], R_e[..., k].T @ w_e[:, k])
        T = T_r.actInv(T_e)
        body = twist_e - T.actInv(twist_r)  # of e relative to r, in e
        seen = [T.rotation @ body.linear, T.rotation @ body.angular]
        found.append((T.rotation, T.translation, np.concatenate(seen)))
    return [np.stack(part, axis=-1) for part in zip(*found, strict=True)]


def assert_is_what_pinocchio_says(world, frame, reference, size=1.0):
    seen = relative_motion(world.robot, frame, reference, world.q)
    frame = frame or world.robot.tool
    for i, direction in enumerate(np.eye(len(world.robot.joint_names))):
        qd = np.repeat(direction[:, None], world.q.shape[1], 1)
        R, p, twist = by_pinocchio(world, frame, reference, qd)
        np.testing.assert_allclose(seen.J[:, i], twist, rtol=0, atol=CLOSE * size)
    np.testing.assert_allclose(seen.R, R, rtol=0, atol=CLOSE * size)
    np.testing.assert_allclose(seen.p, p, rtol=0, atol=CLOSE * size)


def assert_rate_is_the_derivative(world, frame, reference):
    h = 1e-5  # error of the central difference: h² times a third derivative, about 1e-9 per metre
    ahead, behind = (
        relative_motion(world.robot, frame, reference, world.q + x * world.qd).J for x in (h, -h)
    )
    found = relative_motion(world.robot, frame, reference, world.q, world.qd).Jd
    expected = (ahead - behind) / (2 * h)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-8 * max(1, np.abs(expected).max()))


REFERENCES = {"a pose": FIXED, "a link that moves": "forearm_link", "the base": "base_link"}


@given(worlds(most=8, states=2))
def test_any_link_of_any_tree_seen_from_any_other_moves_as_pinocchio_says(world):
    first, middle, last = (world.robot.links[k].name for k in (1, len(world.robot.links) // 2, -1))
    for frame, reference in ((last, first), (middle, last), (last, FIXED)):
        assert_is_what_pinocchio_says(world, frame, reference, size=20.0)  # up to 20 m long


@given(worlds(most=8, states=2))
def test_the_rate_is_the_derivative_of_the_jacobian_for_any_tree(world):
    first, middle, last = (world.robot.links[k].name for k in (1, len(world.robot.links) // 2, -1))
    for frame, reference in ((last, first), (middle, last), (last, FIXED)):
        assert_rate_is_the_derivative(world, frame, reference)


def test_a_link_does_not_move_as_seen_from_itself():
    world = ur10()
    seen = relative_motion(world.robot, "forearm_link", "forearm_link", world.q, world.qd)
    np.testing.assert_allclose(seen.R, np.eye(3)[..., None] + 0 * seen.R, rtol=0, atol=1e-15)
    for still in (seen.p, seen.J, seen.Jd):
        assert np.abs(still).max() < 1e-14


def test_without_velocities_the_rate_is_zero():
    world = ur10()
    for reference in REFERENCES.values():
        assert not relative_motion(world.robot, None, reference, world.q).Jd.any()


@pytest.mark.parametrize(("frame", "reference"), [("elbow", FIXED), (None, "elbow")])
def test_an_unknown_link_is_named(frame, reference):
    world = ur10()
    with pytest.raises(ModelError, match="'elbow'"):
        relative_motion(world.robot, frame, reference, world.q)
