import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.checks.against_reference import against_reference, judge_reference
from sim.checks.run_view import RunView
from sim.errors import RecordingError
from sim.maths.print_rounding import half_unit
from sim.recording.schema.facts import GrowthFacts, SourceErrorFacts
from sim.reference.adams_results import QUANTITIES
from tests.helpers.synthetic_runs import recording, with_reference

EVERY = 10  # samples of the run to one of the reference
T = np.arange(101) / 1000  # [s]
LIMIT, PEER = 2e-5, 1e-3
POSITION = "tool.x"
ORIENTATION = ["tool.qx", "tool.qy", "tool.qz", "tool.qw"]


def printed(values):
    """What is left of numbers when they are printed with six digits."""
    return np.array([float(f"{value:.5e}") for value in values])


def referred(changes=None, *, reference=None, digits=6):
    """A run that equals its reference but for `changes`."""
    x = 3 + np.sin(20 * T)
    half = 2 * T
    columns = {POSITION: x, "tool.qx": np.sin(half), "tool.qw": np.cos(half)}
    columns |= {"tool.qy": np.zeros_like(T), "tool.qz": np.zeros_like(T), "q.hinge": 2 * half}
    theirs = pd.DataFrame(columns, index=pd.Index(T, name="t"))[[POSITION, *ORIENTATION]]
    theirs = theirs.iloc[::EVERY]
    theirs = theirs.apply(printed) if reference is None else reference(theirs)
    changed = {channel: values(columns[channel]) for channel, values in (changes or {}).items()}
    run = recording(T, columns | changed)
    tolerances = {"tolerances": {"tool.*": LIMIT}, "peer_tolerances": {"tool.*": PEER}}
    return with_reference(run, theirs, digits=digits, **tolerances)


def judged(*args, **facts):
    """Checks of such a run, by name and channel."""
    checks = judge_reference(referred(*args, **facts))
    return {(check.name, check.channel): check for check in checks}


def test_a_run_without_a_reference_is_not_judged_by_one():
    assert judge_reference(recording(T, {POSITION: T})) == ()


def test_each_channel_of_the_reference_is_judged_twice():
    checks = judged()
    assert set(checks) == {
        (name, channel)
        for name in ("reference", "reference RMS")
        for channel in (POSITION, *ORIENTATION)
    }
    assert all(check.ok for check in checks.values())
    worst, rms = checks["reference", POSITION], checks["reference RMS", POSITION]
    assert (worst.limit, worst.unit, rms.limit, rms.unit) == (LIMIT, "m", PEER, "m")


def test_what_the_print_rounds_away_counts_in_the_rms_only():
    checks = judged()
    assert checks["reference", POSITION].worst <= 1e-15
    # of six digits of 2 … 4, half a unit is 5e-6
    assert 1e-7 < checks["reference RMS", POSITION].worst < 5e-6


def bump(size, k=50):
    def change(values):
        values = values.copy()
        values[k] += size
        return values

    return change


@pytest.mark.parametrize("size", [3e-5, -3e-5])
def test_one_sample_beyond_the_tolerance_fails_with_its_time(size):
    worst = judged({POSITION: bump(size)})["reference", POSITION]
    assert not worst.ok
    assert worst.at == T[50]
    assert worst.worst == pytest.approx(abs(size), abs=1.001 * 2 * 5e-6)
    assert judged({POSITION: bump(size / 2)})["reference", POSITION].ok


def test_samples_between_those_of_the_reference_are_not_judged():
    assert all(check.ok for check in judged({POSITION: bump(1.0, 51)}).values())


def test_the_root_mean_square_is_over_all_samples_and_of_the_whole_difference():
    rms = judged({POSITION: bump(0.011)}, reference=lambda table: table)["reference RMS", POSITION]
    assert rms.worst == pytest.approx(0.011 / np.sqrt(11), rel=1e-12)  # one of 11 samples
    assert (rms.ok, rms.at) == (False, T[50])
    assert judged({POSITION: bump(0.001)})["reference RMS", POSITION].ok


def test_the_same_rotation_with_the_other_sign_is_the_same():
    def now_and_then(values):
        return np.where(np.arange(values.size) // 20 % 2 == 0, -values, values)

    plain = judged()
    assert judged(dict.fromkeys(ORIENTATION, now_and_then)) == plain


def test_another_rotation_is_not_the_same():
    failed = judged({"tool.qx": np.negative})  # turned the other way
    assert not failed["reference", "tool.qx"].ok
    assert failed["reference", POSITION].ok


def test_a_single_component_of_an_orientation_keeps_its_sign():
    only = judged({"tool.qx": np.negative}, reference=lambda table: table[["tool.qx"]])
    assert not only["reference", "tool.qx"].ok


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_fails_both_checks(value):
    checks = judged({POSITION: bump(value)})
    for name in ("reference", "reference RMS"):
        check = checks[name, POSITION]
        assert (check.ok, check.at) == (False, T[50])


def test_a_channel_that_the_run_does_not_have_is_an_error():
    with pytest.raises(RecordingError, match=r"no channel 'tool\.y'"):
        judged(reference=lambda table: table.rename(columns={POSITION: "tool.y"}))


def test_a_time_that_the_run_does_not_have_is_an_error():
    with pytest.raises(RecordingError, match=r"sample at t = 0.1004 s, where the run has none"):
        judged(reference=lambda table: table.rename(index={T[100]: 0.1004}))


@given(st.floats(1e-300, 1e300), st.integers(3, 12))
def test_a_number_is_within_half_a_unit_of_what_is_printed_of_it(value, digits):
    for signed in (value, -value):
        text = f"{signed:.{digits - 1}e}"
        unit = float("1e" + text.partition("e")[2]) * 10.0 ** (1 - digits)
        half = half_unit(np.array([float(text)]), digits)[0]
        assert half == pytest.approx(unit / 2, rel=1e-9)
        # and of the double that holds it, whose own rounding is 1e-16
        assert abs(signed - float(text)) <= half + 1e-15 * value


def test_zero_is_exact():
    np.testing.assert_array_equal(half_unit(np.array([0.0, -0.0]), 6), [0.0, 0.0])


def test_fewer_digits_forgive_more():
    # 2 … 4 with five digits: half a unit is 5e-5
    assert judged({POSITION: bump(6e-5)}, digits=5)["reference", POSITION].ok
    assert not judged({POSITION: bump(6e-5)})["reference", POSITION].ok


def test_the_recording_is_left_as_it_was():
    columns = {c: np.ones(3) for c in ORIENTATION}
    reference = pd.DataFrame(columns, index=pd.Index(T[:3], name="t")) * -1.0
    checks = judge_reference(with_reference(recording(T[:3], columns), reference))
    assert all(check.worst == 0 for check in checks)
    assert reference.to_numpy().max() == -1.0


def test_the_errors_lie_at_the_samples_that_were_printed_and_nowhere_else():
    run = referred({POSITION: bump(3e-5, 50)})
    judgements = {
        (one.check.name, one.check.channel): one for one in against_reference(RunView(run))
    }
    worst, rms = judgements["reference", POSITION], judgements["reference RMS", POSITION]
    assert worst.error.shape == T.shape
    assert worst.error.max() == worst.check.worst
    assert np.flatnonzero(worst.failing_samples(T)).tolist() == [50]
    assert not worst.error[np.arange(T.size) % EVERY != 0].any()
    assert rms.error is None
    assert np.flatnonzero(rms.failing_samples(T)).tolist() == [50]


# Size, and the source's own error


def loaded(peak, error, print_as=printed, **facts):
    """A run whose one channel swings up to `peak` and is off by `error` at the sample 0.05 s."""
    torque = next(one for one in QUANTITIES if one.name == "Rtorque")
    channel = torque.channels[1]
    curve = peak * np.cos(40 * T)
    theirs = pd.DataFrame({channel: curve}, index=pd.Index(T, name="t")).iloc[::EVERY]
    run = recording(T, {channel: bump(error)(curve)})
    growth = GrowthFacts(size=torque.growth.size, share=torque.growth.share)
    tolerances = {"tolerances": {torque.pattern: torque.tolerance}, "peer_tolerances": {"*": 1e9}}
    return with_reference(
        run, theirs.apply(print_as), growth={torque.pattern: growth}, **tolerances, **facts
    )


def passes(*args, **facts):
    judged, _ = against_reference(RunView(loaded(*args, **facts)))
    return judged.check.ok


@pytest.mark.parametrize(("peak", "error"), [(601.0, 0.09), (1754.0, 0.065), (-601.0, -0.09)])
def test_the_noise_of_a_large_torque_passes(peak, error):
    assert passes(peak, error)


@pytest.mark.parametrize("peak", [35.0, 100.0, 601.0, 1754.0, 1e6])
def test_a_thousandth_of_a_torque_does_not(peak):
    for share in (1e-3, 2e-3):
        assert not passes(peak, share * peak)


@pytest.mark.parametrize("peak", [1e-3, 1.0, 13.9, 31.4])
def test_a_torque_of_the_published_cases_has_the_tolerance_it_had(peak):
    exact = {"print_as": lambda values: values, "digits": 17}
    assert passes(peak, 2.99e-3, **exact)
    assert not passes(peak, 3.01e-3, **exact)


def test_a_source_that_is_off_itself_is_allowed_that_and_says_so():
    own = SourceErrorFacts(errors={"measure.*": 0.5}, reason="it is known")
    assert not passes(20.0, 0.45)
    assert passes(20.0, 0.45, own=own)
    assert not passes(20.0, 0.51, own=own)
    found, rms = against_reference(RunView(loaded(20.0, 0.45, own=own)))
    assert found.check.limit == pytest.approx(0.503, rel=1e-12)
    assert "0.5 N·m error of the source (it is known)" in found.note
    assert rms.note == ""


def test_the_root_mean_square_may_be_larger_by_as_much_as_the_largest_difference():
    run = loaded(1035.0, 0.0)
    facts = {"growth": run.run.reference.growth, "peer_tolerances": {"*": 1e-2}}
    limits = [one.check.limit for one in against_reference(RunView(run))]
    closer = with_reference(run, run.reference, tolerances={"*": 3e-3}, **facts)
    assert [one.check.limit for one in against_reference(RunView(closer))] == pytest.approx(
        [limits[0], 1e-2 + limits[0] - 3e-3], rel=1e-12
    )
