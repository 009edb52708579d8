import numpy as np
import pytest

from sim.curves import zero_phase
from sim.errors import ForeignError
from sim.recording import MeasuredFacts
from sim.reference import MeasuredCurves, OwnCurves, beside_measured
from sim.robots import load_robot

(ELBOW,) = load_robot("ur10").joint("elbow_joint").coordinates
RATE, SECONDS = 100.0, 30.0
T = np.arange(round(RATE * SECONDS)) / RATE
Q = np.sin(1.3 * T) + 0.4 * np.sin(2.9 * T)
QD = 1.3 * np.cos(1.3 * T) + 0.4 * 2.9 * np.cos(2.9 * T)
RIGID = 20.0 * np.cos(Q)  # N·m, of a pendulum
FRICTION = 6.0 * np.sign(QD) + 3.0 * QD + 0.5
HOW = MeasuredFacts(cutoff=1.0, bandwidth=1.7, middle=15.0, torque_from="known")


def laid(measured, own=None, how=HOW, t=T, q=Q):
    tau = RIGID if own is None else own
    rows = OwnCurves(*(row[None] for row in (Q, QD, tau, RIGID)))
    (found,) = beside_measured([ELBOW], rows, MeasuredCurves(t, q[None], measured[None]), how)
    return found


def test_known_friction_and_slope_are_found_again():
    found = laid(0.96 * RIGID + FRICTION)
    assert found.slope == pytest.approx(0.96, abs=1e-9)
    assert found.slope_within < 1e-6
    found = laid(RIGID + FRICTION)
    law = found.coulomb, found.viscous, found.offset
    np.testing.assert_allclose(law, (6.0, 3.0, 0.5), rtol=1e-9)
    assert found.fitted < 1e-9
    inner = slice(1500, -150)  # the second half less what the end disturbs
    left, size = (zero_phase(x, RATE, 1.0)[inner] for x in (FRICTION, RIGID + FRICTION))
    assert found.rigid == pytest.approx(np.sqrt((left**2).sum() / (size**2).sum()), rel=1e-3)


def test_a_log_that_was_low_passed_is_fitted_where_friction_goes_through_the_filter_too():
    """Below the log's own 1.7 Hz; an unfiltered sign leaves 10 % of this torque."""
    log = zero_phase(RIGID + FRICTION, RATE, 1.7)
    found = laid(log, how=replace_cutoff(0.8))
    assert found.fitted < 0.01
    columns = np.stack([np.sign(QD), QD, np.ones_like(QD)])
    left = zero_phase(log - RIGID, RATE, 0.8)
    x = np.linalg.lstsq(columns.T, left, rcond=None)[0]
    assert np.std(left - x @ columns) > 0.08 * np.std(log)


def replace_cutoff(cutoff):
    return MeasuredFacts(cutoff=cutoff, bandwidth=1.7, middle=15.0, torque_from="known")


def test_friction_that_the_run_has_is_scored_as_it_is():
    assert laid(RIGID + FRICTION).own is None
    assert laid(RIGID + FRICTION, own=RIGID + FRICTION).own == pytest.approx(0.0, abs=1e-12)


def test_a_drive_that_friction_would_push_has_none():
    found = laid(RIGID - 6.0 * np.sign(QD) + 3.0 * QD)
    assert found.coulomb == 0
    assert found.viscous >= 0


def test_the_middle_parts_what_is_fitted_from_what_is_scored():
    """Friction that doubles after the middle is that of the first half."""
    found = laid(RIGID + np.where(HOW.middle > T, 1.0, 2.0) * FRICTION)
    assert found.coulomb == pytest.approx(6.0, rel=0.05)  # a period of the filter has both
    assert found.fitted > 0.3


def test_a_gap_is_no_part_of_the_scores():
    keep = (T < 9) | (T > 11)
    rows = OwnCurves(*(row[None, keep] for row in (Q, QD, RIGID, RIGID)))
    measured = MeasuredCurves(T[keep], Q[None, keep], (RIGID + FRICTION)[None, keep])
    (found,) = beside_measured([ELBOW], rows, measured, HOW)
    assert (found.fitted, found.motion) == (pytest.approx(0, abs=1e-9), 0)


def test_a_joint_at_rest_tells_nothing_and_positions_apart_are_told():
    found = laid(RIGID + FRICTION, q=np.full_like(Q, 0.3))
    assert np.isnan(found.slope)
    assert found.coulomb == 0
    assert laid(RIGID, q=Q + 0.01).motion == pytest.approx(0.01, rel=1e-9)


def test_a_log_that_is_too_short_for_its_cut_off_is_refused():
    with pytest.raises(ForeignError, match=r"after 29\.5 s .* record a longer log"):
        laid(RIGID, how=MeasuredFacts(cutoff=1.0, bandwidth=2.0, middle=29.5, torque_from=""))
