"""Subjects of the benchmarks: contenders agree with each other, and documents with their data."""

import numpy as np
import pytest

import sim
from benchmarks import contacts, free_motion, inverse_dynamics, inverse_kinematics, kept, tables
from benchmarks.__main__ import FOLDER, SUBJECTS
from benchmarks.contest import Settings
from benchmarks.growth import urdf
from sim.robots import read_urdf

QUICK = Settings(rounds=1, quick=True)


def rows_of(subject):
    return [row for part in subject.parts for row in part.rows]


def test_torques_energies_and_mass_matrices_are_the_peers():
    """Largest torque about 1000 N·m: 1e-10 is rounding."""
    rows = rows_of(inverse_dynamics.measured(QUICK))
    there = [row for row in rows if row.seconds is not None]
    assert len(there) >= 5
    assert all(row.error <= 1e-10 for row in there)


def test_branches_and_paths_come_back_to_the_joint_positions():
    rows = rows_of(inverse_kinematics.measured(QUICK))
    ours = [row for row in rows if row.name.startswith("sim")]
    assert len(ours) == 2
    assert all(row.error <= 1e-8 for row in ours)  # rad; near a singular pose digits are lost


@pytest.mark.rotates(2)
def test_a_released_arm_falls_as_pinocchio_and_scipy_say(compiled):
    """A fiftieth of a second."""
    rows = rows_of(free_motion.measured(QUICK))
    ours = [row for row in rows if row.name.startswith("sim") and row.error is not None]
    assert len(ours) >= 4
    assert all(row.error <= 1e-10 for row in ours)


@pytest.mark.parametrize("n", [6, 60])
def test_a_chain_has_its_joints(n):
    assert len(read_urdf(urdf(n)).joint_names) == n


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_documentation_shows_what_was_measured(name):
    found = kept.read(FOLDER / f"{name}.json")
    assert not found.quick
    assert found.rounds >= 5
    assert (FOLDER / f"{name}.md").read_text(encoding="utf-8") == tables.markdown(found)


def test_the_figures_to_reach_are_those_of_all_subjects(tmp_path):
    for path in FOLDER.glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    kept_text = (FOLDER / "targets.md").read_text(encoding="utf-8")
    assert tables.write_targets(tmp_path).read_text(encoding="utf-8") == kept_text


def test_a_median_lies_in_its_interval_by_the_bootstrap():
    """Of 60 even values the bounds are about those at ranks 30 ± 1.96 sqrt(60)/2, 22 and 38."""
    middle, low, high = contacts.median_with_interval(np.arange(60.0))
    assert middle == 29.5
    assert 20 < low < 24 and 35 < high < 39


def test_contacts_that_never_touch_leave_the_motion_as_it_is(compiled):
    shapes = contacts.SHAPES["sphere and box"]
    contact = sim.Contact(*shapes, sim.ContactLaw.impact(1e6, 1.5, 1e3), name="far")
    without, beside = (sim.run(contacts.scenario(0.02, *x)).recorded for x in ((), (contact,)))
    assert not beside["contact.far.normal"].any()
    np.testing.assert_array_equal(without["q.elbow_joint"], beside["q.elbow_joint"])
