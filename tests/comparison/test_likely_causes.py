"""Each cause, put into a table of the run's own closed form."""

import math
import re

import numpy as np
import pytest

from sim.comparison import compare_with_foreign
from sim.comparison.likely_causes import CurvePair, likely_causes
from sim.foreign import MappedCurve, MappedTable
from tests.helpers.synthetic_runs import joint, recording

OWN = np.linspace(0.0, 2.0, 2001)
T = np.arange(0.0, 1.9, 0.004)


def q(t):
    return 0.7 * np.sin(3 * t) + 0.2 * t


def tau(t):
    return 40 * np.cos(5 * t) + 5 * t


RUN = recording(OWN, {"q.elbow": q(OWN), "tau.elbow": tau(OWN)}, joint("elbow"))


def notes(start=0.0, **values):
    zero = np.zeros(T.size)
    curves = tuple(
        MappedCurve(f"{group}.elbow", "x", "in SI", T, v, zero, zero) for group, v in values.items()
    )
    found = compare_with_foreign(RUN, MappedTable("a.csv", curves, (), start))
    usual = ("limit:", "in SI", "compared at", "the run begins")
    return [note for note in found.notes if not note.startswith(usual)]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"tau": 1e3 * tau(T)}, "about 0.001 times the external curve; are they in mm or N\\*mm"),
        ({"q": np.degrees(q(T))}, "about 0.017453 times the external curve; are they in deg"),
        ({"tau": tau(T) / 0.1129848}, "are they in lbf\\*in"),
        ({"tau": -tau(T)}, "opposite sign; use --map THEIRS=-OURS"),
        ({"tau": 1.05 * tau(T)}, "0.9524 times the external curve throughout"),
        ({"q": q(T) + 0.1}, "larger by a constant 0.1 rad"),
        ({"q": q(T) - 4 * math.pi}, r"constant -12.5664 rad \(-2 whole turns\)"),
    ],
)
def test_a_cause_is_named(values, words):
    (note,) = notes(**values)
    assert re.search(words, note), note


@pytest.mark.parametrize("late", [0.0312, -0.1, 0.0004])
def test_a_shift_of_time_is_measured_and_not_taken_away(late):
    found = notes(start=13.0, q=q(T - late), tau=tau(T - late))
    (note,) = found
    way = "later" if late > 0 else "earlier"
    assert f"{abs(late) * 1e3:.3g} ms {way}" in note
    told = float(note.split("--start ")[1].split()[0])
    assert told == pytest.approx(13.0 + late, abs=1e-6)


def test_what_only_looks_alike_is_not_explained():
    wrong = tau(T) + 2 * np.sin(40 * T)
    assert notes(tau=wrong) == []


def late(time, size, before=0.0):
    return before + np.where(time <= T, size, 0.0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"tau": tau(T) + late(1.2, 0.7)},
         "tau.elbow: from t = 1.2 s on the external curve is larger by 0.7 N·m; before they agree"),
        ({"tau": tau(T) + late(0.4, -2.5, 0.9)},
         "tau.elbow: from t = 0.4 s on the external curve is larger by -1.6 N·m; before by "
         "0.9 N·m"),
        ({"q": q(T) + late(1.2, 2 * math.pi), "tau": tau(T)},
         "q.elbow: from t = 1.2 s on the external curve is larger by 6.28319 rad (1 whole turn); "
         "before they agree"),
        ({"tau": tau(T) + late(1.2, 9.0) + 0.08 * np.sin(40 * T)},
         "tau.elbow: from t = 1.2 s on the external curve is larger by 8.99 N·m; "
         "before they agree to 0.08"),
    ],
)  # fmt: skip
def test_a_constant_that_comes_late_is_named_with_its_time_and_size(values, words):
    (note,) = notes(**values)
    assert note.startswith(words), note


def test_no_step_is_told_of_a_pulse_two_steps_a_ramp_or_too_few_samples():
    ramp = np.clip((T - 0.6) / 0.5, 0.0, 1.0)
    for wrong in (late(0.5, 3.0) - late(0.9, 3.0), late(0.5, 3.0) + late(0.9, 3.0), 3 * ramp):
        assert notes(tau=tau(T) + wrong) == []
    assert notes(tau=tau(T) + late(T[-3], 3.0)) == []


def test_where_nothing_differs_nothing_is_guessed():
    assert notes(q=q(T), tau=tau(T)) == []


def test_constants_and_zeros_are_no_stumbling_block():
    for value in (0.0, 1e300):
        (note,) = notes(tau=np.full(T.size, value))
        start = f"difference at t = 0: external tau.elbow {value:g} N·m (run 40)"
        assert note.startswith(start)


def both(**values):
    """Notes on curves of two joints; the wrist's are others than the elbow's."""
    zero = np.zeros(T.size)
    columns = {
        "q.elbow": q(OWN),
        "tau.elbow": tau(OWN),
        "q.wrist": 0.5 * np.cos(4 * OWN),
        "tau.wrist": 20 * np.sin(2 * OWN),
    }
    run = recording(OWN, columns, joint("elbow"), joint("wrist"))
    curves = tuple(
        MappedCurve(name.replace("_", "."), "x", "in SI", T, v, zero, zero)
        for name, v in values.items()
    )
    found = compare_with_foreign(run, MappedTable("a.csv", curves, (), 0.0))
    usual = ("limit:", "in SI", "compared at", "the run begins")
    return [note for note in found.notes if not note.startswith(usual)]


def test_joints_that_are_swapped_are_named():
    found = both(tau_elbow=20 * np.sin(2 * T), tau_wrist=tau(T), q_elbow=q(T))
    assert [note.partition(";")[0] for note in found] == [
        "tau.elbow: the external curve matches tau.wrist of the run",
        "tau.wrist: the external curve matches tau.elbow of the run",
    ]


@pytest.mark.parametrize(("rate", "words"), [(1.01, "1 % slow"), (0.98, "2 % fast")])
def test_a_clock_that_runs_at_another_rate_is_named(rate, words):
    (found,) = notes(q=q(rate * T), tau=tau(rate * T))
    assert f"external clock is {words}; external times × {rate:.6g} match the run" in found


def test_a_torque_that_is_late_alone_is_named_alone():
    (found,) = notes(q=q(T), tau=tau(T - 0.02))
    assert found == (
        "a shift of the time of tau.elbow explains it: the external curves are 20 ms later "
        "than the run"
    )


def test_a_lag_and_a_unit_together_are_told_apart():
    shift, unit = notes(q=np.degrees(q(T - 0.02)))
    assert "the external curves are 20 ms later" in shift
    assert "are they in deg" in unit
    shift, *units = notes(q=-q(T + 0.03), tau=1e3 * tau(T + 0.03))
    assert "the external curves are 30 ms earlier" in shift
    assert "opposite sign" in units[0]
    assert "N*mm" in units[1]


@pytest.mark.parametrize("turns", [3, 17])
def test_turns_of_any_number_are_explained_on_either_side(turns):
    t = np.linspace(0.0, 1.0, 200)
    far, near = 2 * np.pi * turns * t, np.mod(2 * np.pi * turns * t, 2 * np.pi)
    for mine, theirs, whose in (
        (far, near, "the external curve"),
        (near, far, "the curve of the run"),
    ):
        pair = CurvePair("q.a", "rad", t, mine, theirs, 1e-3)
        (text,) = likely_causes([pair], t, {"q.a": mine}, 0.0)
        assert f"q.a: {whose} is wrapped" in text
    other = CurvePair("q.a", "rad", t, far, near + 0.1 * np.sin(40 * t), 1e-3)
    assert not any("is wrapped" in text for text in likely_causes([other], t, {"q.a": far}, 0.0))
