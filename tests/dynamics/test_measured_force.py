"""A force from a table: values at its times, between them by the rule that is said, refusals."""

import math

import numpy as np
import pytest

from sim.checks import check
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.measured_force import measured_force
from sim.errors import ForeignError, ScenarioError
from sim.motion import JointMotion
from sim.recording import Recording, facts_of, value_of
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.small_robots import pendulum

MACHINE_CODE = True

G = 9.81
MASS, LENGTH, ANGLE = 2.0, 0.5, np.radians(30)


@pytest.fixture
def table(tmp_path):
    """A load cell's file: 10 sin(3 t) N in kN along x, at 50 Hz from 2 s on, its time in ms."""
    t = (np.arange(61) / 50).tolist()
    rows = [f"{2000 + 1e3 * s},{0.01 * math.sin(3 * s)},{7 * s}" for s in t]
    path = tmp_path / "cell.csv"
    path.write_text("\n".join(["t [ms],load cell [kN],mz [N*m]", *rows]))
    return path


def force_of(table, **more):
    return measured_force("bob", table, columns={"load cell": "fx"}, start=2.0, **more)


def at(force, t):
    t = np.atleast_1d(np.asarray(t, dtype=float))
    both = ElementSum(pendulum(MASS, LENGTH), (force,))
    return both.channels(both.at(t, 0.3 * t[None], 0 * t[None]))


@pytest.mark.parametrize("kind", ["cubic", "linear", "akima"])
def test_at_its_times_the_force_is_that_of_the_table(table, kind):
    t = np.arange(61) / 50
    found = at(force_of(table, kind=kind, name="cell"), t)
    np.testing.assert_allclose(found["force.cell.fx"], 10 * np.sin(3 * t), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["force.cell.mz"], 7 * t, rtol=0, atol=1e-12)
    assert not found["force.cell.fy"].any()


def test_between_its_times_it_is_straight_or_a_spline_as_is_said(table):
    middle = (np.arange(10, 50) + 0.5) / 50
    exact, h = 10 * np.sin(3 * middle), 1 / 50
    straight = at(force_of(table, kind="linear"), middle)["force.measured.fx"]
    ends = [10 * np.sin(3 * (middle + s * h / 2)) for s in (-1, 1)]
    np.testing.assert_allclose(straight, np.mean(ends, axis=0), rtol=0, atol=1e-12)
    smooth = at(force_of(table), middle)["force.measured.fx"]
    # 5/384 h⁴ of the fourth derivative, 10 * 3⁴, far from the ends, where a natural one is straight
    assert np.abs(smooth - exact).max() < 1.1 * 5 / 384 * h**4 * 810
    assert np.abs(straight - exact).max() == pytest.approx(h**2 / 8 * 90, rel=0.01)


def test_components_along_a_link_turn_with_it(table):
    t = np.array([0.4])
    found = at(force_of(table, axes="bob"), t)
    size, q = 10 * np.sin(1.2), 0.3 * 0.4  # the hinge turns about y
    assert found["force.measured.fx"][0] == pytest.approx(size * np.cos(q), rel=1e-12)
    assert found["force.measured.fz"][0] == pytest.approx(-size * np.sin(q), rel=1e-12)


def test_a_measured_force_drives_a_run_that_its_files_alone_prove(table, tmp_path):
    """At rest at 30°: tau = m g l sin q + l cos q F_x, with the tip below towards -x."""
    force = force_of(table, at=(0, 0, -LENGTH))
    motion = JointMotion.displacement({"hinge": float(ANGLE)})
    scenario = Scenario(pendulum(MASS, LENGTH, 0.01), motion, 1.2, dt=1e-2, forces=(force,))
    folder = tmp_path / "run"
    run(scenario, method="ideal").write(folder)
    recording = Recording.read(folder)
    t = recording.t
    fx = recording.recorded["force.measured.fx"].to_numpy()
    # at the ends, where a natural spline is straight, no more than straight lines: h²/8 * 10 * 3²
    assert np.abs(fx - 10 * np.sin(3 * t)).max() < 0.02**2 / 8 * 90
    wanted = MASS * G * LENGTH * np.sin(ANGLE) + LENGTH * np.cos(ANGLE) * fx
    for source in (recording.recorded, recording.analytic):
        np.testing.assert_allclose(source["tau.hinge"], wanted, rtol=1e-11)
    assert recording.units["force.measured.fx"] == "N"
    assert recording.units["force.measured.mz"] == "N·m"
    checks = check(recording)
    assert [one for one in checks if not one.ok] == []
    # the description holds the points, and not only that there are some
    (facts,) = recording.run.forces
    assert facts_of(value_of(facts)) == facts == facts_of(force)
    assert len(facts.splines["fx"].knots) == 61


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ("names a column 'cell', which is not there; near: load cell", {"columns": {"cell": "fx"}}),
        ("has no channel 'f'", {"columns": {"load cell": "f"}}),
        ("'kN' is not of the same quantity as 'N·m'", {"columns": {"load cell": "mx"}}),
        (
            "'s' is not of the same quantity as 'N'; state another with units",
            {"columns": {"load cell": "fx"}, "units": {"load cell": "s"}},
        ),
    ],
)
def test_columns_that_do_not_fit_are_named(table, words, more):
    with pytest.raises(ForeignError, match="Force on frame 'bob'") as failed:
        measured_force("bob", table, **more)
    assert words in str(failed.value)


def test_what_cannot_act_says_why(table, tmp_path):
    with pytest.raises(ScenarioError, match=r"lasts from 0 to 1\.2 s, and the run from 0 to 2 s"):
        force_of(table).require_usable(pendulum(MASS, LENGTH), 2.0)
    with pytest.raises(ScenarioError, match="from 2 to 3"):
        measured_force("bob", table, columns={"load cell": "fx"}).require_usable(
            pendulum(MASS, LENGTH), 1.0
        )
    with pytest.raises(ScenarioError, match="choose one of cubic, linear, akima"):
        force_of(table, kind="hermite")
    with pytest.raises(ScenarioError, match=r"its name 'a\.b' becomes a part of channels"):
        force_of(table, name="a.b")
    with pytest.raises(ScenarioError, match=r"Two force elements record force\.measured\.fx"):
        both = ElementSum(pendulum(MASS, LENGTH), (force_of(table), force_of(table)))
        both.channels(both.at(np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1))))
    short = tmp_path / "short.csv"
    short.write_text("t,fx\n0,1\n1,2\n2,3\n")
    with pytest.raises(ScenarioError, match="column 'fx' has 3 values; at least 4"):
        measured_force("bob", short)
    with pytest.raises(ForeignError, match=r"Force on frame 'bob': .*nothing\.csv"):
        measured_force("bob", tmp_path / "nothing.csv")
