import ctypes
import importlib.util
import math
import shutil
import subprocess

import numpy as np
import pytest

import sim
from sim.errors import ModelError, ScenarioError
from sim.robots import load_robot, read_urdf
from sim.symbolic import equations
from sim.symbolic.derivation import derive
from sim.symbolic.equations import NumericalProof, prove
from sim.symbolic.steps import Steps, steps_of
from tests.helpers.loop_robots import FourBar
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_robots import random_urdf
from tests.helpers.small_robots import double_pendulum, geared, joint, lift, link, pendulum, robot

pytest.importorskip("sympy")

G = 9.81
DOWN = (0.0, 0.0, -G)
# Of the largest entry: three formulations agree to rounding, some 100 operations an entry.
CLOSE = 1e-12


@pytest.fixture(scope="module")
def of_ur10():
    return equations(load_robot("ur10"), 3)


def states(K, seed=7, N=100):
    q, qd = np.random.default_rng(seed).uniform(-3, 3, (2, K, N))
    return q, qd


def by_pinocchio(of, q, qd):
    """M, C and g of the first K joints, all followers with their leaders, by Pinocchio."""
    S, q_0 = of.coupling
    S = S[:, : len(q)]
    model = PinocchioModel(of, DOWN)
    tree, rate = S @ q + q_0[:, None], S @ qd
    M, C = model.mass_matrix(tree), model.coriolis_matrix(tree, rate)
    reduce = "ai,abN,bj->ijN"
    return (
        np.einsum(reduce, S, M, S),
        np.einsum(reduce, S, C, S),
        S.T @ model.gravity_torque(tree),
    )


def require_same(found, wanted):
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=CLOSE * max(1.0, np.abs(other).max()))


def test_the_double_pendulum_is_that_of_the_books():
    m1, m2, l1, l2 = 1.3, 0.7, 0.8, 0.5
    found = equations(double_pendulum(m1, m2, l1, l2))
    q, qd = states(2)
    s2, c2, s12 = np.sin(q[1]), np.cos(q[1]), np.sin(q[0] + q[1])
    M, C, g = found.evaluate(q, qd)
    coupled = m2 * (l2**2 + l1 * l2 * c2)
    inertia = (m1 + m2) * l1**2 + m2 * (l2**2 + 2 * l1 * l2 * c2)
    wanted_M = [[inertia, coupled], [coupled, m2 * l2**2 + 0 * s2]]
    h = -m2 * l1 * l2 * s2
    wanted_C = [[h * qd[1], h * (qd[0] + qd[1])], [-h * qd[0], 0 * h]]
    upper, lower = (m1 + m2) * G * l1 * np.sin(q[0]), m2 * G * l2 * s12
    require_same((M, C, g), map(np.array, (wanted_M, wanted_C, [upper + lower, lower])))
    assert "sin(q1 + q2)" in found.text()  # parallel axes turn by one angle
    moment = {str(one.symbol): one for one in found.terms.constants}["h1y"]
    assert moment.value == m1 * l1  # without the second link, which the first joint moves, too
    assert moment.meaning == "∫y dm of body 1, moved by shoulder and no later joint"


@pytest.mark.parametrize(("name", "K"), [("ur10", 1), ("kr210", 2), ("irb460", 2), ("irb460", 3)])
def test_first_joints_agree_with_pinocchio(name, K):
    of = load_robot(name)
    require_same(equations(of, K).evaluate(*states(K)), by_pinocchio(of, *states(K)))


@pytest.mark.parametrize("seed", range(4))
def test_skewed_trees_with_slides_and_followers_agree_with_pinocchio(seed):
    urdf = random_urdf(np.random.default_rng(seed), 4, mimic=True)
    of = read_urdf(urdf).mounted((0.3, 0.2, 0.1), (0.4, -0.3, 0.8))
    K = min(2, len(of.joint_names))
    require_same(equations(of, K).evaluate(*states(K)), by_pinocchio(of, *states(K)))


def test_antiparallel_axes_turn_by_a_difference():
    turned = '<origin xyz="0 0.1 -0.8" rpy="3.141592653589793 0 0"/>'
    of = robot(
        link("upper", 1.0, "0 0 -0.8", "0.1 0.1 0.1"),
        link("lower", 2.0, "0 0 0.5", "0.2 0.1 0.3"),
        joint("shoulder", "revolute", "ground", "upper", "0 1 0"),
        joint("elbow", "revolute", "upper", "lower", "0 1 0", turned),
    )
    found = equations(of)
    require_same(found.evaluate(*states(2)), by_pinocchio(of, *states(2)))
    assert "q1 - q2" in found.text()


def test_a_gear_counts_its_ratio_twice():
    M, C, g = equations(geared(0.4, 0.03, 2.5), 1).evaluate([[0.3]], [[1.0]])
    assert M.item() == pytest.approx(0.4 + 0.03 * 2.5**2, rel=1e-14)
    assert (C.item(), g.item()) == (0.0, 0.0)


def test_a_lift_has_its_mass_and_its_weight():
    found = equations(lift(3.5), 1)
    assert [x.item() for x in found.evaluate([[0.2]], [[1.0]])] == [3.5, 0.0, 3.5 * G]
    assert "m1 = 3.5 kg" in found.text()


def test_the_c_code_is_compiled_and_gives_the_numbers(of_ur10, tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    for name, found in (("ur10", of_ur10), ("small", equations(lift(3.5), 1))):
        source, library = tmp_path / f"{name}.c", tmp_path / f"{name}.so"
        source.write_text(found.c(), encoding="utf-8")
        strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        subprocess.run(["gcc", *strict, "-o", library, source, "-lm"], check=True)
        function = getattr(ctypes.CDLL(str(library)), f"{name}_terms")
        K = len(found.terms.q)
        q, qd = states(K)
        entries = [[np.zeros(shape) for shape in ((K, K), (K, K), (K,))] for _ in range(q.shape[1])]
        for now, past, out in zip(q.T, qd.T, entries, strict=True):
            given = [np.ascontiguousarray(x) for x in (now, past)]
            function(*(x.ctypes.data_as(ctypes.c_void_p) for x in (*given, *out)))
        by_c = [np.stack(rows, axis=-1) for rows in zip(*entries, strict=True)]
        require_same(by_c, by_pinocchio(found.robot, q, qd))


def test_a_wrong_sign_is_not_handed_out():
    of = load_robot("kr210")
    terms = derive(of, 2)
    whole = steps_of(terms)
    for key in ("M 1 2", "C 2 1", "g 2"):
        wrong = Steps(terms, whole.auxiliary, {**whole.entries, key: -whole.entries[key]})
        with pytest.raises(ModelError, match="'kr210' are withheld"):
            prove(of, wrong)
    assert prove(of, whole).holds


def test_what_is_no_number_is_no_proof():
    assert not NumericalProof(100, math.nan, 0.0, 0.0).holds


def test_two_joints_are_in_full_and_three_are_steps(of_ur10):
    two = equations(load_robot("ur10"))
    assert "x0" not in two.text() and "x0 = " in of_ur10.text()
    assert two.latex().startswith("% M(q) qdd + C(q, qd) qd + g(q) = tau of robot ur10: q1 ")
    assert r"g_{2} &= g_{0} \left(h_{2x} \cos" in two.latex()
    assert max(map(len, two.text().splitlines())) <= 80
    assert of_ur10.steps.operations < 300  # 2800 before what occurs twice is computed once
    assert repr(two).startswith("<Equations of ur10: 2 of 6 joints")


def test_what_the_equations_leave_out_is_said():
    rubbing = pendulum(2.0, 0.7, more='<dynamics damping="0.1" friction="0.2"/>')
    found = equations(rubbing.with_springs({"hinge": sim.JointSpring(3.0)}), 1)
    assert "not included: friction of hinge; springs and stops of hinge; rotors" in found.notes[1]
    assert "elbow_joint" in equations(load_robot("ur10"), 1).notes[1]  # it stands at zero
    assert "followers are in it: " in equations(load_robot("irb460"), 1).notes[2]


def test_names_cannot_end_the_comments_of_a_file():
    evil = read_urdf(lift(1.0).text.replace('"small"', '"a*/&#10;b"'))
    found = equations(evil, 1)
    assert found.c().count("*/\n#include") == 1
    assert "void a___b_terms" in found.c()
    assert all(line.startswith("%") for line in found.latex().split(r"\begin")[0].splitlines())


@pytest.mark.parametrize(
    ("joints", "says"),
    [
        (4, "4 joints are too long to read.*--anyway"),
        (0, "'ur10' has equations of 1 to 6 joints .shoulder_pan_joint.*; got 0"),
        (7, "got 7"),
        (2.0, "whole number of joints, 1 to 6; got 2.0"),
        (True, "got True"),
    ],
)
def test_numbers_of_joints_that_are_refused(joints, says):
    with pytest.raises(ScenarioError, match=says):
        equations(load_robot("ur10"), joints)


def test_four_joints_are_derived_where_they_are_wanted():
    of = load_robot("irb460")
    found = equations(of, 4, anyway=True)
    require_same(found.evaluate(*states(4)), by_pinocchio(of, *states(4)))


def test_joints_that_a_loop_positions_are_refused_by_name():
    with pytest.raises(ModelError, match="position joints rocker_joint, coupler_joint of robot"):
        equations(FourBar().robot(), 1)


def test_without_masses_there_are_no_equations():
    urdf = lift(1.0).text.replace("<inertial>", "<unused>").replace("</inertial>", "</unused>")
    with pytest.raises(ModelError, match="slide of robot 'small' move has a mass"):
        equations(read_urdf(urdf), 1)


def test_a_robot_that_cannot_move_has_none():
    with pytest.raises(ScenarioError, match="Robot 'small' has no joint that moves"):
        equations(robot(), 1)


def test_without_sympy_the_extra_is_named(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "sympy" else found(name)
    )
    with pytest.raises(ScenarioError, match=r"pip install 'sim\[equations\]'"):
        equations(load_robot("ur10"))
