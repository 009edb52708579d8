import pytest

from sim.errors import RecordingError
from sim.recording.choosing import choose_channels

CHANNELS = ["q.a", "q.b", "tau.a", "tau.b", "energy", "tool.x", "tool.qx"]


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (None, CHANNELS),
        ("q.*", ["q.a", "q.b"]),
        (["tau.*", "q.a"], ["tau.a", "tau.b", "q.a"]),
        (["*.a", "q.*"], ["q.a", "tau.a", "q.b"]),
        (["tool.[xyz]"], ["tool.x"]),
        (["energy"], ["energy"]),
    ],
)
def test_patterns_choose_in_their_order_and_each_channel_once(patterns, found):
    assert choose_channels(CHANNELS, patterns) == found


def test_a_pattern_that_matches_nothing_names_what_is_near_and_what_is_there():
    with pytest.raises(RecordingError) as raised:
        choose_channels(CHANNELS, ["q.*", "tua.*"])
    said = str(raised.value)
    assert "No channel matches 'tua.*'" in said
    assert "nearest are tau.*" in said
    assert "q.* (2), tau.* (2), energy, tool.* (2)" in said


def test_capitals_count():
    with pytest.raises(RecordingError, match=r"'Q\.a'"):
        choose_channels(CHANNELS, ["Q.a"])


def test_no_pattern_at_all_is_an_error():
    with pytest.raises(RecordingError, match="No pattern"):
        choose_channels(CHANNELS, [])
