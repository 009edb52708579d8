"""Forces between markers in machine code, against the same by NumPy."""

import importlib
import sys
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np
import pytest

import sim
from sim import Bushing, Marker, Names, SForce, Spring, VForce
from sim.dynamics import (
    CountedAngle,
    ElementSum,
    LagrangianDynamics,
    MarkerForce,
    integrate,
    lagrange,
)
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.single_state import machine_code, switch
from sim.dynamics.single_state.rate import rate_of
from sim.dynamics.wrench import joint_torque
from sim.engines import EngineDynamics
from sim.engines.bullet import Bullet
from sim.errors import ScenarioError
from tests.helpers.free_paths import loose
from tests.helpers.loop_robots import at
from tests.helpers.small_robots import double_pendulum, joint, link, robot
from tests.helpers.work_counts import Calls

G = (0.0, 0.0, -9.81)
pytestmark = pytest.mark.usefixtures("compiled")


def chain():
    """A hinge, a slide across it, a ball, and a hinge askew."""
    return robot(
        *(link(name, 1.0, "0.1 0 0.2", "0.02 0.03 0.04") for name in "abcd"),
        joint("turn", "continuous", "ground", "a", "0 1 0", at("0.1 0.2 0.3", "0.3 -0.2 0.5")),
        joint("slide", "prismatic", "a", "b", "1 0 0", at("0 0 0.4")),
        joint("socket", "spherical", "b", "c", "1 0 0", at("0.2 0 0", "1 2 3")),
        joint("last", "continuous", "c", "d", "0.6 0 0.8", at("0 0.3 0")),
    )


TIP = Marker("i", "d", (0.1, 0.2, -0.1), (0.3, 0.2, 0.1))
SEAT = Marker("j", "b", (0.3, -0.2, 0.1), (-0.5, 0.4, 1.0))
WALL = Marker("wall", "world", (1.0, 0.5, 2.0), (0.1, 0.7, 0.2))
FIRST = Marker("first", "a", (0.0, 0.1, 0.0))
PIN = Marker("pin", "world", (0.1, 0.2, 0.3), (0.3, -0.2, 0.5))
POINTS = {
    "p": sim.spline([-3.0, 0.0, 1.0, 3.0], [1.0, 2.0, -1.0, 0.5]),
    "q": sim.spline([-0.5, -0.2, 0.1, 0.4], [1.0, 2.0, -1.0, 0.5], extrapolate="linear"),
    "r": sim.spline([-0.5, -0.2, 0.1, 0.4], [1.0, 2.0, -1.0, 0.5], extrapolate="parabola"),
}
NAMES = Names(
    (TIP, SEAT, WALL, FIRST, PIN),
    {"stretch": "DM(i, j) - 0.3*TIME", "twice": "2*VARVAL(stretch)"},
    splines=POINTS,
)
SUMS = {
    "distances": "DM(i, j) + DM(i)**2 - DX(i)*DY(i, wall)/DZ(i, j, first)",
    "velocities": "VR(i, j) + VM(i, wall) - VM(i, j, first)*VX(i) + VY(i, j, wall, first)/VZ(i, j)",
    "turning": "WM(i) + WM(i, j)*WX(i, j, first) - WY(i)/WZ(i, wall, i)",
    "hinges": "AY(first, pin)*3 - 0.1*AY(first, pin)**3",
    "variables": "VARVAL(twice)*SIN(4*TIME) + PI",
    "functions": "EXP(-DM(i,j)) + LOG(DM(i)) - LOG10(DM(i)) + SQRT(DM(i)) + ABS(DX(i))"
    " + TAN(DX(i)) + ATAN(DY(i)) + TANH(DZ(i)) + COSH(DX(i)) - SINH(DY(i)) + COS(DZ(i))"
    " + ASIN(TANH(DX(i))) - ACOS(TANH(DY(i))) + MIN(DX(i), DY(i))*MAX(DX(i), DZ(i))",
    "stops": "IMPACT(DM(i,j), VR(i,j), 1.5, 30, 1.5, 2, 0.1)"
    " + IMPACT(DX(i), VX(i), -3, 9, 2, 1, 0.2)"
    " + BISTOP(AY(first,pin), WX(i), -0.1, 0.1, 40, 1.2, 3, 0.05)"
    " + BISTOP(DX(i), VX(i), -9, 9, 1, 2, 1, 1)",
    "waves": "FORCOS(DX(i), 0.1, 2, 1, -3, 0.5) - FORSIN(TIME, 0.2, 3, 0.4, 2, VY(i), 1)"
    " + HAVSIN(DM(i,j), 0.2, -1, 1.9, 5) + HAVSIN(TIME, 0.1, 2, 0.3, 7)"
    " + SHF(DX(i), 0.1, 2, 3, 0.4, 1) + SWEEP(DM(i,j), 2, 0.2, 1, 2, 3, 0.4)"
    " + DIM(DX(i), DY(i))*SIGN(2, VX(i))",
    "sides": "IF(DX(i) - 0.1: 2*DM(i,j), 1, POLY(VX(i), 0.3, 1, 2, 3)) + IF(TIME - 0.3: 5, 6, 7)"
    " + IF(TIME - 1: POLY(TIME, 1, 4), 1, IF(VY(i): -1, 0, 1))",
    "whole": "AINT(9*DX(i)) - ANINT(7*DY(i)) + INT(-5*DZ(i)) + NINT(VX(i)) + MOD(5*DM(i), 0.7)"
    " + AINT(2) - ANINT(-2.5) + 3*AINT(0.3*DM(i, i))",
    "others": "CHEBY(DX(i), 0.1, 1, 2, -3, 0.5, 4, VY(i), 1)"
    " + ATAN2(DX(i), DY(i)) + INCANG(i, j, wall)"
    " + DELAY(SIN(7*TIME), 0.1, 2) + DELAY(TIME**2, 3, 5) + IMPACT(DX(i), VX(i), 9, 4, 1, 1, 2)"
    " + IMPACT(DX(i), VX(i), -9, 4, 0.5, 1, 2) + IMPACT(DY(i), 1, 9, 4, DM(i), 1, 2)",
    "angles": "AX(i) - 2*AY(i, wall)*AZ(j, i)",
    "splines": "CUBSPL(DX(i), 0, p) - AKISPL(9*DY(i), 0, p, 1)*INTERP(DZ(i), 1, p)"
    " + CUBSPL(8*DX(i), 0, q)*AKISPL(-7*DX(i), 0, q, 1) - INTERP(6*DY(i), 3, q, 2)"
    " + CUBSPL(8*DX(i), 0, r) - AKISPL(-7*DX(i), 0, r, 1) + INTERP(6*DY(i), 1, r)",
    "steps": "STEP(DM(i,j), 0.2, 1, 0.9, 5) + STEP5(DX(i), -2, 3, 2, -1) - STEP(TIME, 0, 0, 1, 7)",
}
LAG = sim.States(Names((), states={"lag": "1 - DIF(lag)"}))
ELEMENTS = {
    **{name: SForce("s", TIP, SEAT, text, names=NAMES) for name, text in SUMS.items()},
    "rotational": SForce("s", TIP, SEAT, "3*DM(i, j)", acts="rotational"),
    "action only": SForce("s", TIP, SEAT, "3*DM(i, j)", action_only=True),
    "on the world": SForce("s", WALL, TIP, "-30*(DM(wall, i) - 0.2)"),
    "spring": Spring("s", TIP, SEAT, stiffness=30.0, damping=2.0, free_length=0.1, preload=5.0),
    "spring through points": Spring("s", TIP, SEAT, force=POINTS["p"], damping=2.0),
    "hard spring": Spring("s", TIP, SEAT, force="-800*x-3e4*x**3", damping=2.0, free_length=0.6),
    "vector": VForce("s", TIP, SEAT, ("DX(i)", 2.0, "VY(i, j)"), (1.0, "WX(i)", 0.5), along=WALL,
                     names=NAMES),
    "bushing": Bushing("s", TIP, SEAT, stiffness=(1.0, 2.0, 3.0), damping=0.5, turning_damping=0.2,
                       preload=(4.0, 5.0, 6.0)),
    "stiff bushing": Bushing("s", TIP, SEAT, turning_stiffness=(1.0, 2.0, 3.0)),
}  # fmt: skip


def states(count):
    rng = np.random.default_rng(5)
    plant = chain()
    return plant, *rng.uniform(-1.2, 1.2, (2, len(plant.coordinates), count))


@pytest.mark.parametrize("kind", ELEMENTS)
def test_each_force_is_as_by_numpy(kind):
    from sim.dynamics.single_state.marker_loads import marker_loads

    plant, q, qd = states(3)
    loads = ElementSum(plant, (ELEMENTS[kind],))
    fast = marker_loads(loads)
    assert fast is not None and fast.rest is None
    now = fast.workspace()
    for k, time in enumerate((0.0, 0.4, 2.0)):
        wanted, wrenches = loads(np.array([time]), q[:, [k]], qd[:, [k]], np.empty((0, 1)))
        wanted = wanted + joint_torque(plant, q[:, [k]], wrenches)
        assert now.fill(time, q[:, k].copy(), qd[:, k].copy(), np.empty(0))
        size = np.abs(wanted).max()
        np.testing.assert_allclose(now.torque, wanted[:, 0], rtol=0, atol=1e-12 * size)
        assert [one.link for one in now.wrenches] == [one.link for one in wrenches]
        for one, other in zip(now.wrenches, wrenches, strict=True):
            for rows in ("force", "torque", "place"):
                pair = getattr(one, rows), getattr(other, rows)
                np.testing.assert_allclose(*pair, rtol=0, atol=1e-12 * size)


def test_without_numba_the_kernels_are_a_program_that_finds_the_same_arrays(monkeypatch):
    from sim.dynamics.single_state.marker_loads import marker_loads

    plant, q, qd = states(1)
    now = marker_loads(ElementSum(plant, (ELEMENTS["bushing"],))).workspace()
    at = 0.3, q[:, 0].copy(), qd[:, 0].copy(), np.empty(0)
    assert now.fill(*at)
    wanted = now.torque.copy()
    now.torque[:] = np.nan
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(sim.dynamics, "kernels", None)
    for name in [name for name in sys.modules if name.startswith("sim.dynamics.kernels")]:
        monkeypatch.delitem(sys.modules, name)
    plain = importlib.import_module("sim.dynamics.kernels.marker_forces")
    assert plain.act_between_markers(now.work, *at)
    np.testing.assert_allclose(now.torque, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_where_an_if_switches_right_now_numpy_is_asked():
    from sim.dynamics.single_state.marker_loads import marker_loads

    plant, q, qd = states(1)
    fast = marker_loads(ElementSum(plant, (ELEMENTS["sides"],)))
    assert fast is not None
    now = fast.workspace()
    assert not now.fill(0.3, q[:, 0].copy(), qd[:, 0].copy(), np.empty(0))


TURNED = [CountedAngle(name, TIP, other, 0.0) for name, other in
          (("AX", SEAT), ("AY", WALL), ("AZ", Marker("origin", "world")))]  # fmt: skip


def test_angles_have_the_turns_of_their_states_as_by_numpy():
    from sim.dynamics.single_state.marker_loads import marker_loads

    plant, q, qd = states(1)
    text = "AX(i, j) - 2*AY(i, wall)*AZ(i) + AZ(j)"
    turning = SForce("s", TIP, SEAT, text, acts="rotational", names=NAMES)
    loads, z = ElementSum(plant, (turning, *TURNED)), np.array([[20.0], [-9.0], [31.0]])
    wanted, wrenches = loads(np.zeros(1), q, qd, z)
    wanted = wanted + joint_torque(plant, q, wrenches)
    near = loads(np.zeros(1), q, qd, 0 * z)[1][0]
    assert np.abs(near.torque - wrenches[0].torque).max() > 100.0  # they are some turns away
    fast = marker_loads(loads)
    assert fast is not None and fast.rest is None
    now = fast.workspace()
    assert now.fill(0.0, q[:, 0].copy(), qd[:, 0].copy(), z[:, 0].copy())
    np.testing.assert_allclose(now.torque, wanted[:, 0], rtol=1e-12, atol=1e-12 * 300)
    np.testing.assert_allclose(now.rates, loads.rate(np.zeros(1), q, qd, z)[:, 0], rtol=1e-12)


def test_next_to_other_states_the_rates_of_angles_are_left_to_numpy():
    from sim.dynamics.single_state.marker_loads import marker_loads

    plant, q, qd = states(1)
    names = replace(NAMES, shared=("lag",))
    turning = SForce("s", TIP, SEAT, "AX(i, j)*DIF(lag) - AZ(i)", names=names)
    loads = ElementSum(plant, (LAG, turning, *TURNED))
    z = np.array([[0.7], [20.0], [-9.0], [31.0]])
    wanted, wrenches = loads(np.zeros(1), q, qd, z)
    wanted = wanted + joint_torque(plant, q, wrenches)
    fast = marker_loads(loads)
    assert fast is not None and fast.forces == (turning,)
    assert fast.rest is not None and fast.rest.states == 4
    now = fast.workspace()
    assert now.fill(0.0, q[:, 0].copy(), qd[:, 0].copy(), z[:, 0].copy()) and not now.rates.size
    np.testing.assert_allclose(now.torque, wanted[:, 0], rtol=1e-12, atol=1e-12 * 30)


def test_forces_read_others_before_they_act():
    from sim.dynamics.single_state.marker_loads import marker_loads

    plant, q, qd = states(1)
    pull, turn, push = (
        ELEMENTS["spring"],
        replace(ELEMENTS["bushing"], name="t"),
        SForce("p", WALL, FIRST, "3*DM(wall, first)", action_only=True),
    )
    text = "SFORCE(s, 0, 1, 0)*SFORCE(t, 1, 6, wall) + SFORCE(t, 0, 3, i) - SFORCE(t, 1, 5, 0)"
    names = Names((WALL, TIP), {"v": f"{text} + SFORCE(p, 0, 4, wall) + SFORCE(p, 1, 1, 0)"},
                  forces=(pull, turn, push))  # fmt: skip
    reading = SForce("r", TIP, SEAT, "VARVAL(v)", names=names)
    loads = ElementSum(plant, (reading, pull, push, replace(turn)))  # one is read as an equal force
    wanted, wrenches = loads(np.zeros(1), q, qd, np.empty((0, 1)))
    wanted = wanted + joint_torque(plant, q, wrenches)
    fast = marker_loads(loads)
    assert fast is not None and fast.forces[:4] == (pull, turn, push, reading)
    now = fast.workspace()
    assert len(now.wrenches) == len(wrenches)
    assert now.fill(0.0, q[:, 0].copy(), qd[:, 0].copy(), np.empty(0))
    size = np.abs(wanted).max()
    np.testing.assert_allclose(now.torque, wanted[:, 0], rtol=0, atol=1e-12 * size)


def test_what_reads_a_force_that_is_switched_is_left_to_numpy():
    from sim.dynamics.single_state.program_table import python_function

    pull = replace(ELEMENTS["bushing"], switched=(0.5,))
    names = Names(forces=(pull,))
    reading = SForce("r", TIP, SEAT, "SFORCE(s, 0, 1, 0)", names=names)
    assert python_function(reading) == "SFORCE" and not python_function(pull)


@pytest.fixture
def rates(monkeypatch):
    """The rate of the solver's state in a mechanism, by machine code and by NumPy."""

    def both(*elements):
        plant, q, qd = states(1)
        loads = ElementSum(plant, elements) if elements else None
        mechanism = Mechanism(LagrangianDynamics(plant, G), loose(q[:, 0], qd[:, 0]), loads)
        still = FrictionModes(np.zeros(len(q), dtype=bool), np.zeros(len(q)))
        found = []
        for setting in "10":
            monkeypatch.setenv(switch.SWITCH, setting)
            found.append(rate_of(mechanism, still)(0.1, mechanism.start()))
        return found

    monkeypatch.setattr(switch, "is_installed", lambda: True)
    return both


@pytest.mark.parametrize("kinds", [(), ("spring",), ("vector", "spline"), ("bushing",)])
def test_a_robot_with_a_ball_accelerates_as_by_numpy(kinds, rates):
    points = {"p": sim.spline([-3.0, 0.0, 1.0, 3.0], [1.0, 2.0, -1.0, 0.5])}
    others = {
        "spline": SForce("t", TIP, WALL, "AKISPL(DX(i), 0, p)", names=Names((), {}, (), points))
    }
    fast, numpy = rates(*({**ELEMENTS, **others}[kind] for kind in kinds))
    np.testing.assert_allclose(fast, numpy, rtol=0, atol=1e-12 * np.abs(numpy).max())


def test_a_pendulum_on_a_spring_swings_as_by_numpy_and_keeps_its_energy(monkeypatch):
    monkeypatch.setattr(switch, "is_installed", lambda: True)
    plant, t = double_pendulum(1.5, 0.8, 0.6, 0.9), np.linspace(0.0, 0.2, 5)
    spring = Spring("s", Marker("i", "lower", (0, 0, -0.9)), WALL, stiffness=40.0, preload=3.0)
    loads, answers, march = ElementSum(plant, (spring,)), [], machine_code.march

    def noted(*given):
        answers.append(march(*given))
        return answers[-1]

    monkeypatch.setattr(machine_code, "march", noted)
    found = []
    for setting in "10":
        monkeypatch.setenv(switch.SWITCH, setting)
        path = loose([1.2, -0.5])
        found.append(integrate([(0.0, LagrangianDynamics(plant, G))], path, t, loads))
    assert len(answers) == 1 and answers[0] is not None
    fast, numpy = found
    for name in ("q", "qd", "works.external"):
        pair = map(attrgetter(name), (fast, numpy))
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-9, err_msg=name)
    model = lagrange.terms(plant, fast.q, fast.qd, G)
    stored = spring.stored_energy(loads.at(t, fast.q, fast.qd))
    energy = model.ke.sum(axis=0) + model.pe.sum(axis=0) + stored
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-9)  # J of some 40


def test_markers_at_one_point_are_named_as_by_numpy(rates):
    center = Marker("center", "c"), Marker("hub", "b", (0.2, 0.0, 0.0))
    with pytest.raises(ScenarioError, match=r"are at one point at t = 0\.1 s"):
        rates(SForce("s", *center, "2"))


def test_an_engine_gets_wrenches_at_places_without_any_pose_by_numpy(monkeypatch):
    pytest.importorskip("pybullet")
    monkeypatch.setattr(switch, "is_installed", lambda: True)
    plant = double_pendulum(1.5, 0.8, 0.6, 0.9)
    tip = Marker("tip", "lower", (0, 0, -0.9))
    force = SForce("pull", tip, WALL, "-40*(DM(tip, wall) - 0.4) - VR(tip, wall)")
    loads, path = ElementSum(plant, (force,)), loose([1.2, -0.5])
    still, found = FrictionModes(np.zeros(2, dtype=bool), np.zeros(2)), []
    with Bullet(plant, G) as engine:
        for setting in "10":
            monkeypatch.setenv(switch.SWITCH, setting)
            mechanism = Mechanism(EngineDynamics(engine), path, loads)
            rate, y = rate_of(mechanism, still), mechanism.start()
            rate(0.0, y)
            with Calls() as seen:
                found.append(rate(0.1, y + 1e-3))
            assert bool(seen.own["body_poses"]) == (setting == "0")
            assert seen.own["wrenches"] == (0 if setting == "1" else 2)
    np.testing.assert_allclose(*found, rtol=0, atol=1e-11 * np.abs(found[1]).max())


@dataclass(frozen=True, eq=False)
class Drag(MarkerForce):
    """A user's element that gives its law as a string and nothing else."""

    name: str
    i: Marker
    j: Marker
    law: str = "-3*VR(i, j)*ABS(VR(i, j))"

    @property
    def components_on_i(self):
        return self.parse_law(self.law)


def test_an_element_of_a_user_with_a_string_runs_in_machine_code_as_a_shipped_one(monkeypatch):
    monkeypatch.setenv(switch.SWITCH, "1")
    arm, t = double_pendulum(1.0, 0.5, 0.4, 0.3), np.linspace(0.0, 0.5, 51)
    i, j = Marker("i", "lower", (0.1, 0.0, -0.3)), Marker("j", "world", (0.4, 0.2, 0.1))
    own = ElementSum(arm, (Drag("drag", i, j),))
    shipped = ElementSum(arm, (SForce("drag", i, j, Drag.law, names=Names((i, j))),))
    path, dynamics = loose([1.0, 0.5]), LagrangianDynamics(arm, G)
    mechanism = Mechanism(dynamics, path, own)
    loads = machine_code.machine_loads(mechanism)
    assert loads is not None and loads.forces == own.elements and loads.rest is None
    found, wanted = (integrate([(0.0, dynamics)], path, t, one) for one in (own, shipped))
    np.testing.assert_array_equal(found.q, wanted.q)
    channels, expected = (one.channels(one.at(t, found.q, found.qd)) for one in (own, shipped))
    assert set(channels) == {"force.drag.f", "length.drag"}
    for name, rows in expected.items():
        np.testing.assert_array_equal(channels[name], rows)
    monkeypatch.setenv(switch.SWITCH, "0")
    with Calls() as seen:
        integrate([(0.0, dynamics)], path, t[:2], own)
    assert seen.own["values_on_i"] > 10 and not seen.own["parse_law"]  # it is parsed once


def test_a_law_of_another_number_of_expressions_is_refused():
    class Wrong(Drag):
        components_on_i = property(lambda self: self.parse_law("1", "2"))

    for _ in range(2):
        with pytest.raises(ScenarioError, match="its law has 2 expressions; give 1, the force"):
            _ = Wrong("wrong", TIP, SEAT).law_on_i
