"""A run whose curves are closed forms, against tables of the same closed forms."""

import numpy as np
import pytest

from sim.comparison import compare_with_foreign
from sim.errors import ForeignError
from sim.foreign import MappedCurve, MappedTable
from sim.reference import FOREIGN_RTOL
from tests.helpers.synthetic_runs import joint, recording

OWN = np.linspace(0.0, 2.0, 2001)


def q(t):
    return 0.7 * np.sin(3 * t) + 0.2


def tau(t):
    return 40 * np.cos(5 * t) + 5 * t


RUN = recording(OWN, {"q.elbow": q(OWN), "tau.elbow": tau(OWN)}, joint("elbow"))


def curve(channel, t, values, rounding=0.0, t_rounding=0.0):
    widths = [np.full(t.size, float(width)) for width in (rounding, t_rounding)]
    return MappedCurve(channel, channel, "in SI", t, values, *widths)


def theirs(*curves, start=0.0, left_out=()):
    return MappedTable("a.csv", curves, left_out, start)


def result(*curves, run=RUN, rtol=FOREIGN_RTOL, **said):
    return compare_with_foreign(run, theirs(*curves, **said), rtol)


T = np.arange(0.0, 2.0, 1 / 240)  # no sample of the run but a few


def test_other_sampling_is_no_difference():
    found = result(curve("q.elbow", T, q(T)), curve("tau.elbow", T, tau(T)))
    assert found.ok
    assert (found.missing, found.new, found.diverges) == ((), (), None)
    # the error of a cubic through four samples: h⁴ |tau''''| 3/128, of 40 cos 5t 6e-10
    assert all(d.worst < 1e-9 for d in found.differences)


def test_the_limit_is_of_the_size_of_their_own_curve_and_the_unit_ours():
    (one,) = result(curve("tau.elbow", T, tau(T)), rtol=1e-2).differences
    assert one.limit == pytest.approx(1e-2 * np.abs(tau(T)).max(), rel=1e-12)
    assert one.unit == "N·m"


@pytest.mark.parametrize(("share", "ok"), [(0.9e-3, True), (1.1e-3, False)])
def test_a_share_of_the_peak_beyond_the_limit_differs(share, ok):
    wrong = tau(T) + share * np.abs(tau(T)).max()
    found = result(curve("tau.elbow", T, wrong), curve("q.elbow", T, q(T)))
    assert found.ok is ok
    assert found.differences[0].channel == "tau.elbow"
    if not ok:
        assert found.diverges == 0.0


def test_the_time_of_the_worst_is_theirs():
    wrong = tau(T) + np.where(np.arange(T.size) == 100, 1.0, 0.0)
    (one,) = result(curve("tau.elbow", T, wrong)).differences
    assert (one.at, one.worst) == (pytest.approx(T[100]), pytest.approx(1.0, rel=1e-8))
    assert one.diverges == pytest.approx(T[100])


def test_what_print_rounds_away_is_no_difference():
    printed = np.round(tau(T), 1)  # half a unit is more than the limit of 0.05
    assert not result(curve("tau.elbow", T, printed), rtol=1e-5).ok
    found = result(curve("tau.elbow", T, printed, rounding=0.05), rtol=1e-5)
    assert found.ok
    assert any("½ last digit" in note for note in found.notes)
    # and no more than that
    assert not result(curve("tau.elbow", T, printed + 0.06, rounding=0.05), rtol=1e-5).ok


def test_a_time_that_is_rounded_in_print_moves_the_value_along_its_slope():
    uneven = np.sort(np.random.default_rng(3).uniform(0.0, 2.0, 200))
    printed = np.round(uneven, 3)
    assert not result(curve("tau.elbow", printed, tau(uneven)), rtol=1e-4).ok
    assert result(curve("tau.elbow", printed, tau(uneven), t_rounding=5e-4), rtol=1e-4).ok


def test_a_shorter_table_is_compared_over_the_common_time_and_it_says_so():
    t = T[(T >= 0.5) & (T <= 1.0)]
    found = result(curve("tau.elbow", t, tau(t)))
    assert found.ok
    (note,) = [note for note in found.notes if note.startswith("compared at")]
    assert f"{t.size} times from 0.5 to 1 s; the run lasts from 0 to 2 s" in note


def test_a_longer_table_is_cut_and_it_says_so():
    t = np.linspace(-1.0, 4.0, 501)
    found = result(curve("tau.elbow", t, tau(t)))
    assert found.ok
    assert any("1 of 1 external curves extend beyond the run" in note for note in found.notes)


@pytest.mark.parametrize(("first", "many"), [(13.0, "no"), (2.0, "one")])
def test_no_time_in_common_is_an_error_that_tells_the_remedy(first, many):
    t = np.linspace(first, first + 1, 11)
    with pytest.raises(ForeignError, match=rf"{many} time in common.*--start {first:g}$"):
        result(curve("tau.elbow", t, tau(t)))


@pytest.mark.parametrize("rtol", [0.0, -1.0, float("nan"), float("inf")])
def test_a_tolerance_is_a_positive_number(rtol):
    with pytest.raises(ForeignError, match="positive number"):
        result(curve("tau.elbow", T, tau(T)), rtol=rtol)


def test_quaternions_may_have_the_other_sign():
    angle = OWN * 2.5
    parts = dict(zip("wxyz", [np.cos(angle / 2), *(np.sin(angle / 2) * c for c in (0.6, 0, 0.8))],
                     strict=True))  # fmt: skip
    run = recording(OWN, {f"tool.q{c}": v for c, v in parts.items()}, joint("elbow"))
    other = [curve(f"tool.q{c}", OWN, np.where(OWN < 1, v, -v)) for c, v in parts.items()]
    assert result(*other, run=run).ok
    assert not result(*other[:3], run=run).ok  # of three parts nobody can tell


def test_a_jump_between_two_samples_may_be_anywhere_between_them():
    jump, step = 1.0004, (OWN >= 1.0005).astype(float)
    t = np.array([0.5, 0.99, 1.0003, 1.00045, 1.0011, 1.5])
    values = (t >= jump).astype(float)
    run = recording(OWN, {"tau.elbow": step}, joint("elbow"), corners=(jump,))
    assert result(curve("tau.elbow", t, values), run=run).ok
    late = curve("tau.elbow", t, (t >= 1.2).astype(float))
    assert not result(late, run=run).ok


@pytest.mark.parametrize(
    ("late", "ok"), [(0.0, True), (1e-3, True), (2.5e-3, False), (5e-3, False)]
)
@pytest.mark.parametrize("beside", [0.0, 3e-3, 10e-3])
def test_at_a_corner_ours_is_between_its_neighbours_and_nowhere_else(late, ok, beside):
    """A ramp of 100 N·m/s from 1 s on; theirs is late, within a sample of the corner or not."""
    ramp, corner = 100 * OWN, 1.0
    run = recording(OWN, {"tau.elbow": ramp}, joint("elbow"), corners=(corner,))
    t = np.array([0.2, corner + beside, 1.9])
    values = 100 * (t - np.array([0.0, late, 0.0]))
    found = result(curve("tau.elbow", t, values), run=run, rtol=1e-6)
    assert found.ok is (ok if beside == 0.0 else late == 0.0)


def test_a_curve_that_is_nothing_beside_its_kind_is_noise():
    noisy = {"tau.elbow": tau(OWN), "tau.wrist": 1e-6 * np.sin(900 * OWN)}
    run = recording(OWN, noisy, joint("elbow"), joint("wrist"))
    still = curve("tau.wrist", OWN, np.zeros(OWN.size))
    assert result(curve("tau.elbow", OWN, tau(OWN)), still, run=run).ok
    assert not result(still, run=run).ok  # alone it is all there is


def test_a_run_that_failed_is_the_same_as_nothing():
    found = result(curve("tau.elbow", T, tau(T)), run=RUN.with_description(verdict="fail"))
    assert not found.ok
    assert found.notes[0] == "the run itself failed its checks"


def test_a_value_of_ours_that_is_no_number_differs():
    broken = recording(OWN, {"tau.elbow": np.where(OWN == 1.0, np.nan, tau(OWN))}, joint("elbow"))
    assert not result(curve("tau.elbow", OWN, tau(OWN)), run=broken).ok


def test_what_was_left_out_and_the_start_are_told():
    found = result(curve("tau.elbow", T, tau(T)), start=13.0, left_out=("a", "b"))
    assert "ignored, no channel has this name: a, b" in found.notes
    assert "the run begins at 13 s of the external time" in found.notes
    assert "in SI: tau.elbow" in found.notes
