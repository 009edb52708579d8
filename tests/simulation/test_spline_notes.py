"""Splines that are read beyond their points: one note each, wherever they are read."""

import re

import numpy as np
import pytest

import sim
from sim.decks import deck_model
from sim.reports.run_warnings import other_notes, warnings
from sim.simulation import build_problem, run
from sim.simulation.model_answer import model_answer
from sim.simulation.spline_notes import SplineReads
from sim.simulation.table import table
from tests.helpers.small_robots import lift, pendulum_on_cart

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


EYE, FOOT = sim.Marker("eye", "bob"), sim.Marker("foot", "cart")
SWING = pendulum_on_cart(1.0, 1.0, 1.0)
LAW = sim.spline([-90, -45, 0, 45, 90], [-3, -1, 0, 1, 3])
NAMES = sim.Names((EYE, FOOT), splines={"k": LAW}, variables={"lean": "RTOD*AY(eye, foot)"})
DRIVE = sim.JointMotion.displacement({"hinge": "0.5*SIN(time)"})


@pytest.mark.parametrize(
    ("law", "asked"),
    [
        ("CUBSPL(AY(eye, foot), 0, k)", "90 rad and is read up to 0.4207 rad: .* in degrees"),
        ("CUBSPL(-AY(eye, foot) + 0.1, 0, k)", "are its points in degrees"),
        ("CUBSPL(DX(eye, foot), 0, k)", "90 m and is read up to 0 m: are its points in mm"),
        ("CUBSPL(RTOD*AY(eye, foot), 0, k)", None),
        ("CUBSPL(VARVAL(lean), 0, k)", None),
        ("CUBSPL(TIME, 0, k)", None),
    ],
)
def test_points_in_degrees_or_mm_that_an_angle_or_a_length_reads_are_asked_about(law, asked):
    force = sim.SForce("pull", EYE, FOOT, law, acts="rotational", names=NAMES)
    scenario = sim.Scenario(SWING, DRIVE, 1.0, 0.1, "ideal", forces=(force,))
    questions = [note for note in solved(scenario)[1] if note.endswith("?")]
    assert len(questions) == (asked is not None)
    assert all(re.search(f"spline k has points up to .*{asked}", one) for one in questions)
    recording = sim.run(scenario)
    assert [text for text in warnings(recording.run) if text in questions] == questions
    assert not [text for text in other_notes(recording.run) if text.endswith("?")]
