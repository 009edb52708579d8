"""Friction of balls and sleeves beside closed loops, against a pendulum with a pin that rubs."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sim
from sim.decks import deck_model
from tests.helpers.solved_models import solved_deck

G, MASS, INERTIA, ARM, MU, RADIUS, PRELOAD, SLOW = 9.80665, 2.0, 0.05, 0.3, 0.2, 0.04, 0.1, 0.5

PENDULUM = f"""a pendulum on a ball, whose axis a JPRIM keeps
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
PART/2, MASS = {MASS}, CM = 21, IP = {INERTIA}, {INERTIA}, {INERTIA}
MARKER/20, PART = 2
MARKER/21, PART = 2, QP = {ARM}, 0, 0
JOINT/1, SPHERICAL, I = 20, J = 10
JPRIM/1, PARALLEL_AXES, I = 20, J = 10
FRICTION/1, JOINT = 1, MU_STATIC = {MU}, MU_DYNAMIC = {MU}, BALL_RADIUS = {RADIUS}
, FRICTION_TORQUE_PRELOAD = {PRELOAD}, STICTION_TRANSITION_VELOCITY = {SLOW * RADIUS}{{more}}
ACCGRAV/JGRAV = {-G}
REQUEST/1, F2 = AZ(20,10)\\F3 = WZ(20,10)
END
"""


def pendulum(t, mu):
    """Angle and speed: (I + m l²) α = -m g l cos φ - (μ R |F| + P) ramp, F = m (a - g)."""

    def rate(_, state):
        turn, speed = state
        s = np.clip(speed / SLOW, -1.0, 1.0)
        ramp = s * (3 - s * s) / 2
        alpha = 0.0
        for _ in range(60):  # the load has α in it; each round is less than a tenth of the last
            along = MASS * (G * np.sin(turn) - ARM * speed**2)
            across = MASS * (ARM * alpha + G * np.cos(turn))
            force = np.hypot(along, across)
            torque = (mu * RADIUS * force + PRELOAD) * ramp
            alpha = (-MASS * G * ARM * np.cos(turn) - torque) / (INERTIA + MASS * ARM**2)
        return [speed, alpha]

    found = solve_ivp(rate, (0, t[-1]), [0.0, 0.0], "DOP853", t, rtol=1e-11, atol=1e-12)
    return found.y


@pytest.mark.parametrize(("more", "mu"), [("", MU), (", INPUTS = PRELOAD", 0.0)])
def test_a_ball_beside_a_loop_rubs_as_a_pin_does(more, mu):
    columns = solved_deck(PENDULUM.format(more=more), 0.5, 0.1)
    turn, speed = pendulum(np.asarray(columns.t), mu)
    assert columns["request.REQUEST_1.F2"].to_numpy() == pytest.approx(turn, abs=1e-8)  # rad
    assert columns["request.REQUEST_1.F3"].to_numpy() == pytest.approx(speed, abs=1e-7)
    free = pendulum(np.asarray(columns.t), 0.0)[0]
    assert mu == 0.0 or abs(turn - free).max() > 1e-3  # so much does the load matter


def test_both_answers_and_all_checks_agree():
    run = sim.run(deck_model(PENDULUM.format(more="")).scenario(0.15, 0.05), name="ball")
    assert [check.name for check in run.run.checks if not check.ok] == []
