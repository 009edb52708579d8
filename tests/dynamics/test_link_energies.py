"""Energies handed from body to body against Pinocchio and against the Jacobians of `terms`."""

import numpy as np
import pytest

from sim.dynamics import lagrange
from sim.robots import read_urdf
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_robots import random_urdf

GRAVITY = (1.0, -2.0, -9.0)


@pytest.mark.parametrize("joints", [1, 6, 30])
@pytest.mark.parametrize("branching", [False, True])
def test_all_links_together_have_the_energies_of_pinocchio(joints, branching):
    rng = np.random.default_rng(joints)
    robot = read_urdf(random_urdf(rng, joints, branching=branching, mimic=branching))
    q, qd = rng.uniform(-2, 2, (2, len(robot.joint_names), 6))
    _, ke, pe = lagrange.energies(robot, q, qd, GRAVITY)
    model = PinocchioModel(robot, GRAVITY)
    wanted = model.energies(*robot.on_tree(q, qd))
    for found, total in zip((ke, pe), wanted, strict=True):
        rounding = 1e-12 * max(np.abs(total).max(), np.abs(found).max())
        np.testing.assert_allclose(found.sum(axis=0), total, rtol=0, atol=rounding)


def test_passes_join_without_a_seam():
    rng = np.random.default_rng(8)
    robot = read_urdf(random_urdf(rng, 5, branching=True, mimic=True))
    q, qd = rng.uniform(-2, 2, (2, len(robot.joint_names), 9000))
    _, ke, pe = lagrange.energies(robot, q, qd, GRAVITY)
    for k in (0, 3199, 3200, 8999):
        _, one_ke, one_pe = lagrange.energies(robot, q[:, k : k + 1], qd[:, k : k + 1], GRAVITY)
        np.testing.assert_allclose(ke[:, k], one_ke[:, 0], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(pe[:, k], one_pe[:, 0], rtol=1e-12, atol=1e-13)


def test_no_sample_and_no_energy():
    robot = read_urdf(random_urdf(np.random.default_rng(2), 4))
    n = len(robot.joint_names)
    links, ke, pe = lagrange.energies(robot, np.zeros((n, 0)), np.zeros((n, 0)))
    assert ke.shape == pe.shape == (len(links), 0)


def test_energy_of_rest_is_zero_and_never_less():
    rng = np.random.default_rng(4)
    robot = read_urdf(random_urdf(rng, 6))
    n = len(robot.joint_names)
    q = rng.uniform(-3, 3, (n, 500))
    assert not lagrange.energies(robot, q, np.zeros((n, 500)))[1].any()
    assert (lagrange.energies(robot, q, rng.normal(size=(n, 500)))[1] >= 0).all()
