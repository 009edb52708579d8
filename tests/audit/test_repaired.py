"""Repairs in the audit: one finding a repair, as grave as what rests on it."""

import pytest

from sim.audit import audit
from sim.audit.refusals import repair_warnings
from sim.robots import Repair
from tests.robots.test_mending import SLIPS
from tests.robots.test_repair import CLEAN, NEUTRAL, arm, body

REPAIR = Repair("no body", "link 'arm'", "mass -1 kg", "mass 0 kg", ("a", "b"), "it is low")


def test_a_repair_is_a_warning_with_what_was_taken_and_which_joints_it_touches():
    (one,) = repair_warnings([REPAIR])
    assert (one.severity, one.code, one.link_or_joint) == ("warning", "repaired", "arm")
    for words in ("mass -1 kg", "mass 0 kg", "it is low", "a, b"):
        assert words in one.text
    assert list(repair_warnings([])) == []


@pytest.fixture
def grave(tmp_path, monkeypatch):
    """Errors and warnings of a text, without what is said of the sizes and drives of these arms.

    Pinocchio reads a slip in its own way; that its torques differ is a finding of its own. What
    other programs make of a file adds none.
    """
    monkeypatch.setattr("sim.audit.auditing.readings_of", lambda *_: ())

    def of(text):
        path = tmp_path / "robot.urdf"
        path.write_text(text, encoding="utf-8")
        found = audit(path).findings
        codes = (
            "copied-inertia",
            "inertia-too-large",
            "centre-outside",
            "torques-differ",
            "weak-drive",
        )
        return [f for f in found if f.severity != "note" and f.code not in codes]

    return of


HELD = ("inertia without mass on the ground", "the same on a cover")  # how Bullet holds a base
ROWS = {
    k: v[:2]
    for k, v in {**NEUTRAL, **SLIPS}.items()
    if k not in HELD and v[1] != "one end"  # 0 by the standard: a note
}


@pytest.mark.parametrize(("text", "kind"), ROWS.values(), ids=ROWS.keys())
def test_what_is_repaired_is_one_finding_and_no_error(text, kind, grave):
    (one,) = grave(text)
    assert one.severity == "warning"
    assert one.code == ("impossible-inertia" if "body" in kind or "moments" in kind else "repaired")
    assert "read as: " in one.text
    whole = one.link_or_joint in ("robot", "arm", "file")
    assert whole or one.line == 1  # the text is one line


@pytest.mark.parametrize(
    ("link", "fault", "severity"),
    [
        ("c", {"moments": "0.1 0.2 0.6"}, "error"),  # no body, and the hinges feel it
        ("c", {"product": "0.24"}, "error"),
        ("c", {"moments": "0.2 0.25 0.4504"}, "warning"),  # as printed digits make it
        ("cover", {"moments": "0.1 0.2 0.6"}, "warning"),  # it never moves
        ("flange", {"mass": "0"}, "warning"),  # Bullet's way to write a frame
    ],
)
def test_an_impossible_body_is_as_grave_as_what_rests_on_it(link, fault, severity, grave):
    (one,) = grave(arm(**{link: body(link, **fault)}))
    assert (one.code, one.severity, one.link_or_joint) == ("impossible-inertia", severity, link)
    assert "read as: " in one.text
    assert one.remedy.startswith("export mass and tensor from CAD")


@pytest.mark.parametrize("name", HELD)
def test_a_tensor_without_mass_on_what_never_moves_is_a_note(name, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(NEUTRAL[name][0], encoding="utf-8")
    (one,) = [f for f in audit(path).findings if f.code == "impossible-inertia"]
    assert one.severity == "note"
    assert one.remedy.startswith("none if the link never moves")


def test_a_clean_file_has_none(grave):
    assert grave(CLEAN) == []
