import math

import msgspec
import numpy as np
import pytest

from sim.errors import RecordingError
from sim.recording.schema.facts import GrowthFacts, ReferenceFacts, SourceErrorFacts
from sim.reference.limits import (
    Growth,
    SourceError,
    allowed_error,
    allowed_rms,
    tolerance_of,
)

REASON = "two of its files describe one motion and differ"


def facts(**changes):
    bare = ReferenceFacts(
        source="another program",
        digits=6,
        tolerances={"tau.*": 3e-3, "*": 1e-5},
        peer="a third one",
        peer_tolerances={"*": 0.1},
        channels=("tau.a", "q.a"),
    )
    return msgspec.structs.replace(bare, **changes)


GROWING = {"tau.*": GrowthFacts(size=35.0, share=3e-4)}
OFF = SourceErrorFacts(errors={"q.*": 8e-4}, reason=REASON)


def curve(peak):
    return np.array([0.0, peak, -0.5 * peak])


def test_the_first_pattern_that_matches_gives_the_tolerance():
    tolerances = {"tool.[xyz]": 1e-5, "tool.*": 1e-3}
    assert tolerance_of("tool.x", tolerances) == 1e-5
    assert tolerance_of("tool.vx", tolerances) == 1e-3


@pytest.mark.parametrize("peak", [0.0, 1e-9, 34.9, 35.0, -35.0])
def test_up_to_its_size_a_tolerance_holds_as_it_stands(peak):
    assert allowed_error("tau.a", curve(peak), facts(growth=GROWING)).limit == 3e-3
    assert allowed_rms("tau.a", curve(peak), facts(growth=GROWING)).limit == 0.1


@pytest.mark.parametrize(
    ("peak", "more"), [(135.0, 0.03), (601.0, 0.1698), (-601.0, 0.1698), (1e6 + 35, 300.0)]
)
def test_beyond_it_grows_by_a_share_of_what_the_peak_has_more(peak, more):
    found = allowed_error("tau.a", curve(peak), facts(growth=GROWING))
    assert found.grown == pytest.approx(more, rel=1e-12)
    assert found.limit == pytest.approx(3e-3 + more, rel=1e-12)
    rms = allowed_rms("tau.a", curve(peak), facts(growth=GROWING))
    assert rms.limit == pytest.approx(0.1 + more, rel=1e-12)


def test_another_channel_does_not_grow_and_without_a_growth_none_does():
    assert allowed_error("q.a", curve(1e6), facts(growth=GROWING)).limit == 1e-5
    assert allowed_error("tau.a", curve(1e6), facts()).limit == 3e-3


def test_what_the_source_is_off_by_is_added_to_the_largest_difference_alone():
    off = facts(own=OFF)
    assert allowed_error("q.a", curve(1.0), off).limit == pytest.approx(8.1e-4, rel=1e-12)
    assert allowed_error("tau.a", curve(1.0), off).limit == 3e-3
    assert allowed_rms("q.a", curve(1.0), off).limit == 0.1


def test_what_a_limit_is_made_of_is_said_where_it_is_not_the_tolerance_alone():
    both = facts(growth=GROWING, own=msgspec.structs.replace(OFF, errors={"tau.*": 0.5}))
    assert allowed_error("q.a", curve(1.0), both).in_words("rad", REASON) == ""
    assert allowed_error("tau.a", curve(135.0), both).in_words("N·m", REASON) == (
        f"0.003 N·m, 0.03 N·m proportional to the curve, 0.5 N·m error of the source ({REASON})"
    )


def test_a_source_tells_its_errors():
    assert SourceError({"q.*": 8e-4, "qd.*": 2e-3}, REASON).in_words() == (
        f"error of the source up to 0.0008 in q.*, 0.002 in qd.* ({REASON})"
    )


NOT_POSITIVE = [0.0, -1e-9, math.nan, math.inf, -math.inf, "1", None, True]


@pytest.mark.parametrize("value", NOT_POSITIVE)
def test_what_is_no_positive_number_is_refused(value):
    says = rf"must be a positive finite number, got {value!r}"
    with pytest.raises(RecordingError, match=f"^A size up to which a tolerance holds {says}"):
        Growth(value, 0.1)
    with pytest.raises(RecordingError, match=f"^The share by which a tolerance grows {says}"):
        Growth(1.0, value)
    with pytest.raises(RecordingError, match=rf"^The source's own error in 'q\.\*' {says}"):
        SourceError({"q.*": value}, REASON)


def test_a_share_of_everything_is_refused():
    with pytest.raises(RecordingError, match="must be less than 1, got 1"):
        Growth(1.0, 1.0)


@pytest.mark.parametrize(("errors", "reason"), [({}, REASON), ({"q.*": 1.0}, " ")])
def test_an_error_without_a_channel_or_a_reason_is_refused(errors, reason):
    with pytest.raises(RecordingError, match="needs the channels it is in and the reason"):
        SourceError(errors, reason)
