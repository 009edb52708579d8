import numpy as np
import pytest

from sim.simulation.cut_samples import FEWEST, INSTANTS, _instants


def reactions(joints, samples=1000):
    return np.random.default_rng(joints).normal(size=(joints, 6, samples))


@pytest.mark.parametrize("joints", [1, 6, 14])
def test_a_usual_robot_is_judged_evenly_and_at_every_peak(joints):
    reaction = reactions(joints)
    chosen = _instants(reaction)
    assert {0, 999} <= set(chosen)
    assert INSTANTS <= chosen.size <= INSTANTS + 2 * joints
    peaks = np.argmax(np.linalg.norm(reaction[:, :3], axis=1), axis=-1)
    assert set(peaks) <= set(chosen)


@pytest.mark.parametrize(("joints", "most"), [(20, 29), (60, FEWEST), (120, FEWEST)])
def test_a_long_tree_is_judged_at_fewer_instants_over_all_of_the_run(joints, most):
    chosen = _instants(reactions(joints))
    assert chosen.size == most
    assert chosen[0] == 0
    assert chosen[-1] == 999
    assert (np.diff(chosen) > 0).all()
