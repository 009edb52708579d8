import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import ModelError
from sim.robots import load_robot
from sim.robots.card import Card, read_card

ARM = """\
title = "An arm"
joints = ["turn", "lift"]
prismatic = ["lift"]
ik = "ur"

[sources]
BOOK = "A. Author: A Book, 1999"
SHEET = "A data sheet"

[tool]
link = "tip"
source = ["BOOK"]
status = "published"

[dh]
a = [0.5, 0]
d = [0.1, 0]
alpha = [90, -90]
theta = [180, 0]
source = ["BOOK", "SHEET"]
status = "published"

[pose.home]
q = [45, 0.25]
source = []
status = "assumed"
note = "nobody says where it starts"

[range]
lower = [-170, 0]
upper = [170, 0.5]
source = ["SHEET"]
status = "published"

[speed]
values = [90, 0.75]
source = ["SHEET"]
status = "unverified"
note = "the sheet was not found"

[torque]
values = [12, 300]
source = []
status = "computed"

[payload]
value = 3
source = ["SHEET"]
status = "published"

[reach]
value = 0.9
source = ["SHEET"]
status = "published"

[urdf.masses]
source = ["BOOK"]
status = "assumed"
note = "uniform rods"
"""


class Fault(NamedTuple):
    """A change that breaks the card, and what the message must say."""

    old: str
    new: str
    says: tuple[str, ...]


FAULTS = {
    "no TOML": Fault('title = "An arm"', "title = An arm", ("Invalid value", "line 1")),
    "no title": Fault('title = "An arm"', "", ("missing required field `title`",)),
    "unknown key": Fault("ik =", "color =", ("unknown field `color`",)),
    "unknown key of a group": Fault('"tip"', '"tip"\nweight = 3', ("`weight`", "`tool`")),
    "no status": Fault('status = "computed"', "", ("missing required field `status`", "`torque`")),
    "no source": Fault(
        'source = []\nstatus = "computed"', 'status="computed"', ("`source`", "`torque`")
    ),
    "unknown status": Fault('"computed"', '"guessed"', ("'guessed'", "`torque.status`")),
    "word for a number": Fault("[0.5, 0]", '["0.5", 0]', ("`float`", "`str`", "`dh.a[0]`")),
    "truth for a number": Fault("value = 3", "value = true", ("`bool`", "`payload.value`")),
    "not a number": Fault("[45, 0.25]", "[45, nan]", ("q has nan", "finite", "`pose")),
    "infinite": Fault("value = 0.9", "value = inf", ("value has inf", "finite", "`reach`")),
    "too few": Fault("d = [0.1, 0]", "d = [0.1]", ("dh.d: has 1 numbers, it needs 2",)),
    "pose too long": Fault("[45, 0.25]", "[45, 0, 0]", ("pose.home.q: has 3 numbers",)),
    "range too short": Fault("[170, 0.5]", "[170]", ("range.upper: has 1 numbers",)),
    "unknown source": Fault(
        'source = ["BOOK", "SHEET"]', 'source = ["WEB"]', ("dh.source: 'WEB'", "BOOK, SHEET")
    ),
    "published nowhere": Fault(
        'source = []\nstatus = "computed"',
        'source = []\nstatus = "published"',
        ("need at least one source", "`torque`"),
    ),
    "assumed without reason": Fault(
        'note = "nobody says where it starts"', "", ("assumed numbers need a note", "`pose")
    ),
    "unverified with a blank reason": Fault(
        "the sheet was not found", " ", ("unverified numbers need a note", "`speed`")
    ),
    "entry without note": Fault('note = "uniform rods"', "", ("`note`", "`urdf")),
    "range upside down": Fault("[170, 0.5]", "[170, -1]", ("limit 0", "limit -1", "`range`")),
    "endless range": Fault("[170, 0.5]", "[170, inf]", ("upper has inf", "finite", "`range`")),
    "negative torque": Fault("[12, 300]", "[12, -3]", ("> 0", "`torque.values[1]`")),
    "zero payload": Fault("value = 3", "value = 0", ("> 0", "`payload.value`")),
    "joint twice": Fault('["turn", "lift"]', '["lift", "lift"]', ("joints: 'lift'", "twice")),
    "unknown prismatic": Fault(
        'prismatic = ["lift"]', 'prismatic = ["slide"]', ("prismatic: 'slide'", "turn, lift")
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_named_with_its_key(fault):
    assert ARM.count(fault.old) == 1
    with pytest.raises(ModelError) as caught:
        read_card(ARM.replace(fault.old, fault.new), source="arm.toml")
    message = str(caught.value)
    assert message.startswith("arm.toml: ")
    for piece in fault.says:
        assert piece in message


def test_angles_become_radians_and_lengths_stay_metres():
    card = read_card(ARM)
    assert card.joints == ("turn", "lift")
    assert card.dh.a == (0.5, 0)
    assert card.dh.d == (0.1, 0)
    assert card.dh.alpha == (math.pi / 2, -math.pi / 2)
    assert card.dh.theta == (math.pi, 0)
    assert card.poses == {"home": (math.pi / 4, 0.25)}
    assert card.range.lower == (math.radians(-170), 0)
    assert card.range.upper == (math.radians(170), 0.5)
    assert card.speed.values == (math.pi / 2, 0.75)
    assert card.torque.values == (12, 300)
    assert (card.payload.value, card.reach.value) == (3, 0.9)
    assert (card.tool.link, card.ik) == ("tip", "ur")


@given(st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=2))
def test_a_pose_in_degrees_is_the_same_pose_in_radians(q):
    card = read_card(ARM.replace("[45, 0.25]", repr(q)))
    assert card.poses["home"] == (math.radians(q[0]), q[1])


def test_every_group_keeps_its_source_and_status():
    groups = read_card(ARM).groups()
    assert {key: (group.source, group.status) for key, group in groups.items()} == {
        "tool": (("BOOK",), "published"),
        "dh": (("BOOK", "SHEET"), "published"),
        "pose.home": ((), "assumed"),
        "range": (("SHEET",), "published"),
        "speed": (("SHEET",), "unverified"),
        "torque": ((), "computed"),
        "payload": (("SHEET",), "published"),
        "reach": (("SHEET",), "published"),
        "urdf.masses": (("BOOK",), "assumed"),
    }


def test_what_no_source_vouches_for_is_said_in_sentences():
    assert read_card(ARM).assumptions() == (
        "The rated speed is unverified: the sheet was not found",
        "Pose 'home' is assumed: nobody says where it starts",
        "URDF entry 'masses' is assumed: uniform rods",
    )


def test_a_card_may_say_as_little_as_its_title_and_joints():
    card = read_card('title = "x"\njoints = ["a"]\nsources = {}')
    assert isinstance(card, Card)
    assert card.poses == {}
    assert card.groups() == {}
    assert card.assumptions() == ()


def test_a_card_cannot_be_changed():
    with pytest.raises(AttributeError):
        read_card(ARM).title = "another"


def test_the_shipped_card_names_every_doubtful_number():
    assumed = "\n".join(load_robot("ur10").card.assumptions())
    for name in ("'upright'", "'base_mass'", "'base_inertia'", "'shapes'"):
        assert name in assumed
    assert assumed.count("\n") == 3
