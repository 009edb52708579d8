"""Splines that are read beyond their points: one note each, wherever they are read."""

import numpy as np
import pytest

import sim
from sim.decks import deck_model
from sim.simulation import build_problem, run
from sim.simulation.model_answer import model_answer
from sim.simulation.spline_notes import SplineReads
from sim.simulation.table import table
from tests.helpers.small_robots import lift

DECK = """a curve read beyond its last point
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
PART/2, MASS = 2, CM = 20, IP = 1, 1, 1
MARKER/20, PART = 2
JOINT/1, TRANSLATIONAL, I = 20, J = 10
SPLINE/1, X = 0, 1, 2, 3, 4, Y = 0, 1, 4, 9, 16
VARIABLE/5, FUNCTION = AKISPL(TIME*8,0,1)
SFORCE/1, TRANSLATIONAL, I = 20, J = 10, ACTIONONLY, FUNCTION = CUBSPL(TIME*8,0,1)
REQUEST/1, F2 = CUBSPL(TIME*8,0,1)\\F3 = VARVAL(5)
END
"""
BEHIND = "is read beyond its last point"
X = np.array([0.0, 1.0, 2.0, 3.0, 4.0])


def solved(scenario):
    problem = build_problem(scenario)
    (answer,) = model_answer(problem)
    reads = SplineReads(problem)
    reads.add(answer)
    return table(problem, answer), reads.notes()


@pytest.mark.parametrize("option", ["", "LINEAR_EXTRAPOLATE, "])
def test_a_deck_goes_on_by_its_last_points_and_one_note_says_so(option):
    """x² at x = 8: the parabola gives 64 by either function, the line through two points 44."""
    model = deck_model(DECK.replace("SPLINE/1, ", f"SPLINE/1, {option}"))
    columns, notes = solved(model.scenario(1.0, 0.125))
    (note,) = notes
    wanted = 44.0 if option else 64.0
    for column in ("F2", "F3"):
        assert columns[f"request.REQUEST_1.{column}"].to_numpy()[-1] == pytest.approx(
            wanted, abs=1e-9
        )
    assert note.startswith(f"spline 1 {BEHIND}")
    assert "force.SFORCE_1 and 3 other channels read it at 8, 4 beyond, at t = 1 s" in note
    assert note.endswith("two end points goes on" if option else "three end points goes on")


def test_within_its_points_and_in_branches_that_are_not_taken_there_is_no_note():
    assert not solved(deck_model(DECK).scenario(0.5, 0.125))[1]
    guarded = DECK.replace(" = CUBSPL(TIME*8,0,1)", " = IF(TIME-0.5: CUBSPL(TIME*8,0,1), 16, 16)")
    assert not solved(deck_model(guarded.replace("AKISPL(TIME*8,0,1)", "1")).scenario(1.0, 0.125))[
        1
    ]


def motion(drive, **more):
    return sim.JointMotion.displacement({"slide": drive}, **more)


TABLE = sim.spline(X / 8, 0.01 * X**2)
TURNS = sim.Names(splines={"law": sim.spline(X - 2, X**2 - 4)})


@pytest.mark.parametrize(
    ("scenario", "start", "who"),
    [
        ({"motion": motion(TABLE)}, "spline of q.slide", "q.slide reads it at 1, 0.5 beyond"),
        (
            {"motion": motion("CUBSPL(2*time, 0, .ARM.WAY)", splines={".arm.way": TABLE})},
            "spline .arm.way",
            "q.slide reads it at 2, 1.5 beyond",
        ),
        (
            {
                "motion": sim.JointMotion.torque(
                    {"slide": "CUBSPL(-3*time, 0, law) - 1E3*DZ(i)"},
                    names=sim.Names((sim.Marker("i", "load"),), splines=TURNS.splines),
                )
            },
            "spline law is read beyond its first point",
            "tau.slide reads it at -3, 1 beyond",
        ),
        (
            {
                "motion": motion("0"),
                "forces": (
                    sim.Force("load", ("AKISPL(5*time, 0, law)", 0, 0), splines=TURNS.splines),
                ),
            },
            "spline law",
            "force.load reads it at 5, 3 beyond",
        ),
    ],
    ids=["a drive", "in a drive", "in a motor's law", "in a force over time"],
)
def test_scripts_have_the_note_too(scenario, start, who):
    (note,) = solved(sim.Scenario(lift(2.0), duration=1.0, dt=0.1, method="adaptive", **scenario))[
        1
    ]
    assert note.startswith(start)
    assert who in note


def test_the_note_is_one_of_the_run():
    notes = run(deck_model(DECK).scenario(1.0, 0.125)).run.notes
    assert len([note for note in notes if BEHIND in note]) == 1
