import msgspec
import numpy as np
import pytest

from sim.errors import ModelError
from sim.robots import load_robot, shipped_robots
from sim.robots.card import Card, Offsets, read_card
from sim.robots.card_text import card_text

CARDS = [name for name in shipped_robots() if load_robot(name).card is not None]


@pytest.mark.parametrize("name", CARDS)
def test_the_text_of_a_card_is_read_as_the_same_card(name):
    card = load_robot(name).card
    again = read_card(card_text(card, "a remark"))
    one, other = (msgspec.to_builtins(each) for each in (card, again))
    assert_same(one, other)


def assert_same(one, other):
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key, value in one.items():
            assert_same(value, other[key])
    elif isinstance(one, list | tuple) and one and isinstance(one[0], float):
        np.testing.assert_allclose(other, one, rtol=1e-11)
    else:
        assert other == one


def test_texts_with_quotes_breaks_and_odd_keys_come_back():
    card = Card(title='an "arm"\\\n\x7f', joints=("a b", "ä"), sources={"x.y": "é", "ok-1": "z"})
    assert read_card(card_text(card)) == card


def test_an_offset_is_what_a_drive_gives_at_rest_and_needs_its_source(tmp_path):
    """A hinge in balance: nothing but its offset."""
    (tmp_path / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="tip"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="turn" type="continuous"><parent link="base"/><child link="tip"/>'
        '<axis xyz="0 0 1"/></joint></robot>'
    )
    given = Offsets(source=("LOG",), status="identified", values=(0.7,))
    card = Card(title="arm", joints=("turn",), sources={"LOG": "a log"}, friction_offset=given)
    (tmp_path / "arm.toml").write_text(card_text(card))
    (spring,) = load_robot(tmp_path / "arm.urdf").joint("turn").forces
    assert spring.effort(None, np.zeros(1), np.zeros(1)) == -0.7
    with pytest.raises(ModelError, match="identified numbers need at least one source"):
        Offsets(source=(), status="identified", values=(0.7,))
