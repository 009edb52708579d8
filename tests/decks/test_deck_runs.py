"""Decks run: against closed solutions that share no code with the package."""

import numpy as np
import pytest

from sim.decks import deck_model
from tests.decks.decks_of_tests import PENDULUM, SLIDERS, SPRING, TYPED
from tests.helpers.adams_files import TIMES, swing
from tests.helpers.solved_models import solved


def positions(text, duration, dt):
    """Joint positions of a deck by its Lagrangian model."""
    scenario = deck_model(text).scenario(duration, dt)
    columns = solved(scenario)
    return [columns[f"q.{name}"].to_numpy() for name in scenario.robot.joint_names]


SFORCE = PENDULUM[PENDULUM.index("SFORCE/1") : PENDULUM.index("REQUEST/01")]
TORSION = "SPRINGDAMPER/1, ROTATION, I = 102, J = 202, KT = 200, CT = 10, ANGLE = 0D\n"


@pytest.mark.parametrize("force", [SFORCE, TORSION], ids=["SFORCE", "SPRINGDAMPER"])
def test_a_pendulum_on_a_torsion_spring_swings_as_its_equation_says(force):
    (q,) = positions(PENDULUM.replace(SFORCE, force), 5.0, 0.01)
    x, _, z = swing(0.0, 200.0, 10.0)["Pos"]
    below = np.arctan2(-z, x)
    # I is on the ground: the coordinate is that of the ground in the arm, which is opposite
    sign = np.sign(q @ below)
    assert len(q) == len(TIMES)
    assert np.abs(sign * q - below).max() < 1e-8  # rad; two integrations at 1e-11


@pytest.mark.parametrize("force", [SPRING, TYPED], ids=["SPRINGDAMPER", "SFORCE"])
def test_two_bodies_on_a_spring_in_the_units_of_the_deck(force):
    k, m1, m2 = 800.0, 2.0, 3.0  # N/m, kg
    t = np.arange(101) * 0.005
    stretch = 0.2 * np.cos(np.sqrt(k * (1 / m1 + 1 / m2)) * t)
    first, second = positions(SLIDERS.format(force=force), 0.5, 0.005)
    assert second - first == pytest.approx(0.5 + stretch, abs=1e-9)  # m
    assert m1 * first + m2 * second == pytest.approx(m2 * 0.7, abs=1e-9)  # kg·m


def test_a_part_starts_with_the_speeds_that_it_types():
    """The arm is 2 m long and along x, its CM marker's z is the world's y: ω × r = (0, 0, -3)."""
    text = PENDULUM.replace("MASS = 1\n", "MASS = 1, VZ = -3, WZ = {spin}\n")
    speeds = deck_model(text.format(spin=1.5)).drives.qd0
    assert speeds == pytest.approx({"hinge": -1.5}, abs=1e-12)  # of the ground in the arm


def test_of_speeds_that_contradict_each_other_the_nearest_are_taken():
    """With s about -y of the world 4 (s - 1.5)² + (s + 1.5)² is least at s = 0.9 rad/s."""
    model = deck_model(PENDULUM.replace("MASS = 1\n", "MASS = 1, VZ = -3, WZ = -1.5\n"))
    assert model.drives.qd0 == pytest.approx({"hinge": -0.9}, abs=1e-12)
    assert any("PART/2: no speeds" in n and "WZ is off by 2.4 rad/s" in n for n in model.notes)
    along = deck_model(PENDULUM.replace("MASS = 1\n", "MASS = 1, VX = 3\n"))  # of the arm
    assert not any(along.drives.qd0.values())


def test_where_a_motion_drives_all_the_speeds_of_parts_do_not_count():
    """Nor are they refused: a note says so."""
    text = PENDULUM.replace("MASS = 1\n", "MASS = 1, VZ = -3, WZ = 7\n").replace(
        "ACCGRAV/", "MOTION/1, ROTATIONAL, JOINT = 1, FUNCTION = 2*TIME\nACCGRAV/"
    )
    model = deck_model(text)
    assert any("no speeds of the joints give" in note for note in model.notes)
    (q,) = positions(text, 0.1, 0.05)
    assert q == pytest.approx([0.0, 0.1, 0.2], abs=1e-12)
    still = deck_model(text.replace("VZ = -3, WZ = 7", "VZ = 4, WZ = -2"))
    assert not any("no speeds of the joints" in note for note in still.notes)  # as the motion is
