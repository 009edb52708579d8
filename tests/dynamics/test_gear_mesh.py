"""Which gears drive and which are driven: one pattern of signs fits, and it is found."""

from itertools import product

import numpy as np
import pytest

from sim.dynamics import gear_mesh

JOINTS, STATES = 5, 200


@pytest.fixture(scope="module")
def problem():
    """Random mass matrices, rotors from none to far heavier, torques, and hardly any efficiency."""
    rng = np.random.default_rng(11)
    L = rng.normal(size=(STATES, JOINTS, JOINTS))
    links = L @ L.transpose(0, 2, 1) + 0.01 * np.eye(JOINTS)
    rotors = rng.choice([0.0, 0.1, 3.0, 50.0], size=JOINTS)
    bias, motor = rng.normal(0, 10, (2, JOINTS, STATES))
    efficiency = rng.uniform(0.02, 1.0, (2, JOINTS))
    sense = rng.choice([-1.0, 1.0], JOINTS)
    return links, rotors, bias, motor, efficiency, sense


def solved(problem):
    links, rotors, bias, motor, efficiency, sense = problem
    compliance = np.linalg.inv(links + np.diag(rotors))  # answers to unit torques
    free = np.einsum("Nij,jN->iN", compliance, motor - bias)
    y_0 = motor - rotors[:, None] * free
    carried = rotors[:, None, None] * np.moveaxis(compliance, 0, -1)
    return gear_mesh._solve(y_0, carried, sense, efficiency, np.zeros(STATES))


def brute_force(problem, k):
    """Every y that solves ``M qdd + h = E y``, ``y = u - A qdd`` in a pattern that it fits."""
    links, rotors, bias, motor, efficiency, sense = problem
    found = []
    for pattern in product([True, False], repeat=JOINTS):
        E = np.where(pattern, efficiency[0], 1 / efficiency[1])
        qdd = np.linalg.solve(links[k] + np.diag(E * rotors), E * motor[:, k] - bias[:, k])
        y = motor[:, k] - rotors * qdd
        if ((y * sense > 0) == np.array(pattern)).all():
            found.append(y)
    return found


def test_one_pattern_fits_and_it_is_the_one_that_is_found(problem):
    y, _ = solved(problem)
    for k in range(0, STATES, 10):
        (only,) = brute_force(problem, k)
        np.testing.assert_allclose(y[:, k], only, rtol=1e-9, atol=1e-9)


def test_the_way_that_must_end_ends_there_too(problem, monkeypatch):
    """With one sign changed at a time from the start."""
    wanted, _ = solved(problem)
    monkeypatch.setattr(gear_mesh, "AT_ONCE", 0)
    np.testing.assert_allclose(solved(problem)[0], wanted, rtol=1e-9, atol=1e-9)
