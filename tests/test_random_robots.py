import mujoco
import numpy as np
import pinocchio
import pytest

from tests.helpers.random_robots import random_state, random_urdf


@pytest.mark.parametrize("n", [1, 2, 5, 12])
@pytest.mark.parametrize("branching", [True, False])
def test_pinocchio_and_mujoco_read_well_conditioned_robots(n, branching):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        text = random_urdf(rng, n, branching=branching)
        model = pinocchio.buildModelFromXML(text)
        assert model.nv == n
        assert mujoco.MjModel.from_xml_string(text).nv == n
        M = pinocchio.crba(model, model.createData(), random_state(rng, n)[0])
        assert np.linalg.cond(M) < 1e6


def test_a_seed_gives_the_same_robot_again():
    first, again, other = (random_urdf(np.random.default_rng(seed), 4) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_the_switches_switch():
    rng = np.random.default_rng(0)
    plain = random_urdf(rng, 12, branching=False, prismatic=False, fixed=False)
    assert plain.count('type="revolute"') == 12
    assert "mimic" not in plain
    assert "prismatic" not in plain
    assert "fixed" not in plain
    rich = random_urdf(rng, 12, mimic=True)
    for word in ("mimic", "prismatic", "fixed"):
        assert word in rich
