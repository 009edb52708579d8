"""sim audit --fix: the same robot again from a file in millimetres and degrees."""

import math
import re

import numpy as np
import pytest
import trimesh

import sim
from sim import shipped
from sim.audit import audit
from sim.audit.fixing import fix
from sim.robots import load_robot, read_urdf
from sim.shapes import link_masses
from tests.helpers.cad_units import SOUND, TURNED, in_cad_units, rewritten
from tests.helpers.round_meshes import box


def test_a_file_in_millimetres_and_degrees_is_one_finding_and_is_fixed_to_the_same_robot(tmp_path):
    wrong, right = tmp_path / "cad.urdf", tmp_path / "si.urdf"
    wrong.write_text(in_cad_units(TURNED))
    found = audit(wrong)
    assert [f.code for f in found.findings if f.severity == "error"] == ["wrong-units"]
    (whole,) = (f for f in found.findings if f.code == "wrong-units")
    assert whole.text.startswith("this file is in millimetres and degrees: ")
    assert "--fix" in whole.remedy
    assert not any(f.code.startswith(("millimetres", "degrees")) for f in found.findings)
    fixed = fix(wrong, right)
    right.write_text(fixed.text)
    assert audit(right).findings == ()
    assert any("<inertia ixx> 50000 → 0.05" in change for change in fixed.changes)
    mine, theirs = read_urdf(fixed.text), read_urdf(TURNED)
    states = np.random.default_rng(1).uniform(-2, 2, (3, 2, 50))
    expected = sim.inverse_dynamics(theirs, *states)
    np.testing.assert_allclose(
        sim.inverse_dynamics(mine, *states), expected, rtol=0, atol=1e-12 * np.abs(expected).max()
    )
    for one, other in zip(mine.joints, theirs.joints, strict=True):
        assert one.limits.upper == pytest.approx(other.limits.upper, rel=1e-12)


def test_one_slip_alone_keeps_its_own_line_and_is_left_to_its_author(tmp_path):
    path = tmp_path / "a.urdf"
    path.write_text(SOUND.replace('<origin xyz="0 0 -0.5"/>', '<origin xyz="0 0 -500"/>'))
    assert "millimetres-in-origin" in {f.code for f in audit(path).findings}
    assert fix(path, tmp_path / "b.urdf").changes == ()


def test_slips_of_the_pen_are_written_as_they_are_read(tmp_path):
    path = tmp_path / "a.urdf"
    path.write_text(SOUND.replace('xyz="0 0 -0.25"', 'xyz="0, 0, -0.25"'))
    fixed = fix(path, tmp_path / "b.urdf")
    assert len(fixed.changes) == SOUND.count('xyz="0 0 -0.25"')
    assert read_urdf(fixed.text).repairs == ()
    q = np.ones((2, 1))
    np.testing.assert_array_equal(
        sim.gravity(read_urdf(fixed.text), q), sim.gravity(read_urdf(SOUND), q)
    )


def test_meshes_are_found_from_the_new_folder(tmp_path):
    (tmp_path / "there").mkdir()
    path = tmp_path / "a.urdf"
    path.write_text(SOUND.replace('<box size="0.05 0.05 0.5"/>', '<mesh filename="meshes/a.stl"/>'))
    fixed = fix(path, tmp_path / "there" / "b.urdf")
    assert 'filename="../meshes/a.stl"' in fixed.text
    assert 'filename="meshes/a.stl"' in fix(path, tmp_path / "b.urdf").text


EDGES = {"base": (200, 200, 100), "upper": (60, 60, 400), "fore": (50, 50, 300), "pad": (8, 8, 4)}


def cad_arm(folder, *, in_metres=(), limit=2.0, moments=1.0):
    """An arm of boxes whose meshes are in millimetres, but those of some links; the file is SI."""
    links, joints = [], []
    for k, (name, edges) in enumerate(EDGES.items()):
        drawn = np.array(edges) * (1e-3 if name in in_metres else 1.0)
        trimesh.Trimesh(*box(drawn)).export(folder / f"{name}.STL")
        mass = 2700e-9 * np.prod(edges)
        squares = np.square(np.array(edges) * 1e-3)
        xx, yy, zz = moments * mass * (squares.sum() - squares) / 12
        shape = f'<geometry><mesh filename="{name}.STL"/></geometry>'
        links.append(
            f'<link name="{name}"><inertial><mass value="{mass}"/>'
            f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial>'
            f"<visual>{shape}</visual><collision>{shape}</collision></link>"
        )
        if k:
            joints.append(
                f'<joint name="j{k}" type="revolute"><parent link="{[*EDGES][k - 1]}"/>'
                f'<child link="{name}"/><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>'
                f'<limit lower="-{limit}" upper="{limit}" effort="50" velocity="2"/></joint>'
            )
    path = folder / "cad.urdf"
    path.write_text(f'<robot name="cad">{"".join(links + joints)}</robot>')
    return path


def test_meshes_in_millimetres_are_one_finding_and_get_their_scale(tmp_path):
    wrong, right = cad_arm(tmp_path), tmp_path / "si.urdf"
    (one,) = audit(wrong).findings  # and none on tensors, which rest on the sizes
    assert (one.severity, one.code, one.link_or_joint) == (
        "warning", "millimetres-in-mesh", "robot"
    )  # fmt: skip
    assert one.text.startswith("the meshes of 3 links are in millimetres: the shapes of 'upper'")
    assert "--fix" in one.remedy
    fixed = fix(wrong, right)
    right.write_text(fixed.text)
    assert len(fixed.changes) == fixed.fixes == 8  # the pad's too, 11 mm and not 11 m
    assert fixed.text.count('scale="0.001 0.001 0.001"') == 8
    assert audit(right).findings == ()
    for each in link_masses(load_robot(right), {}):
        # [m³]; an STL has single precision
        assert each.by_shapes.volume == pytest.approx(np.prod(EDGES[each.link]) * 1e-9, rel=1e-6)


def test_meshes_are_left_alone_where_one_without_a_scale_is_in_metres(tmp_path):
    path = cad_arm(tmp_path, in_metres=("base",))
    found = [f for f in audit(path).findings if f.code == "millimetres-in-mesh"]
    assert {f.link_or_joint for f in found} == {"upper", "fore"}
    assert not any(f.code.startswith(("inertia", "centre")) for f in audit(path).findings)
    assert fix(path, tmp_path / "b.urdf").changes == ()


def test_meshes_in_millimetres_do_not_turn_metres_of_a_file_in_degrees_into_millimetres(tmp_path):
    fixed = fix(cad_arm(tmp_path, limit=115), tmp_path / "b.urdf")
    robot = read_urdf(fixed.text, folder=tmp_path)
    assert [joint.limits.upper for joint in robot.joints] == pytest.approx([math.radians(115)] * 3)
    assert fixed.text.count('xyz="0 0 0.2"') == 3
    assert fixed.text.count('scale="0.001 0.001 0.001"') == 8


def test_tensors_of_the_same_exporter_are_converted_with_the_meshes(tmp_path):
    right = tmp_path / "si.urdf"
    right.write_text(fix(cad_arm(tmp_path, moments=1e6), right).text)
    assert audit(right).findings == ()
    largest = read_urdf(right.read_text(), folder=tmp_path).link("upper").inertia.tensor.max()
    assert largest == pytest.approx(2700 * 0.06 * 0.06 * 0.4 * (0.06**2 + 0.4**2) / 12, rel=1e-12)


@pytest.mark.parametrize("moments", [1e6, 1e9])
def test_tensors_of_a_file_in_millimetres_without_meshes_are_converted_too(tmp_path, moments):
    arm = load_robot(shipped.scenarios() / "my_arm.urdf")
    text = re.sub("<origin [^>]*>", lambda found: rewritten(found[0], "xyz", 1e3), arm.text)
    for key in ("ixx", "iyy", "izz"):
        text = rewritten(text, key, moments)
    (tmp_path / "mm.urdf").write_text(text)
    fixed = read_urdf(fix(tmp_path / "mm.urdf", tmp_path / "si.urdf").text)
    for one, other in zip(arm.links, fixed.links, strict=True):
        assert (one.inertia is None) == (other.inertia is None)
        if one.inertia is not None:
            assert other.inertia.tensor == pytest.approx(one.inertia.tensor, rel=1e-12)


def test_nothing_to_fix_is_no_fix(tmp_path):
    path = tmp_path / "a.urdf"
    path.write_text(SOUND)
    fixed = fix(path, tmp_path / "b.urdf")
    assert (fixed.changes, fixed.fixes) == ((), 0)
    assert "a.urdf with no changes" in fixed.text


def test_tensors_stay_where_one_of_them_may_be_in_kg_m2(tmp_path):
    """Two rods of 4 kg and 300 mm: 0.03 kg·m² is right, and 30000 kg·mm² the same."""
    links = "".join(
        f'<link name="{name}"><inertial><origin xyz="0 0 150"/><mass value="4"/>'
        f'<inertia ixx="{J}" iyy="{J}" izz="{J}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for name, J in (("a", 0.03), ("b", 30000))
    )
    joints = "".join(
        f'<joint name="{child}" type="continuous"><origin xyz="0 0 300"/><axis xyz="0 1 0"/>'
        f'<parent link="{parent}"/><child link="{child}"/></joint>'
        for parent, child in (("world", "a"), ("a", "b"))
    )
    (tmp_path / "mm.urdf").write_text(
        f'<robot name="x"><link name="world"/>{links}{joints}</robot>'
    )
    fixed = fix(tmp_path / "mm.urdf", tmp_path / "si.urdf")
    assert fixed.fixes == 4
    assert not any("<inertia" in change for change in fixed.changes)
