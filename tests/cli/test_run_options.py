import pytest

from sim.cli.run_options import parameters_of
from sim.errors import ScenarioError
from tests.cli.command_runs import FILES


def test_method_and_step_can_be_chosen(sim_command, swing):
    arguments = ("run", "swing.py", "--json", "--no-report", "--method", "ideal", "--dt", "0.005")
    document = sim_command(*arguments).document
    assert document["method"] == "ideal"
    assert document["settings"]["dt"] == 0.005
    assert document["settings"]["samples"] == 21


def test_a_parameter_set_twice_has_its_last_value(sim_command, swing):
    arguments = ("--set", "load=1", "--set", "duration=0.05", "--set", "load= 2")
    document = sim_command("run", "swing.py", "--json", "--no-report", *arguments).document
    assert document["parameters"] == {"load": 2.0, "duration": 0.05, "dt": 1e-3}
    assert document["robot"]["masses"]["payload"] == 2.0


def test_no_report_writes_no_figures(sim_command, swing):
    sim_command("run", "swing.py", "--no-report", "--out", "there")
    assert {path.name for path in (swing / "there").iterdir()} == FILES


@pytest.mark.rotates(2)
def test_figures_are_drawn_where_they_are_asked_for(sim_command, swing):
    sim_command("run", "swing.py", "--out", "plain")
    assert not list((swing / "plain").glob("*.png"))
    sim_command("run", "swing.py", "--figures", "--out", "drawn")
    names = {path.name for path in (swing / "drawn").glob("*.png")}
    assert "torque.png" in names
    sim_command("report", "plain", "--figures")
    assert {path.name for path in (swing / "plain").glob("*.png")} == names
    refused = sim_command("run", "swing.py", "--figures", "--no-report")
    assert refused.status == 2
    assert "not allowed with argument" in refused.err


def test_a_value_may_hold_an_equals_sign():
    assert parameters_of(["a=b=c", " d = 1 "]) == {"a": "b=c", "d": "1"}


@pytest.mark.parametrize("text", ["load", "=1", ""])
def test_a_setting_is_a_name_and_a_value(text):
    with pytest.raises(ScenarioError, match="--set must be name=value"):
        parameters_of(["load=1", text])


def test_without_a_display_nothing_is_simulated_and_one_line_says_what_to_do(
    sim_command, monkeypatch, tmp_path
):
    monkeypatch.delenv("DISPLAY", raising=False)
    refused = sim_command("run", "ur10_step", "--gui", "--out", "run")
    assert refused.status == 2
    assert "no display" in refused.err
    assert len(refused.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
