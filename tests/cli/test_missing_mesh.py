"""A mesh that is not there: an error where a picture is wanted, nothing to the physics."""

from tests.command_scripts import URDF, write_swing

BOX = '<box size="0.05 0.05 0.5"/>'
LOST = URDF.replace(BOX, '<mesh filename="../lost/arm.obj"/>')


def test_a_run_without_report_needs_no_mesh(sim_command, tmp_path):
    assert BOX in URDF
    write_swing(tmp_path, urdf=LOST)
    outcome = sim_command("run", "swing.py", "--no-report", "--json")
    assert outcome.status == 0, outcome.err
    assert outcome.document["verdict"] == "pass"


def test_a_report_names_link_and_file_before_anything_is_simulated(sim_command, tmp_path):
    write_swing(tmp_path, urdf=LOST)
    outcome = sim_command("run", "swing.py")
    assert outcome.status == 2
    assert "link 'upper_arm': mesh '../lost/arm.obj' does not exist" in outcome.err
    assert not (tmp_path / "results").exists()
