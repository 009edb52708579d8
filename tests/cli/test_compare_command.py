import pytest

from tests.helpers.command_scripts import write_swing


@pytest.mark.parametrize("bad", ["nothing", "other"])
def test_the_other_side_of_a_comparison_is_checked_too(sim_command, tmp_path, bad):
    write_swing(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    sim_command("run", "swing.py", "--no-report", "--out", "there")
    done = sim_command("compare", "there", bad)
    assert (done.status, done.out) == (2, "")
    assert bad in done.err
