import msgspec
import numpy as np
import pandas as pd
import pytest

from sim.errors import RecordingError
from sim.recording.schema.facts import ReferenceFacts
from sim.reference.alignment import samples_at
from sim.reference.limits import Growth, SourceError
from sim.reference.reference import Reference

T = np.arange(0.0, 1.0005, 0.001)


def table(channels=("tool.x", "tool.vx"), times=(0.0, 0.5, 1.0)):
    values = dict.fromkeys(channels, np.zeros(len(times)))
    return pd.DataFrame(values, index=pd.Index(times, name="t"))


def reference(of=None, **changes):
    entries = {
        "source": "another program",
        "table": table() if of is None else of,
        "digits": 6,
        "tolerances": {"tool.[xyz]": 1e-5, "tool.*": 1e-3},
        "peer": "a third one",
        "peer_tolerances": {"*": 0.1},
    }
    return Reference(**{**entries, **changes})


@pytest.mark.parametrize("which", ["tolerances", "peer_tolerances"])
def test_a_channel_without_a_tolerance_is_refused(which):
    with pytest.raises(RecordingError) as caught:
        reference(**{which: {"tool.[xyz]": 1e-5, "q.*": 1.0}})
    assert str(caught.value) == (
        "The reference has no tolerance for channel 'tool.vx'; there are some for tool.[xyz], q.*"
    )


def test_its_description_is_plain_data_without_the_numbers():
    described = reference().describe()
    assert described == ReferenceFacts(
        source="another program",
        digits=6,
        tolerances={"tool.[xyz]": 1e-5, "tool.*": 1e-3},
        peer="a third one",
        peer_tolerances={"*": 0.1},
        channels=("tool.x", "tool.vx"),
    )
    data = msgspec.json.encode(described)
    assert msgspec.json.decode(data, type=ReferenceFacts) == described
    # runs from before these two keep their seals
    assert b"growth" not in data
    assert b"own" not in data


def test_its_description_keeps_how_it_grows_and_what_it_is_off_by():
    growth, own = Growth(30.0, 2e-4), SourceError({"tool.v?": 1e-3}, "it is known")
    described = reference(growth={"tool.v?": growth}, own=own).describe()
    assert (described.growth["tool.v?"].size, described.growth["tool.v?"].share) == (30.0, 2e-4)
    assert (described.own.errors, described.own.reason) == ({"tool.v?": 1e-3}, "it is known")
    data = msgspec.json.encode(described)
    assert msgspec.json.decode(data, type=ReferenceFacts) == described


@pytest.mark.parametrize("which", ["tolerances", "peer_tolerances"])
@pytest.mark.parametrize("value", [0.0, -1e-9, np.nan, np.inf, "1", None])
def test_a_tolerance_that_is_no_positive_number_is_refused(which, value):
    with pytest.raises(RecordingError, match=r"^The tolerance of '\*' must be a positive finite"):
        reference(**{which: {"*": value}})


@pytest.mark.parametrize("digits", [0, -1, 18, 2.5, 6.0, np.nan, True, "6"])
def test_digits_that_nobody_prints_are_refused(digits):
    with pytest.raises(RecordingError, match=r"must be printed with 1 to 17 digits, got "):
        reference(digits=digits)


@pytest.mark.parametrize("of", [table(channels=()), table().iloc[:0]])
def test_a_table_of_nothing_is_refused(of):
    with pytest.raises(RecordingError, match=r"\(another program\) has no samples"):
        reference(of)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_in_the_table_is_named(value):
    of = table()
    of.loc[0.5, "tool.vx"] = value
    with pytest.raises(RecordingError, match=r"not finite in channel 'tool.vx' at t = 0.5 s"):
        reference(of)


@pytest.mark.parametrize("times", [(0.0, 0.5, 0.5), (0.0, 1.0, 0.5), (0.0, np.nan, 1.0)])
def test_times_that_do_not_ascend_are_refused(times):
    with pytest.raises(RecordingError, match=r"must be finite and ascend"):
        reference(table(times=times))


def test_words_where_numbers_are_meant_are_refused():
    with pytest.raises(RecordingError, match=r"must hold numbers: could not convert"):
        reference(table().astype(object).replace(0.0, "nought"))


def test_samples_are_found_by_their_time_whatever_the_last_digits_are():
    np.testing.assert_array_equal(samples_at(T, np.array([0.0, 0.5, 1.0])), [0, 500, 1000])
    for rounding in (-1e-10, 1e-10):
        found = samples_at(T, np.array([0.01, 0.99, 1.0]) + rounding)
        np.testing.assert_array_equal(found, [10, 990, 1000])


@pytest.mark.parametrize(
    ("wanted", "named"), [([0.5, 0.7004], "0.7004"), ([-0.01, 0.5], "-0.01"), ([0.5, 1.01], "1.01")]
)
def test_a_time_without_a_sample_is_refused(wanted, named):
    with pytest.raises(RecordingError) as caught:
        samples_at(T, np.array(wanted))
    assert str(caught.value) == (
        f"The reference has a sample at t = {named} s, where the run has none, "
        "from 0 to 1 s in steps of 0.001 s"
    )


def test_a_run_that_has_all_channels_and_times_can_be_judged():
    reference().require_in(["tool.vx", "q.elbow", "tool.x"], T)


def test_a_channel_that_the_run_does_not_record_is_named():
    with pytest.raises(RecordingError, match=r"\(another program\) has a channel 'tool.vx' that"):
        reference().require_in(["tool.x"], T)


def test_a_run_with_too_coarse_steps_cannot_be_judged():
    with pytest.raises(RecordingError, match=r"sample at t = 0.5 s, where the run has none"):
        reference().require_in(["tool.x", "tool.vx"], np.array([0.0, 0.4, 0.8, 1.2]))


def test_its_times_are_called_t_whatever_the_table_calls_them():
    assert reference(table().rename_axis("time")).table.index.name == "t"
