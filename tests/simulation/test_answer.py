"""Works of drives whose accelerations jump or bend on samples, beside them, and at the end.

The oracle is the change of energy of a load on a slide, from the polynomials of its drive.
"""

import numpy as np
import pytest

from sim.checks import energy_balance
from sim.checks.energy_balance import energy_balance_checks
from sim.checks.run_view import RunView
from sim.functions import spline
from sim.motion import JointMotion
from sim.scenario import Scenario
from sim.simulation.run import run
from tests.helpers.short_runs import arm
from tests.helpers.small_robots import lift

MASS, G, RUB = 3.0, 9.81, 20.0  # [kg], [m/s²], [N·s/m]
RUBBING = f'<dynamics damping="{RUB}" friction="0"/>'


def climb(t, end):
    """A way up that is no polynomial [m]."""
    return 0.2 * np.sin(2.2 * np.pi * t / end) + 0.1 * (t / end) ** 2


def knots(n, dt, every, off):
    """Times on every so manieth of n samples, or `off` steps after them; both ends always."""
    inside = (np.arange(every, n - 1, every) + off) * dt
    return np.array([0.0, *inside[inside < (n - 1.5) * dt], (n - 1) * dt])


def lifted(drive, level, duration, dt, method="ideal"):
    motion = getattr(JointMotion, level)({"slide": drive})
    scenario = Scenario(lift(MASS, more=RUBBING), motion, duration, dt, gravity=(0.0, 0.0, -G))
    return run(scenario, method=method)


def heat(speed, edges, t):
    """∫ RUB v² dt up to each time of t, by a rule that is exact between `edges` for a quintic."""
    ends = np.union1d(edges, t)
    x, w = np.polynomial.legendre.leggauss(3)
    half = np.diff(ends) / 2
    nodes = ends[:-1, None] + half[:, None] * (1 + x)
    parts = RUB * np.sum(w * speed(nodes) ** 2, axis=1) * half
    return np.interp(t, ends, np.concatenate([[0.0], np.cumsum(parts)]))


def failing(recording):
    checks = [judgement.check for judgement in energy_balance_checks(RunView(recording))]
    return [(one.name, one.channel, one.worst, one.limit) for one in checks if not one.ok]


PLACES = [(1, 0.0), (2, 0.0), (3, 0.0), (4, 0.0), (6, 0.0), (1, 0.5), (2, 0.31)]


@pytest.mark.parametrize(("every", "off"), PLACES)
@pytest.mark.parametrize("kind", ["cubic", "akima", "hermite"])
def test_the_work_is_the_gain_of_energy_and_the_heat_whatever_the_knots(kind, every, off):
    n, dt = 301, 1e-3
    times = knots(n, dt, every, off)
    drive = spline(times, climb(times, 0.3), kind)
    found = lifted(drive, "displacement", 0.3, dt)
    t, (z, v, _) = found.t, drive.derivatives(found.t)
    warmed = heat(lambda t: drive.derivative(t, 1), times, t)
    gained = MASS * (v**2 / 2 + G * z)
    for table in (found.recorded, found.analytic):
        # 1e-9 of 10 J: rounding, and quartic heat by a rule that is exact for a cubic
        np.testing.assert_allclose(table["loss.slide"], warmed, rtol=0, atol=1e-8)
        wanted = gained - gained[0] + warmed
        np.testing.assert_allclose(table["work.slide"], wanted, rtol=0, atol=1e-8)
    assert failing(found) == []


@pytest.mark.parametrize(("every", "off"), PLACES)
def test_a_velocity_of_straight_lines_is_as_exact(every, off):
    times = knots(301, 1e-3, every, off)
    rough = np.random.default_rng(3).normal(size=times.size) * np.sin(np.pi * times / 0.3)
    drive = spline(times, rough, "linear")
    found = lifted(drive, "velocity", 0.3, 1e-3)
    v, z = drive.value(found.t), found.recorded["q.slide"].to_numpy()
    wanted = MASS * (v**2 / 2 + G * z) + heat(drive.value, times, found.t)
    np.testing.assert_allclose(found.recorded["work.slide"], wanted, rtol=0, atol=1e-9)
    assert failing(found) == []


@pytest.mark.rotates(3)
@pytest.mark.parametrize("method", ["ideal", "stepped"])
@pytest.mark.parametrize("level", ["displacement", "velocity"])
@pytest.mark.parametrize(("kind", "dt"), [("akima", 1e-5), ("cubic", 1e-5), ("hermite", 1e-3)])
def test_an_arm_with_a_knot_on_each_of_3001_samples_passes_its_audit(kind, dt, level, method):
    n = 3001
    end = (n - 1) * dt
    times, size = dt * np.arange(n), 0.1 if level == "displacement" else 0.1 / end
    drives = {
        "shoulder": spline(times, size * (1 - np.cos(3 * np.pi * times / end)), kind),
        "elbow": spline(times, size * np.sin(np.pi * times / end) ** 2, kind),
    }
    motion = getattr(JointMotion, level)(drives)
    found = run(Scenario(arm(), motion, end, dt), method=method)
    assert failing(found) == []
    model = energy_balance(found, analytic=True)
    assert model.residual < 1e-9 * model.moved
    if method == "ideal":
        assert energy_balance(found).residual < 1e-9 * model.moved


@pytest.mark.parametrize("method", ["ideal", "stepped"])
def test_a_drive_whose_acceleration_jumps_at_the_end_of_the_run_passes_its_audit(method):
    """A STEP over the whole run comes to rest there with a jump of 6 h/T²."""
    found = lifted("STEP(time, 0, 0, 0.3, 0.2)", "displacement", 0.3, 1e-3, method)
    assert found.run.settings.corners == (pytest.approx(0.3),)
    assert failing(found) == []
    z = found.recorded["q.slide"].to_numpy()[-1]
    brought = found.recorded["work.slide"] - found.recorded["loss.slide"]
    assert brought.iloc[-1] == pytest.approx(MASS * G * z, rel=1e-9 if method == "ideal" else 1e-4)


@pytest.mark.parametrize("every", [1, 2, 3])
def test_differences_across_breaks_one_after_the_other_are_means_and_add_up(every):
    times = knots(301, 1e-3, every, 0.0)
    drive = spline(times, 3 * climb(times, 0.3), "akima")
    found = lifted(drive, "velocity", 0.3, 1e-3, "stepped")
    assert failing(found) == []
    assert (
        energy_balance(found).residual < 1e-4
    )  # of 37 J; run on from too few samples it is 6e-4 J


def test_a_wrong_torque_between_dense_knots_is_seen():
    times = knots(301, 1e-3, 1, 0.0)
    found = lifted(spline(times, climb(times, 0.3), "akima"), "displacement", 0.3, 1e-3)
    work = found.recorded["work.slide"]
    spoiled = found.recorded.assign(**{"work.slide": work + 2e-5 * work.iloc[-1]})
    spoiled = type(found)(spoiled, found.analytic, found.run)
    assert "energy balance" in {name for name, *_ in failing(spoiled)}
