"""The equations of every kind of loop, against Pinocchio's frames and twists, and their rates."""

from dataclasses import replace

import numpy as np
import pytest

from sim.errors import ScenarioError
from sim.kinematics.loop_equations import loop_bias, loop_equations
from sim.robots import LOOP_KINDS, Loop, read_urdf
from tests.helpers import small_robots as small
from tests.helpers.loop_robots import random_loop
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_robots import random_urdf

STEP = 1e-4  # [s]; leaves STEP⁴ / 30 of fifth derivatives, and 1e-16 / STEP of rounding
DIFFERENCE = 1e-10  # of the largest entry


@pytest.fixture(params=sorted(LOOP_KINDS))
def case(request):
    """A branching tree with a loop of each kind, and joint positions along a parabola of time."""
    rng = np.random.default_rng(sorted(LOOP_KINDS).index(request.param))
    tree = read_urdf(random_urdf(rng, 7, branching=True)).mounted(rng.uniform(-1, 1, 3), (1, 2, 3))
    loop = random_loop(rng, request.param, [tree.links[3].name, tree.links[-1].name])
    q, qd, qdd = rng.uniform(-1, 1, (3, len(tree.joint_names), 1))
    t = STEP * np.arange(-2, 3)
    return replace(tree, loops=(loop,)), q + qd * t + qdd * t**2 / 2, qd + qdd * t, qdd


def difference(rows):
    """First derivative in the middle of five samples, exact to the fourth power of the step."""
    return (8 * (rows[:, 3] - rows[:, 1]) - (rows[:, 4] - rows[:, 0])) / (12 * STEP)


def test_errors_are_those_of_the_two_frames_by_pinocchio(case):
    robot, q, qd, _ = case
    (loop,) = robot.loops
    oracle, frames = PinocchioModel(robot, (0, 0, 0)), []
    for link, R_l, p_l in (
        (loop.link_a, loop.frame_a, loop.point_a),
        (loop.link_b, loop.frame_b, loop.point_b),
    ):
        rows = oracle.frame_motion(link, q, qd)
        R = rows[:9].reshape(3, 3, -1)
        frames.append(
            (np.einsum("abN,bc->acN", R, R_l), rows[9:12] + np.einsum("abN,b->aN", R, p_l))
        )
    (R_a, p_a), (R_b, p_b) = frames
    p, R = np.einsum("baN,bN->aN", R_a, p_b - p_a), np.einsum("baN,bcN->acN", R_a, R_b)
    place = {"xyz"[k]: k for k in range(3)}
    wanted = [p[place[c]] for c in LOOP_KINDS[loop.kind].along]
    wanted += [R[place[u], place[w]] for u, w in LOOP_KINDS[loop.kind].square]
    wanted += [R[0, 1] - R[1, 0]] * LOOP_KINDS[loop.kind].is_untwisted
    wanted += [np.sqrt(np.sum(p**2, axis=0)) - 0.7] if loop.kind == "rod" else []
    turns = [False] * len(LOOP_KINDS[loop.kind].along) + [False] * (loop.kind == "rod")
    turns += [True] * len(LOOP_KINDS[loop.kind].turns)
    if LOOP_KINDS[loop.kind].has_function:
        x_b, z_b = R[:, 0], R[:, 2]
        about = np.arctan2(-z_b[1], z_b[2]), np.arctan2(z_b[0], z_b[2]), np.arctan2(x_b[1], x_b[0])
        read = np.sum(p**2, axis=0) - 0.3 * p[0] * np.sin(p[2]) + 0.2 * about[0] * p[1]
        wanted += [read - about[1] + about[2]]
        turns += [False]
    found = loop_equations(robot, q)
    np.testing.assert_allclose(found.e, wanted, rtol=0, atol=1e-13)  # [m or rad]
    assert found.are_turns.tolist() == turns


def test_gradients_and_biases_are_the_rates_of_the_errors(case):
    robot, q, qd, qdd = case
    found = loop_equations(robot, q)
    rate = np.einsum("rnN,nN->rN", found.J, qd)
    scale = 1 + np.abs(found.J).max() * np.abs(qd).max()
    np.testing.assert_allclose(rate[:, 2], difference(found.e), rtol=0, atol=DIFFERENCE * scale)
    second = loop_bias(robot, q, qd)[:, 2] + found.J[..., 2] @ qdd[:, 0]
    size = scale * (1 + np.abs(qd).max() ** 2)
    np.testing.assert_allclose(second, difference(rate), rtol=0, atol=DIFFERENCE * size)


def test_a_wrench_of_each_equation_works_as_its_gradient_says(case):
    """Virtual work by Pinocchio's twists: D · (v_b - v_a) at point b + M · (w_b - w_a) = J qd."""
    robot, q, qd, _ = case
    (loop,) = robot.loops
    oracle = PinocchioModel(robot, (0, 0, 0))
    rows = {link: oracle.frame_motion(link, q, qd) for link in (loop.link_a, loop.link_b)}
    R_b, p_b = rows[loop.link_b][:9].reshape(3, 3, -1), rows[loop.link_b][9:12]
    point = p_b + np.einsum("abN,b->aN", R_b, loop.point_b)
    v, w = {}, {}
    for link, row in rows.items():
        w[link] = row[15:18]
        v[link] = row[12:15] + np.cross(w[link], point - row[9:12], axis=0)
    found = loop_equations(robot, q)
    power = np.einsum("raN,aN->rN", found.D, v[loop.link_b] - v[loop.link_a])
    power += np.einsum("raN,aN->rN", found.M, w[loop.link_b] - w[loop.link_a])
    np.testing.assert_allclose(np.einsum("rnN,nN->rN", found.J, qd), power, rtol=0, atol=1e-12)


def turned(kind, angle, function="AZ(b,a)"):
    """A loop that reads AZ of a link that a joint of some kind turns about z by an angle."""
    bar = small.robot(small.link("bar", 1.0), small.joint("turn", kind, "ground", "bar", "0 0 1"))
    axes = {"axis_a": (0, 0, 1), "axis_b": (0, 0, 1), "across_a": (1, 0, 0), "across_b": (1, 0, 0)}
    own = Loop(
        "own", "ground", (0, 0, 0), "bar", (0, 0, 0), kind="function", function=function, **axes
    )
    q = [[angle]] if kind == "continuous" else [[0.0], [0.0], [angle]]
    return loop_equations(replace(bar, loops=(own,)), np.array(q)).e[0, 0]


def test_an_angle_counts_the_turns_of_hinges_and_jumps_nowhere():
    for angle in (3.0, 3.5, 20.0, -40.0):
        assert turned("continuous", angle) == pytest.approx(angle, abs=1e-13)


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        ("AZ(b,a) - 19.5", 0.5),
        ("(AZ(b,a) - 19.5)*(2 + DX(b,a,a))", 1.0),
        ("SIN(3*AZ(b,a)) + COS(AZ(b,a))", np.sin(60) + np.cos(20)),
    ],
)
def test_a_closed_loop_says_the_turns_of_an_angle_that_no_hinges_count(function, wanted):
    assert turned("spherical", 20.0, function) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("function", ["AZ(b,a)**2", "AZ(b,a) + 2*AX(b,a)"])
def test_an_angle_whose_turns_are_not_said_does_not_jump(function):
    assert np.isfinite(turned("spherical", 3.0, function))
    with pytest.raises(ScenarioError, match="AZ in the function of a loop comes to half a turn"):
        turned("spherical", 3.14, function)
