"""Slopes of force elements by their laws, against eighth-order differences of their torques."""

import numpy as np
import pytest

import sim
from sim import Bushing, GroundContact, Marker, Names, SForce, Spring, Stop, VForce
from sim.dynamics import ElementSum
from sim.dynamics.element_slopes import ElementStates, roughness, side_numbers, slopes_along
from sim.dynamics.joint_forces import joint_elements
from sim.dynamics.small_motions import displace
from sim.errors import ScenarioError
from sim.robots import read_urdf
from tests.helpers.differences import central_difference
from tests.helpers.random_robots import random_urdf
from tests.helpers.small_robots import joint, lift, link, pendulum, robot

STEP = 1e-3  # rad, m and per second: step⁸ of truncation, 1e-13 of rounding over the step
NEAR = 1e-9  # of the largest slope


def forces_on(links):
    """One force of each kind between two links, with all kinds of readings."""
    first, second = links
    i, j = Marker("i", first, (0.1, -0.2, 0.3), (0.3, 0.2, -0.4)), Marker("j", second, (-0.2, 0, 1))
    k = Marker("k", first, (0.3, 0.1, 0), (1, 0.5, 0))
    points = sim.spline([-9.0, -1, 0, 2, 9], [4.0, 1, 0, -3, -8], "akima")
    spring = Spring("spring", i, j, stiffness=30.0, damping=2.0, free_length=0.2, preload=3.0)
    names = Names(
        (i, j, k),
        variables={"stretch": "DM(i, j) + 0.1*DX(i, j, k)*VY(i, j, k, k)"},
        forces=(spring,),
        splines={"points": points},
    )
    speeds = "VR(i, j) + VM(i, j, k)*WZ(i, j, k) - WM(i) + VX(i)*VZ(k, i)"
    return (
        spring,
        Spring("drawn", j, k, force=points),
        Spring("written", j, k, force="-3*x - MAX(x, -4)**3", damping=0.3),
        SForce("one", i, j, f"-3*VARVAL(stretch)**2 + {speeds} + 2*TIME*DY(j)", names=names),
        SForce("turn", i, j, "-4*SIN(AZ(k, j)) - SFORCE(spring, 1, 7, k)", acts="rotational",
               names=names),
        SForce("only", k, i, "CUBSPL(DZ(k, j, i), 0, points)*COS(AY(i, k))", action_only=True,
               names=names),
        VForce("six", i, j, ("DX(i, j, k)", "-5*DY(i, j, k)**2", "WX(i, j, k)"),
               ("INCANG(j, i, k)", "VZ(i, j, k)", "SFORCE(spring, 0, 1, 0)"), along=k, names=names),
        Bushing("bush", i, j, stiffness=(1, 2, 3), damping=0.4, turning_stiffness=(3, 1, 2),
                turning_damping=0.2, preload=2.0, turning_preload=(0, 1, 0)),
        sim.Force(first, force=("3", "20*time", "-1"), at=(0.1, 0, 0.4), axes=second),
        GroundContact(first, stiffness=40.0, exponent=1.5, damping=3.0, depth=40.0, height=9.0,
                      radius=0.3, at=(0.2, 0, 0), normal=(0.1, 0.2, 1), mu_static=0.4,
                      mu_dynamic=0.3, stiction_velocity=50.0),
        GroundContact(second, stiffness=40.0, height=9.0, mu_static=0.4, mu_dynamic=0.1,
                      stiction_velocity=0.01),
    )  # fmt: skip


def chain_with_ball():
    return robot(
        link("arm", 1.0, "0.2 0 0", "1 1 1"),
        link("hand", 1.0, "0.2 0 0", "1 1 1"),
        link("slider", 1.0, "0.2 0 0", "1 1 1"),
        joint("turn", "revolute", "ground", "arm", "0 0.6 0.8"),
        joint("wrist", "spherical", "arm", "hand", "0 0 1", '<origin xyz="0.4 0 0.1"/>'),
        joint("slide", "prismatic", "hand", "slider", "1 0 0", '<origin xyz="0.1 0.2 0"/>'),
    )


ROBOTS = {
    "ball": (chain_with_ball, ("slider", "arm")),
    "tree": (lambda: read_urdf(random_urdf(np.random.default_rng(5), 6)), ("link_5", "link_3")),
    "mimic": (
        lambda: read_urdf(random_urdf(np.random.default_rng(8), 6, mimic=True)),
        ("link_6", "link_2"),
    ),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_slopes_are_the_derivatives_of_the_torques(name):
    """At two moving states, over positions and over speeds, along skewed small motions."""
    make, links = ROBOTS[name]
    of, rng = make(), np.random.default_rng(3)
    n = len(of.coordinates)
    elements = ElementSum(of, forces_on(links))
    q, qd = rng.uniform(-0.6, 0.6, (n, 2)), rng.uniform(-0.7, 0.7, (n, 2))
    at = ElementStates(np.array([0.3, 0.5]), q, qd, np.empty((0, 2)))
    Z = rng.uniform(-1, 1, (n, 3, 2))
    for one in elements.elements:
        alone = ElementSum(of, (one,))
        for over in ("q", "qd"):
            found = slopes_along(alone, at, Z, over)

            def torque(s, alone=alone, over=over):
                columns = []
                for column in range(3):
                    small = s * Z[:, column]
                    moved = (displace(of, q, small), qd) if over == "q" else (q, qd + small)
                    columns.append(alone.torque(alone.at(at.t, *moved)))
                return np.stack(columns, axis=1)

            wanted = central_difference(torque, 0.0, STEP)
            size = max(np.abs(wanted).max(), 1.0)
            np.testing.assert_allclose(
                found, wanted, rtol=0, atol=NEAR * size, err_msg=one.title(of)
            )


SWITCHES = {
    "MIN(0, -50*{x})": (0.0, -50.0),
    "MAX(-50*{x}, -80*{x})": (-80.0, -50.0),
    "IF({x}: -20*{x}, 0, -50*{x})": (-20.0, -50.0),
    "-50*ABS({x})": (50.0, -50.0),
    "-DIM({x}, 0)*50": (0.0, -50.0),
    "INTERP({x}, 1, kinked)": (-3.0, -7.0),
    "IMPACT(-{x}, -VZ(i), 0, 50, 1.0, 3, 0.1)*-1": (0.0, -50.0),
    "-BISTOP(-{x}, 0, 0, 9, 50, 1.0, 0, 0.1)": (0.0, -50.0),
}


@pytest.mark.parametrize("law", SWITCHES)
@pytest.mark.parametrize("away", [-1e-9, 0.0, 1e-9])
def test_slopes_are_those_of_the_side_where_the_state_is(law, away):
    """A nanometre before a corner, behind it, and in it."""
    i, j = Marker("i", "load"), Marker("j", "ground", (0, 0, -0.25))
    names = Names((i,), splines={"kinked": sim.spline([-2, -1, 0, 1, 2], [6, 3, 0, -7, -14])})
    force = SForce("f", i, j, law.format(x="(DZ(i, j) - 0.5)"), names=names)
    elements = ElementSum(lift(2.0), (force,))
    at = ElementStates(np.zeros(1), np.array([[0.25 + away]]), np.zeros((1, 1)), np.empty((0, 1)))
    Z, (before, behind) = np.ones((1, 1, 1)), SWITCHES[law]
    wanted = {-1: before, 0: 0.5 * (before + behind), 1: behind}[int(np.sign(away))]
    assert slopes_along(elements, at, Z, "q")[0, 0, 0] == pytest.approx(wanted, rel=1e-12)
    rough = list(roughness(elements, at, Z))
    if away:
        assert rough == []
    else:
        (one,) = rough
        assert (one.behind, one.ahead) == pytest.approx((before, behind))
        assert (one.of, one.jump) == ("q", 0.0)
        sides = [slopes_along(elements, at, Z, "q", side)[0, 0, 0] for side in (-1, 1)]
        assert sides == pytest.approx([before, behind])


def test_sides_part_what_a_switch_parts():
    i, j = Marker("i", "load"), Marker("j", "ground")
    names = Names((i, j), variables={"low": "MAX(DZ(i, j), 0.1)"})
    other = SForce("other", i, j, "STEP(DZ(i, j), 0.3, 0, 0.4, 1)")
    read = SForce("read", i, j, "VARVAL(low) + SFORCE(other, 0, 4, 0)",
                  names=Names(names.markers, names.variables, (other,)))  # fmt: skip
    stopped = lift(2.0).with_stops({"slide": Stop(1e4, lower=0.5, upper=0.6)})
    elements = ElementSum(stopped, (*joint_elements(stopped), read))
    q = np.array([[0.05, 0.2, 0.35, 0.45, 0.55, 0.65]])
    numbers = side_numbers(elements, ElementStates(np.zeros(6), q, 0 * q, np.empty((0, 6))))
    assert len({tuple(column) for column in numbers.T}) == 6
    same = side_numbers(
        elements, ElementStates(np.zeros(6), 0.35 + 0.01 * q, 0 * q, np.empty((0, 6)))
    )
    assert (same == same[:, :1]).all()


def test_a_jump_has_no_slope_and_is_named():
    i, j = Marker("i", "load"), Marker("j", "ground")
    rub = SForce("rub", i, j, "-5*SIGN(1, VZ(i, j))", action_only=True)
    elements = ElementSum(lift(2.0), (rub,))
    at = ElementStates(np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1)), np.empty((0, 1)))
    (one,) = roughness(elements, at, np.ones((1, 1, 1)))
    assert (one.of, one.jump, one.ahead, one.behind) == ("qd", 10.0, 0.0, 0.0)


def test_an_infinite_slope_is_refused_by_name():
    i, j = Marker("i", "bob", (0, 0, -1)), Marker("j", "ground", (0, 0, -1))
    root = SForce("root", i, j, "-SQRT(ABS(AY(i, j)))", acts="rotational")
    elements = ElementSum(pendulum(1.0, 1.0), (root,))
    at = ElementStates(np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1)), np.empty((0, 1)))
    with pytest.raises(ScenarioError, match="SForce 'root': its value or derivative is not finite"):
        slopes_along(elements, at, np.ones((1, 1, 1)), "q")


def test_a_time_that_switches_now_has_switched():
    i, j = Marker("i", "load"), Marker("j", "ground")
    late = SForce("late", i, j, "IF(TIME - 0.3: 0, 0, -50*DZ(i, j))", action_only=True)
    elements = ElementSum(lift(2.0), (late,))
    for t, wanted in ((0.3 - 1e-12, 0.0), (0.3, -50.0)):
        at = ElementStates(np.array([t]), np.ones((1, 1)), np.zeros((1, 1)), np.empty((0, 1)))
        assert slopes_along(elements, at, np.ones((1, 1, 1)), "q")[0, 0, 0] == wanted
