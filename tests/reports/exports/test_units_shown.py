import pytest

from sim.recording.schema.channels import GROUPS
from sim.reports.exports.units_shown import unit_shown


@pytest.mark.parametrize(
    ("unit", "shown"),
    [
        ("rad", ("deg", 57.29577951308232)),
        ("rad/s", ("deg/s", 57.29577951308232)),
        ("rad/s²", ("deg/s^2", 57.29577951308232)),
        ("m", ("mm", 1000.0)),
        ("m/s", ("mm/s", 1000.0)),
        ("m/s²", ("mm/s^2", 1000.0)),
        ("N·m", ("N*m", 1.0)),
        ("N", ("N", 1.0)),
        ("J", ("J", 1.0)),
        ("1", ("1", 1.0)),
    ],
)
def test_angles_lengths_and_their_rates_change_and_nothing_else(unit, shown):
    assert unit_shown(unit, degrees=True, millimetres=True) == shown


def test_each_is_asked_for_by_itself():
    assert unit_shown("rad", degrees=False, millimetres=True) == ("rad", 1.0)
    assert unit_shown("m", degrees=True, millimetres=False) == ("m", 1.0)


def test_every_unit_of_a_channel_becomes_plain_ascii():
    units = {g.unit for g in GROUPS.values()} | {g.sliding for g in GROUPS.values()}
    units |= {c.unit for g in GROUPS.values() for c in g.components.values()}
    assert all(unit_shown(u, degrees=False, millimetres=False)[0].isascii() for u in units)
