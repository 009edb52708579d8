"""Poses, Jacobians and their derivatives against Pinocchio's own reading of the same URDF."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given

from sim.kinematics import frame_pose, jacobian, jacobian_rate
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import World, in_random_states, worlds

CLOSE = 1e-12  # relative to the largest entry, or 1
REFERENCES = {
    "geometric": pin.LOCAL_WORLD_ALIGNED,
    "spatial": pin.WORLD,
    "body": pin.LOCAL,
}


def jacobians(world: World, link: str, reference):
    """Pinocchio's Jacobian and its derivative of a link's frame, both (6, n, N)."""
    oracle = PinocchioModel(world.robot, world.gravity)
    model, data, order = oracle.model, oracle.data, oracle.order
    frame = model.getFrameId(link, pin.FrameType.BODY)
    found = []
    for q, qd in zip(world.q.T, world.qd.T, strict=True):
        placed = np.zeros((2, model.nv))
        placed[:, order] = q, qd
        pin.computeJointJacobiansTimeVariation(model, data, *placed)
        pin.forwardKinematics(model, data, *placed)
        pin.updateFramePlacements(model, data)
        both = [
            pin.getFrameJacobian(model, data, frame, reference),
            pin.getFrameJacobianTimeVariation(model, data, frame, reference),
        ]
        found.append([J[:, order] for J in both])
    return np.moveaxis(np.array(found), 0, -1)


def compare(world: World, link: str):
    for kind, reference in REFERENCES.items():
        J, Jd = jacobians(world, link, reference)
        for ours, theirs in (
            (jacobian(world.robot, world.q, link, kind), J),
            (jacobian_rate(world.robot, world.q, world.qd, link, kind), Jd),
        ):
            size = max(1.0, np.abs(theirs).max(initial=0.0))
            assert np.abs(ours - theirs).max(initial=0.0) < CLOSE * size, (kind, link)


@pytest.mark.parametrize("name", ["ur10", "kr210", "kr210_paper", "weld5"])
def test_shipped_robots_have_the_jacobians_of_pinocchio(name):
    robot = load_robot(name).mounted((0.1, 0.2, 0.3), (0.4, -0.5, 0.6))
    world = in_random_states(robot, (0, 0, 0), 3, 20)
    compare(world, "tool0")
    T = np.array(PinocchioModel(robot, (0, 0, 0)).frame_motion("tool0", world.q, world.qd)[:12])
    found = frame_pose(robot, world.q)
    np.testing.assert_allclose(found[:3, :3].reshape(9, -1), T[:9], rtol=0, atol=CLOSE)
    np.testing.assert_allclose(found[:3, 3], T[9:], rtol=0, atol=CLOSE)


@given(worlds(states=2))
def test_any_tree_has_the_jacobians_of_pinocchio(world):
    for link in world.robot.links[1:]:
        compare(world, link.name)
