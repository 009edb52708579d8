"""What decays in microseconds: a loose part on a steel beam, a block on a hard plate."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import sim
from sim.decks import deck_model
from sim.dynamics import step_choice
from tests.helpers.solved_models import solved

LENGTH, SIDE, E, MASS, INERTIA, GRAVITY = 0.4, 0.01, 2.07e11, 1.0, 0.002, 9.80665
BENDING, RATIO = E * SIDE**4 / 12, 0.01
BEAM = f"""a loose part on a beam
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/11, PART = 1
PART/2, MASS = {MASS}, CM = 21, IP = {INERTIA}, {INERTIA}, {INERTIA}
MARKER/21, PART = 2, QP = {LENGTH}, 0, 0
ACCGRAV/KGRAV = {-GRAVITY}
BEAM/1, I = 21, J = 11, LENGTH = {LENGTH}, AREA = {SIDE**2}, IXX = {SIDE**4 / 6}
, IYY = {SIDE**4 / 12}, IZZ = {SIDE**4 / 12}, EMODULUS = {E}, GMODULUS = 8E10, CRATIO = {RATIO}
END
"""


def sinking(t):
    """z and the turn about y: M x'' + K (x + c x') = -m g, by the matrix exponential."""
    K = BENDING / LENGTH**3 * np.array([[12, 6 * LENGTH], [6 * LENGTH, 4 * LENGTH**2]])
    inverse = np.diag([1 / MASS, 1 / INERTIA])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ K, -RATIO * inverse @ K]])
    rest = np.append(np.linalg.solve(K, [-MASS * GRAVITY, 0.0]), [0.0, 0.0])
    return np.transpose([rest - expm(A * time) @ rest for time in t])


def test_it_sinks_as_its_equations_say_and_lies_as_a_cantilever(monkeypatch):
    steps, solver = [], step_choice.ImplicitSteps
    step = solver.step
    monkeypatch.setattr(solver, "step", lambda self: (steps.append(1), step(self))[1])
    columns = solved(deck_model(BEAM).scenario(5.0, 0.05))
    wanted = sinking(columns.t)
    for row, name in enumerate(("PART_2_z", "PART_2_ball.y")):
        np.testing.assert_allclose(columns[f"q.{name}"], wanted[row], atol=1e-13)
        np.testing.assert_allclose(columns[f"qd.{name}"], wanted[2 + row], atol=1e-11)
    sag = MASS * GRAVITY * LENGTH**3 / (3 * BENDING)
    assert columns["q.PART_2_z"].to_numpy()[-1] == pytest.approx(-sag, rel=1e-12)
    assert len(steps) < 200  # an explicit solver takes 860 000


@pytest.mark.parametrize(("duration", "dt"), [(2e-3, 1e-4), (0.04, 4e-3)])
def test_the_engine_s_rounding_is_not_amplified_by_its_stiffness(duration, dt):
    """Nothing moves along the beam but rounding: explicit steps at the end of their stability
    kept it at 8e-12 m/s, which is 4e-6 m/s² there."""
    run = sim.run(deck_model(BEAM).scenario(duration, dt))
    assert [check for check in run.run.checks if not check.ok] == []
    assert np.abs(run.recorded["qdd.PART_2_x"]).max() < 1e-8
    np.testing.assert_allclose(run.recorded["q.PART_2_z"], sinking(run.t)[0], atol=1e-14)


HARD, DAMPED, GAP = 1e7, 5e4, 1e-5  # N/m^1.5, N s/m, m
BLOCK_AND_PLATE = """UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/11, PART = 1
PART/2, MASS = 2, CM = 21, IP = 1, 1, 1
MARKER/21, PART = 2
PART/3, MASS = 1, CM = 31, IP = 1, 1, 1, QG = 0, 0, 0.01
MARKER/31, PART = 3
JOINT/1, TRANSLATIONAL, I = 21, J = 11
JOINT/2, TRANSLATIONAL, I = 31, J = 21
"""
PLATE = f"""a block falls on a plate that goes up and down
{BLOCK_AND_PLATE}MOTION/1, TRANSLATIONAL, JOINT = 1, FUNCTION = 0.005*SIN(20*TIME)
SFORCE/1, TRANSLATIONAL, I = 31, J = 21
, FUNCTION = IMPACT(DM(31,21), VR(31,21), 0.005, {HARD}, 1.5, {DAMPED}, {GAP})
ACCGRAV/KGRAV = {-GRAVITY}
END
"""


def pressed(x, v):
    """IMPACT of a gap of 5 mm: K p^1.5 - STEP(p, 0, 0, d, C) v, and never less than zero."""
    p = max(0.005 - x, 0.0)
    share = min(p / GAP, 1.0)
    return max(HARD * p**1.5 - DAMPED * share**2 * (3 - 2 * share) * v, 0.0)


def test_a_block_that_comes_to_lie_on_a_hard_plate_is_solved_by_implicit_steps(monkeypatch):
    steps, solver = [], step_choice.ImplicitSteps
    step = solver.step
    monkeypatch.setattr(solver, "step", lambda self: (steps.append(self.t), step(self))[1])
    columns = solved(deck_model(PLATE).scenario(0.2, 0.01))

    def rate(t, y):
        lift = -0.005 * 400 * np.sin(20 * t)
        return y[1], pressed(*y) - GRAVITY - lift

    times, start = columns.t, (0.01, -0.1)  # at rest in the world, seen from the plate
    wanted = solve_ivp(rate, (0, 0.2), start, "Radau", times, rtol=1e-10, atol=1e-13).y
    np.testing.assert_allclose(columns["q.JOINT_2"], wanted[0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(columns["qd.JOINT_2"], wanted[1], rtol=0, atol=1e-6)
    assert 0.02 < steps[0] < 0.1 and len(steps) < 100


STIFFNESS, LIFTED, UNTIL = 1e8, 0.01, 4.0  # N/m, m, s
SPRUNG = f"""a block on a damped spring is lifted by a plate, which then stands
{BLOCK_AND_PLATE}MOTION/1, TRANSLATIONAL, JOINT = 1, FUNCTION = STEP(TIME, 0, 0, {UNTIL}, {LIFTED})
SFORCE/1, TRANSLATIONAL, I = 31, J = 21
, FUNCTION = -{STIFFNESS}*(DM(31,21) - 0.01) - 4000*VR(31,21)
ACCGRAV/KGRAV = {-GRAVITY}
END
"""


def test_implicit_steps_go_on_behind_a_corner_of_a_drive(monkeypatch):
    steps, solver = [], step_choice.ImplicitSteps
    step = solver.step
    monkeypatch.setattr(solver, "step", lambda self: (steps.append(self.t), step(self))[1])
    columns = solved(deck_model(SPRUNG).scenario(4.7, 0.1))
    t = columns.t[1:]
    lift = np.where(t < UNTIL, LIFTED * (6 / UNTIL**2 - 12 * t / UNTIL**3), 0.0)
    resting = t != UNTIL  # there the acceleration jumps, by which it swings for 10 ms
    wanted = 0.01 - (GRAVITY + lift) / STIFFNESS
    stood = columns["q.JOINT_2"].to_numpy()[1:]
    np.testing.assert_allclose(stood[resting], wanted[resting], rtol=0, atol=1e-13)
    assert steps[-1] > UNTIL and len(steps) < 1000
