import numpy as np
import pytest
from hypothesis import given
from lxml import etree

from sim.engines.bullet.engine_urdf import FRAME_MASS, engine_urdf, principal_urdf
from sim.maths import rotation_from_rpy
from sim.robots import load_robot, read_urdf
from tests.helpers.examples import examples
from tests.helpers.random_worlds import robots
from tests.helpers.small_robots import geared, joint, link, robot

# PyBullet's reader breaks longer lines in two.
LONGEST_LINE = 8191


def elements(text, kind):
    return {each.get("name"): each for each in etree.fromstring(text.encode()).findall(kind)}


def numbers(element, key):
    return np.array([float(word) for word in element.get(key, "0 0 0").split()])


def inertia_of(element):
    """Mass, mass centre and tensor in the link frame, as any reader of URDF finds them."""
    inertial = element.find("inertial")
    (ixx, ixy, ixz, iyy, iyz, izz) = (
        float(inertial.find("inertia").get(key))
        for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    R = rotation_from_rpy(numbers(inertial.find("origin"), "rpy"))
    tensor = R @ np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]) @ R.T
    mass = float(inertial.find("mass").get("value"))
    return mass, numbers(inertial.find("origin"), "xyz"), tensor


@pytest.mark.parametrize("written", [engine_urdf, principal_urdf])
def test_links_without_mass_weigh_next_to_nothing(written):
    arm = link("arm", 1.0), joint("hinge", "revolute", "ground", "arm", "0 0 1")
    bare = '<link name="bare"/>', joint("weld", "fixed", "arm", "bare", "1 0 0")
    null = link("null", 0.0), joint("weld_2", "fixed", "arm", "null", "1 0 0")
    links = elements(written(robot(*arm, *bare, *null)), "link")
    for name in ("ground", "bare", "null"):
        mass, com, tensor = inertia_of(links[name])
        assert mass == FRAME_MASS <= 1e-12
        assert not com.any()
        assert not tensor.any()
    assert inertia_of(links["arm"])[0] == 1.0


@pytest.mark.parametrize("written", [engine_urdf, principal_urdf])
def test_axes_are_unit_vectors_to_the_last_digit_and_written_out(written):
    rounded = link("arm", 1.0), joint("hinge", "revolute", "ground", "arm", "0.70711 0.70711 0")
    plain = '<joint name="slide" type="prismatic"><parent link="arm"/><child link="load"/>'
    limit = '<limit lower="0" upper="1" effort="1" velocity="1"/></joint>'
    joints = elements(written(robot(*rounded, link("load", 1.0), plain + limit)), "joint")
    (axis,) = joints["hinge"].findall("axis")
    np.testing.assert_allclose(numbers(axis, "xyz"), [0.5**0.5, 0.5**0.5, 0], rtol=1e-15)
    assert joints["slide"].findall("axis") == []  # x, as the standard says and as PyBullet takes it


@pytest.mark.parametrize("written", [engine_urdf, principal_urdf])
def test_shapes_and_mimics_are_left_out(written):
    shape = '<geometry><box size="1 1 1"/></geometry>'
    shapes = f"<visual>{shape}</visual><visual>{shape}</visual><collision>{shape}</collision>"
    text = geared(0.1, 0.1, 2.0).text.replace("</inertial>", f"</inertial>{shapes}")
    words = written(read_urdf(text))
    for tag in ("<visual", "<collision", "<mimic"):
        assert tag in text
        assert tag not in words
    assert set(elements(words, "joint")) == {"input", "output"}


def test_the_rest_of_the_text_stays_as_the_user_wrote_it():
    ur10 = load_robot("ur10").with_payload(10.0, (0, 0, 0.1))
    original, written = elements(ur10.text, "link"), elements(engine_urdf(ur10), "link")
    for name, each in original.items():
        if ur10.link(name).inertia is not None:
            wanted = etree.tostring(each.find("inertial"), method="c14n")
            found = etree.tostring(written[name].find("inertial"), method="c14n")
            assert b"".join(found.split()) == b"".join(wanted.split())
    original, written = elements(ur10.text, "joint"), elements(engine_urdf(ur10), "joint")
    for name, each in original.items():
        for tag in ("parent", "child", "origin"):
            if each.find(tag) is not None:
                assert dict(written[name].find(tag).attrib) == dict(each.find(tag).attrib)


@given(robots(mimic=True))
def test_principal_inertias_are_those_of_the_model(found):
    links = elements(principal_urdf(found), "link")
    for each in found.links:
        if each.inertia is None or each.inertia.mass == 0:
            continue
        mass, com, tensor = inertia_of(links[each.name])
        assert mass == each.inertia.mass
        np.testing.assert_array_equal(com, each.inertia.com)
        size = np.trace(each.inertia.tensor)
        np.testing.assert_allclose(tensor, each.inertia.tensor, rtol=0, atol=1e-14 * size)
        written = links[each.name].find("inertial/inertia")
        assert not any(float(written.get(key)) for key in ("ixy", "ixz", "iyz"))


def test_a_nearly_diagonal_tensor_keeps_its_small_entries():
    """Its principal axes, in the order of the moments, have roll and yaw about one axis."""
    tilt = rotation_from_rpy((1e-6, -2e-6, 3e-6))
    tensor = tilt @ np.diag([0.04, 0.03, 0.02]) @ tilt.T
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = ((tensor + tensor.T) / 2).tolist()
    body = (
        f'<link name="arm"><inertial><mass value="1"/><inertia ixx="{ixx!r}" ixy="{ixy!r}" '
        f'ixz="{ixz!r}" iyy="{iyy!r}" iyz="{iyz!r}" izz="{izz!r}"/></inertial></link>'
    )
    arm = robot(body, joint("hinge", "revolute", "ground", "arm", "0 0 1"))
    found = inertia_of(elements(principal_urdf(arm), "link")["arm"])[2]
    np.testing.assert_allclose(found, tensor, rtol=0, atol=1e-16)


def test_a_diagonal_tensor_stays_as_it_is():
    arm = link("arm", 1.0, moments="0.03 0.01 0.02")
    one = robot(arm, joint("hinge", "revolute", "ground", "arm", "0 0 1"))
    inertial = elements(principal_urdf(one), "link")["arm"].find("inertial")
    assert [inertial.find("inertia").get(k) for k in ("ixx", "iyy", "izz")] == [
        "0.03",
        "0.01",
        "0.02",
    ]
    np.testing.assert_array_equal(numbers(inertial.find("origin"), "rpy"), [0, 0, 0])


def test_a_thin_rod_has_no_negative_moment():
    axis = np.array([0.36, 0.48, 0.8])
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = (np.eye(3) - np.outer(axis, axis)).tolist()
    body = (
        f'<link name="rod"><inertial><mass value="1"/><inertia ixx="{ixx!r}" ixy="{ixy!r}" '
        f'ixz="{ixz!r}" iyy="{iyy!r}" iyz="{iyz!r}" izz="{izz!r}"/></inertial></link>'
    )
    rod = robot(body, joint("hinge", "revolute", "ground", "rod", "0 0 1"))
    inertia = elements(principal_urdf(rod), "link")["rod"].find("inertial/inertia")
    assert all(float(inertia.get(key)) >= 0 for key in ("ixx", "iyy", "izz"))


@given(robots())
@examples(10)
def test_a_text_on_one_line_is_broken_into_lines_that_bullet_can_read(found):
    flat = read_urdf(" ".join(found.text.split()))
    for written in (engine_urdf(flat), principal_urdf(flat)):
        assert max(map(len, written.splitlines())) < LONGEST_LINE // 4
        assert len(elements(written, "link")) == len(flat.links)
