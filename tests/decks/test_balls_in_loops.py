"""Machines whose loops decide their balls: a rod between two balls, a platform on driven legs."""

import numpy as np
import pytest
from scipy.optimize import brentq, fsolve
from scipy.spatial.transform import Rotation

from sim.checks import check
from sim.decks import deck_model
from sim.simulation import run
from tests.decks.test_deck_inputs import solved

RSSR = """crank and rocker, whose axes are square to each other, on a rod between two balls
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1
MARKER/2, PART = 1, QP = 400, 0, 0, REULER = 0, 90D, 0
PART/2, MASS = 1, CM = 21, IP = 1E3, 1E3, 1E3
MARKER/21, PART = 2, QP = 0, 50, 0
MARKER/22, PART = 2
MARKER/23, PART = 2, QP = 0, 100, 0
PART/3, MASS = 2, CM = 31, IP = 1E3, 2E4, 2E4, QG = 0, 100, 0
MARKER/31, PART = 3, QP = 200, 0, 75
MARKER/32, PART = 3
MARKER/33, PART = 3, QP = 400, 0, 150
PART/4, MASS = 1.5, CM = 41, IP = 1E3, 1E4, 1E4, QG = 400, 0, 0
MARKER/41, PART = 4, QP = 0, 50, 75
MARKER/42, PART = 4, REULER = 0, 90D, 0
MARKER/43, PART = 4, QP = 0, 100, 150
JOINT/1, REVOLUTE, I = 22, J = 1
JOINT/2, SPHERICAL, I = 32, J = 23
JOINT/3, SPHERICAL, I = 33, J = 43
JOINT/4, REVOLUTE, I = 42, J = 2
MOTION/1, JOINT = 1, FUNCTION = 0.5*SIN(3*TIME)
ACCGRAV/JGRAV = -9806.65
END
"""


def rocker_angle(crank):
    """Angle at which the tips are as far apart as the rod is long [rad]; about -y of the world."""
    tip = 0.1 * np.array([-np.sin(crank), np.cos(crank), 0])

    def gap(angle):
        other = [0.4, 0.1, 0] + 0.15 * np.array([-np.sin(angle), 0, np.cos(angle)])
        return np.sum((other - tip) ** 2) - 0.4**2 - 0.15**2

    return brentq(gap, -0.4, 0.8, xtol=1e-15)


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_a_rod_between_two_balls_follows_its_crank(engine):
    model = deck_model(RSSR)
    assert (model.method, model.drives.free) == ("adaptive", ())
    recording = run(model.scenario(0.3, 0.05), engine=engine)
    assert all(one.ok for one in check(recording))
    for columns in (recording.recorded, recording.analytic):
        crank, rocker = (columns[f"q.JOINT_{k}"].to_numpy() for k in (1, 4))
        assert crank == pytest.approx(0.5 * np.sin(3 * columns.index), abs=1e-12)
        wanted = [rocker_angle(angle) for angle in crank]
        assert np.ptp(wanted) > 0.2
        assert rocker == pytest.approx(wanted, abs=1e-9)


def test_a_ball_that_one_way_is_kept_from_turning_is_a_universal():
    """z of I stays square to z of J; two statements for what one joint says."""
    held = ("JOINT/1, SPHERICAL, I = 23, J = 11\nJPRIM/1, PERPENDICULAR, I = 23, J = 11",
            "JOINT/1, UNIVERSAL, I = 23, J = 11")  # fmt: skip
    body = RSSR[: RSSR.index("PART/2")] + (
        "MARKER/11, PART = 1, REULER = 90D, 90D, 0\n"
        "PART/2, MASS = 1, CM = 21, IP = 4E4, 1E5, 1.2E5, VY = 300, WZ = 1\n"
        "MARKER/21, PART = 2, QP = 0, 0, -500\nMARKER/23, PART = 2\n"
        "{held}\nREQUEST/1, D, I = 21, J = 1\nACCGRAV/JGRAV = -9806.65\nEND\n"
    )
    ball, cross = (solved(deck_model(body.format(held=one)).scenario(0.5, 0.05)) for one in held)
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
