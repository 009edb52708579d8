"""sim audit --fix: the same robot again from a file in millimetres and degrees."""

import math
import re

import numpy as np
import pytest

import sim
from sim import shipped
from sim.audit import audit
from sim.audit.fixing import fix
from sim.robots import read_urdf

SOUND = (shipped.scenarios() / "two_link.urdf").read_text(encoding="utf-8")
# ranges, an orientation and a speed that are whole in degrees, so that a file may be in them
TURNED = (
    SOUND.replace('lower="-2.5" upper="2.5"', f'lower="{-math.radians(150)!r}" upper="2.0"')
    .replace('upper="2.0"', f'upper="{math.radians(150)!r}"')
    .replace('lower="-3', f'lower="{-math.radians(170)!r}" was="-3')
)
TURNED = re.sub(r' was="[^"]*" upper="[^"]*"', f' upper="{math.radians(170)!r}"', TURNED)


def rewritten(text, attribute, factor):
    """The text with the numbers of an attribute multiplied."""

    def scaled(found):
        numbers = " ".join(f"{float(v) * factor:.12g}" for v in found[2].split())
        return f'{found[1]}"{numbers}"'

    return re.sub(rf'(\b{attribute}=)"([^"]*)"', scaled, text)


def in_cad_units(text):
    """The text as a CAD program writes it that was told nothing: mm, degrees, kg·mm²."""
    origins = re.sub(r"<origin [^>]*>", lambda m: rewritten(m[0], "xyz", 1e3), text)
    for attribute in ("size",):
        origins = rewritten(origins, attribute, 1e3)
    for attribute in ("ixx", "iyy", "izz"):
        origins = rewritten(origins, attribute, 1e6)
    for attribute in ("lower", "upper"):
        origins = rewritten(origins, attribute, 180 / np.pi)
    return origins


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
