import math

from msgspec.structs import replace

from sim.comparison.sameness import ChannelDifference, Sameness
from sim.reports.terminal.repeats import repeats
from tests.helpers.terminal_texts import printed

SAME = Sameness(True, True, (), None, (), ())
OFF = replace(
    SAME, same=False, apart=("q.a", "tau.a"), furthest=ChannelDifference("tau.a", 2e-9, 1e-10, 0.5)
)
UNITS = {"tau.a": "N·m"}


def told(table, *inputs):
    parts = repeats("a/b", {"recording.parquet": table, "analytic.parquet": SAME}, inputs, UNITS)
    return printed(parts, 40).splitlines()


def test_the_same_is_one_line():
    assert told(SAME) == ["repeats  a/b  same to the bit"]


def test_a_difference_has_file_channel_size_unit_time_and_share():
    first, table, last = told(OFF)
    assert first == "repeats  a/b  differs"
    assert table == (
        "differs  recording.parquet: 2 channels differ, tau.a most: "
        "2e-09 N·m at 0.5 s, 1e-10 of its peak"
    )
    assert last == "changed  no input that the descriptions list"


def test_what_is_not_a_number_apart_is_told_too():
    zero = replace(OFF, furthest=None)
    assert told(zero)[1].endswith("2 channels differ, only in the sign of zero")
    endless = replace(OFF, furthest=ChannelDifference("q.a", math.inf, math.inf, 0.5))
    assert "q.a most: inf at 0.5 s" in told(endless)[1]
    still = replace(OFF, furthest=ChannelDifference("tau.a", 1e-17, None, 0.5))
    assert told(still)[1].endswith("tau.a most: 1e-17 N·m at 0.5 s, and was zero")
    other = replace(SAME, same=False, same_times=False, missing=("ke",), new=("pe", "x"))
    assert told(other)[1:4] == [
        "differs  recording.parquet: its times differ",
        "differs  recording.parquet: lacks ke",
        "differs  recording.parquet: adds pe, x",
    ]
    assert told(replace(SAME, same=False))[1].endswith("its columns are in a different order")


def test_changed_inputs_are_told_and_counted():
    assert told(SAME, "parameter load: 1 → 2.5")[1:] == ["changed  parameter load: 1 → 2.5"]
    many = told(SAME, *(f"e.{k}: 1 → 2.5" for k in range(20)))
    assert many[1] == "changed  e.0: 1 → 2.5"
    assert many[-1] == "changed  8 more: see --json"
