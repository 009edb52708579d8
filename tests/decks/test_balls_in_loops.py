"""Machines whose loops decide their balls, whole or in part: a cross, a platform on six legs."""

from dataclasses import replace
from pkgutil import resolve_name

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

from sim.checks import check, judge_recording
from sim.decks import deck_model
from sim.errors import ScenarioError
from sim.simulation import run
from tests.helpers.solved_models import solved, solved_deck

BODY = """a body at a cross
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1
MARKER/11, PART = 1, REULER = 90D, 90D, 0
PART/2, MASS = 1, CM = 21, IP = 4E4, 1E5, 1.2E5, VY = 300, WZ = 1
MARKER/21, PART = 2, QP = 0, 0, -500
MARKER/23, PART = 2
{held}
REQUEST/1, D, I = 21, J = 1
ACCGRAV/JGRAV = -9806.65
END
"""


def test_a_ball_that_one_way_is_kept_from_turning_is_a_universal():
    """z of I stays square to z of J; two statements for what one joint says."""
    held = ("JOINT/1, SPHERICAL, I = 23, J = 11\nJPRIM/1, PERPENDICULAR, I = 23, J = 11",
            "JOINT/1, UNIVERSAL, I = 23, J = 11")  # fmt: skip
    ball, cross = (solved(deck_model(BODY.format(held=one)).scenario(0.5, 0.05)) for one in held)
    for axis in "XYZ":
        name = f"request.REQUEST_1.{axis}"
        assert ball[name].to_numpy() == pytest.approx(cross[name].to_numpy(), abs=1e-9)  # m
    assert np.ptp(ball["request.REQUEST_1.Y"].to_numpy()) > 0.1


HEIGHT, LEGS = 0.4, 6
ANGLES = np.radians(60 * np.arange(LEGS))
APART = 0.3 * (-1.0) ** np.arange(LEGS)
FEET = 0.3 * np.column_stack([np.cos(ANGLES + APART), np.sin(ANGLES + APART), 0 * ANGLES])
HEADS = 0.15 * np.column_stack([np.cos(ANGLES - APART), np.sin(ANGLES - APART), 0 * ANGLES])
UP = np.array([0, 0, HEIGHT])
LENGTHS = np.linalg.norm(HEADS + UP - FEET, axis=1)
MASS = 5.0  # kg


def numbers(vector):
    return ", ".join(f"{x!r}" for x in np.asarray(vector, dtype=float).tolist())


def platform():
    """A plate on six legs, each UNIVERSAL, driven TRANSLATIONAL and SPHERICAL, that weigh 2 mg."""
    lines = [
        "a platform in metres", "PART/1, GROUND", "MARKER/1, PART = 1",
        f"PART/2, MASS = {MASS}, CM = 20, IP = 0.03, 0.03, 0.06, QG = 0, 0, {HEIGHT}",
        "MARKER/20, PART = 2", "ACCGRAV/KGRAV = -9.8",
    ]  # fmt: skip
    for k, (foot, head) in enumerate(zip(FEET, HEADS, strict=True)):
        i, top = 100 * (k + 1), head + UP
        along = (top - foot) / LENGTHS[k]
        across = np.cross(along, [0, 0, 1])
        across /= np.linalg.norm(across)
        axes = ", ".join(f"{letter} = {{{letter}}}" for letter in ("ZG", "XG"))
        for id, place, com in ((i, foot, 0.1), (i + 50, top, -0.1)):
            poses = axes.format(ZG=numbers(place + along), XG=numbers(place + across))
            lines += [
                f"PART/{id}, MASS = 1E-6, CM = {id + 1}, IP = 1E-8, 1E-8, 1E-8, "
                f"QG = {numbers(place)}, {poses}",
                f"MARKER/{id + 1}, PART = {id}, QP = 0, 0, {com}",
                f"MARKER/{id + 3}, PART = {id}",
            ]
        other = np.cross(along, across)
        lines += [
            f"MARKER/{i + 2}, PART = {i}, ZP = 1, 0, 0, XP = 0, 1, 0",
            f"MARKER/{i + 52}, PART = {i + 50}, QP = {numbers([0, 0, -LENGTHS[k]])}",
            f"MARKER/{i + 4}, PART = 1, QP = {numbers(foot)}, ZP = {numbers(foot + other)}, "
            f"XP = {numbers(foot + along)}",
            f"MARKER/{i + 5}, PART = 2, QP = {numbers(head)}",
            f"JOINT/{k + 1}, UNIVERSAL, I = {i + 2}, J = {i + 4}",
            f"JOINT/{k + 11}, TRANSLATIONAL, I = {i + 52}, J = {i + 3}",
            f"JOINT/{k + 21}, SPHERICAL, I = {i + 53}, J = {i + 5}",
            f"MOTION/{k + 1}, JOINT = {k + 11}, FUNCTION = {0.01 + 0.003 * k}*(1 - COS(2*TIME))",
        ]
    return "\n".join([*lines, "REQUEST/1, D, I = 20, J = 1", "END\n"])


def pose_at(time, guess):
    """Place [m] and rotation vector [rad] of a plate on legs of these lengths."""
    wanted = LENGTHS + (0.01 + 0.003 * np.arange(LEGS)) * (1 - np.cos(2 * time))

    def gaps(x):
        legs = x[:3] + Rotation.from_rotvec(x[3:]).apply(HEADS) - FEET
        return np.linalg.norm(legs, axis=1) - wanted

    return fsolve(gaps, guess, xtol=1e-12)


def test_a_plate_on_six_driven_legs_is_where_their_lengths_put_it_and_weighs_on_them():
    columns = solved(deck_model(platform()).scenario(0.3, 0.1))
    guess = np.array([0, 0, HEIGHT, 0, 0, 0.0])
    for row, time in enumerate(columns.index):
        x = guess = pose_at(time, guess)
        place = [columns[f"request.REQUEST_1.{axis}"].to_numpy()[row] for axis in "XYZ"]
        assert place == pytest.approx(x[:3], abs=1e-9)  # m
        h = 1e-3
        before, after = (pose_at(time + s, x) for s in (-h, h))
        force = MASS * ((after - 2 * x + before)[:3] / h**2 + [0, 0, 9.8])
        legs = x[:3] + Rotation.from_rotvec(x[3:]).apply(HEADS) - FEET
        pushes = [columns[f"tau.JOINT_{k + 11}"].to_numpy()[row] for k in range(LEGS)]
        carried = (legs / np.linalg.norm(legs, axis=1)[:, None]).T @ pushes
        assert carried == pytest.approx(force, abs=1e-3)  # N; legs of 12 mg, differences over 1 ms


def test_balls_that_loops_decide_may_be_prescribed_and_an_engines_steps_have_none():
    scenario = deck_model(platform()).scenario(0.02, 0.01)
    wanted = solved(scenario)
    prescribed = solved(replace(scenario, method="ideal"))
    pushes = [f"tau.JOINT_{k + 11}" for k in range(LEGS)]
    assert prescribed[pushes].to_numpy() == pytest.approx(wanted[pushes].to_numpy(), rel=1e-9)
    for engine in ("bullet", "mujoco"):
        with pytest.raises(ScenarioError, match="JOINT_21' is a ball, which method 'stepped'"):
            run(replace(scenario, method="stepped", engine=engine))


LOCKED = """a suspension whose tie rod can only spin, 1 mm askew of what its arms would allow
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, QP = 0, 300, 200, REULER = 90D, 90D, 0
MARKER/11, PART = 1, QP = 0, 350, 450, REULER = 90D, 90D, 0
MARKER/12, PART = 1, QP = -120, 320, 250, ZP = 250, 321, 250, XP = -120, 320, 350
PART/2, MASS = 3, CM = 20, IP = 2E4, 1E4, 3E4
MARKER/20, PART = 2, QP = 0, 500, 190
MARKER/21, PART = 2, QP = 0, 300, 200, REULER = 90D, 90D, 0
MARKER/22, PART = 2, QP = 0, 700, 180
PART/3, MASS = 2, CM = 30, IP = 1E4, 5E3, 1E4
MARKER/30, PART = 3, QP = 0, 500, 455
MARKER/31, PART = 3, QP = 0, 350, 450, REULER = 90D, 90D, 0
MARKER/32, PART = 3, QP = 0, 650, 460
PART/4, MASS = 15, CM = 40, IP = 2E5, 1E5, 2E5
MARKER/40, PART = 4, QP = 0, 720, 300
MARKER/42, PART = 4, QP = 0, 700, 180
MARKER/43, PART = 4, QP = 0, 650, 460
MARKER/44, PART = 4, QP = -121, 690, 240
PART/5, MASS = 1, CM = 50, IP = 1.2E4, 1.2E4, 1.2E4
MARKER/50, PART = 5, QP = {com}
MARKER/52, PART = 5, QP = -120, 320, 250, ZP = -121, 690, 240, XP = -120, 320, 350
MARKER/54, PART = 5, QP = -121, 690, 240
JOINT/1, REVOLUTE, I = 21, J = 10
JOINT/2, REVOLUTE, I = 31, J = 11
JOINT/3, SPHERICAL, I = 22, J = 42
JOINT/4, SPHERICAL, I = 32, J = 43
JOINT/5, SPHERICAL, I = 54, J = 44
JOINT/6, UNIVERSAL, I = 52, J = 12
REQUEST/1, D, I = 50, J = 12
ACCGRAV/KGRAV = -9806.65
END
"""


def _counted(rate, asked):
    def ask(time, y):
        asked.append(time)
        return rate(time, y)

    return ask


def test_a_rod_that_its_loops_let_only_spin_swings_as_a_pendulum(monkeypatch):
    """I θ'' = (ρ × m g) · d, though one equation of the loops is 6e-6 of the largest."""
    along = np.array([-1.0, 370, -10]) / np.linalg.norm([-1.0, 370, -10])
    lever = 1e-3 * np.array([10.0, 0, 0])
    lever -= along * (along @ lever)
    inertia = 0.012 + lever @ lever  # 1 kg

    def rate(_, y):
        aside = Rotation.from_rotvec(y[0] * along).apply(lever)
        return y[1], along @ np.cross(aside, [0, 0, -9.80665]) / inertia

    place, asked = "sim.dynamics.integration.rate_of", []
    rate_of = resolve_name(place)
    monkeypatch.setattr(place, lambda *of: _counted(rate_of(*of), asked))
    columns = solved(deck_model(LOCKED.format(com="-110.5, 505, 245")).scenario(0.5, 0.1))
    exact = solve_ivp(rate, (0, 0.5), [0, 0], "DOP853", columns.index, rtol=1e-12, atol=1e-13).y
    assert np.ptp(exact[0]) > 0.5
    assert columns["q.JOINT_6_b"].to_numpy() == pytest.approx(exact[0], abs=1e-8)  # rad
    for held in ("JOINT_1", "JOINT_2", "JOINT_6_a"):
        assert np.abs(columns[f"q.{held}"].to_numpy()).max() < 1e-9
    assert len(asked) < 3000  # 22 000 where each last digit has to be right


def test_what_loops_make_of_last_digits_is_no_difference_of_engine_and_model():
    """Everything is at rest but for rounding, over σ = 6e-6: 2e-9 rad/s² of the rod's spin."""
    resting = run(deck_model(LOCKED.format(com="-120.5, 505, 245")).scenario(0.3, 0.1))
    assert [(one.name, one.channel) for one in check(resting) if not one.ok] == []
    wrong = resting.analytic.copy()
    wrong["qdd.JOINT_6_b"] += 1e-6
    lie = judge_recording(resting.having(analytic=wrong))
    assert "acceleration" in {one.name for one in lie.run.checks if not one.ok}


# A rod between balls, √0.99 m long: from a crank of 0.3 m to a rocker of 0.5 m about its x axis.
TOO_SHORT = """a crank that turns further than its rod allows
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
MARKER/11, PART = 1, QP = 1, 0.5, 0, REULER = 90D, 90D, 0
PART/2, MASS = 1, CM = 21, IP = 0.01, 0.02, 0.02
MARKER/21, PART = 2
MARKER/22, PART = 2, QP = 0.3, 0, 0
PART/3, MASS = 0.7, CM = 30, IP = 0.01, 0.05, 0.05
MARKER/30, PART = 3, QP = 0.65, 0.25, 0.25
MARKER/31, PART = 3, QP = 0.3, 0, 0
MARKER/32, PART = 3, QP = 1, 0.5, 0.5
PART/4, MASS = 2, CM = 43, IP = 0.1, 0.1, 0.03
MARKER/41, PART = 4, QP = 1, 0.5, 0, REULER = 90D, 90D, 0
MARKER/43, PART = 4, QP = 1, 0.5, 0.5
JOINT/1, REVOLUTE, I = 21, J = 10
JOINT/2, SPHERICAL, I = 31, J = 22
JOINT/3, SPHERICAL, I = 32, J = 43
JOINT/4, REVOLUTE, I = 41, J = 11
MOTION/1, ROTATIONAL, JOINT = 1, FUNCTION = 0.5*PI*TIME**2
END
"""


def test_a_rod_that_is_too_short_for_its_crank_is_named_as_a_dead_point():
    """The rocker's end is nearest, at 1.09 - 0.6 cos θ of the square, in the plane of the crank."""
    end = np.sqrt(np.arccos(1 / 6) / (0.5 * np.pi))  # s
    with pytest.raises(ScenarioError, match=f"beyond t = {end:.6g} s.* dead point there"):
        solved_deck(TOO_SHORT, 1.2)
