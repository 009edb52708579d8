"""The shipped scenarios: each runs, passes, and is what it was when its baseline was accepted."""

import json

import pandas as pd
import pytest
from scipy.integrate import cumulative_trapezoid

from sim import shipped
from sim.checks import check, judge_recording
from sim.comparison import compare, find_baseline
from sim.comparison.between_engines import between_engines
from sim.recording import Recording
from sim.scenario import load_script
from sim.shipped import scenario_names
from sim.simulation import run

NAMES = scenario_names()


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_scenario_passes_its_checks(shipped_run, name):
    recording = Recording.read(shipped_run(name))
    assert recording.run.verdict == "pass"
    assert [one for one in recording.run.checks if not one.ok] == []
    if recording.t.size < 3000:  # judged anew from its files; how, does not hang on the length
        assert [one for one in check(recording) if not one.ok] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_scenario_is_what_its_baseline_was(shipped_run, name):
    recording = Recording.read(shipped_run(name))
    result = compare(recording, find_baseline(name, shipped.baselines()))
    assert [d for d in result.differences if not d.ok] == []
    assert (result.missing, result.new, result.notes) == ((), (), ())
    assert result.ok


@pytest.mark.rotates(8)
@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_scenario_passes_by_mujoco_too_and_both_engines_agree(shipped_run, name):
    other = judge_recording(run(name, engine="mujoco"))
    assert [one for one in other.run.checks if not one.ok] == []
    between = between_engines(Recording.read(shipped_run(name)), other)
    assert [d for d in between.comparison.differences if not d.ok] == []
    assert (between.comparison.missing, between.comparison.new) == ((), ())
    assert between.ok
    # far nearer than both methods are to the model: what the steps leave is the same in both; but
    # friction of 12 kN·s/m at rest turns 1e-10 m/s, which two solvers leave, into 2e-8 of 63 N
    assert (between.torque or 0.0) < (1e-7 if other.run.contacts else 1e-10)


@pytest.mark.rotates(4)
@pytest.mark.parametrize("name", NAMES)
def test_energy_is_accounted_for_to_a_millionth_of_what_moves(shipped_run, name):
    """Read with nothing but pandas: works, losses, events and energies, solved exactly."""
    own = json.loads((shipped_run(name) / "run.json").read_text("utf-8"))["method"]
    folder = shipped_run(name, "ideal") if own == "stepped" else shipped_run(name)
    for file in ("recording.parquet", "analytic.parquet"):
        table = pd.read_parquet(folder / file)
        work, loss = (table.filter(regex=rf"^{x}\.").sum(axis=1) for x in ("work", "loss"))
        work += table.get("external", 0.0)
        energy = table["ke"] + table["pe"] + table.get("stored", 0.0)
        for event in json.loads((folder / "run.json").read_text("utf-8"))["events"]:
            work[table.index >= event["t"] - 1e-9] += event["ke"] + event["pe"]
        residual = (work - loss - (energy - energy.iloc[0])).abs().max()
        assert residual <= 1e-6 * max(table["ke"].max(), energy.max() - energy.min(), 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_scenario_says_what_it_is_and_can_be_run_without_settings(name):
    script = load_script(name)
    assert len(script.title) > 10
    _, parameters = script.build({})
    assert parameters == json.loads(json.dumps(script.parameters))


def test_no_baseline_is_left_of_a_scenario_that_is_gone():
    folders = {path.name for path in shipped.baselines().iterdir() if path.is_dir()}
    assert folders <= set(NAMES)


# The figures that ur10_step has to reach, read with nothing but pandas

JOINTS = [
    f"{name}_joint"
    for name in ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
]
LINKS = ["shoulder_link", "upper_arm_link", "forearm_link", "wrist_1_link", "wrist_2_link",
         "wrist_3_link", "payload"]  # fmt: skip

# torque relative to each joint's peak; velocity [rad/s]; energies and work relative to the energy
# that moves
REACHED = {
    "stepped": {"torque": 2e-6, "velocity": 1e-5, "energy": 1e-5, "work": 1e-5},
    "ideal": {"torque": 1e-11, "velocity": 1e-12, "energy": 1e-9, "work": 1e-6},
}


@pytest.fixture(scope="module", params=["stepped", "ideal"])
def ur10_step(request, shipped_run):
    """Method, recorded and analytic table of the run."""
    folder = shipped_run("ur10_step", request.param)
    tables = (pd.read_parquet(folder / f"{name}.parquet") for name in ("recording", "analytic"))
    return request.param, *tables


def energy_moved(table):
    """The larger of the highest kinetic energy and the range of the potential energy [J]."""
    return max(table["ke"].max(), table["pe"].max() - table["pe"].min())


def test_the_run_is_the_one_of_the_paper(ur10_step):
    _, recorded, analytic = ur10_step
    for table in (recorded, analytic):
        assert len(table) == 10_001
        assert table.index[-1] == 10.0
    assert 300 < energy_moved(analytic) < 500


@pytest.mark.parametrize("joint", JOINTS)
def test_torque_agrees_to_the_promised_part_of_its_peak(ur10_step, joint):
    method, recorded, analytic = ur10_step
    error = (recorded[f"tau.{joint}"] - analytic[f"tau.{joint}"]).abs().max()
    assert error <= REACHED[method]["torque"] * analytic[f"tau.{joint}"].abs().max()


@pytest.mark.parametrize("joint", JOINTS)
def test_velocity_agrees_as_promised(ur10_step, joint):
    method, recorded, analytic = ur10_step
    error = (recorded[f"qd.{joint}"] - analytic[f"qd.{joint}"]).abs().max()
    assert error <= REACHED[method]["velocity"]


def test_energies_agree_as_promised(ur10_step):
    method, recorded, analytic = ur10_step
    limit = REACHED[method]["energy"] * energy_moved(analytic)
    assert {c.removeprefix("ke.") for c in recorded if c.startswith("ke.")} == set(LINKS)
    for channel in ("pe", "ke", *(f"ke.{link}" for link in LINKS)):
        assert (recorded[channel] - analytic[channel]).abs().max() <= limit


def test_work_is_energy_as_promised(ur10_step):
    method, recorded, analytic = ur10_step
    power = sum(recorded[f"tau.{j}"] * recorded[f"qd.{j}"] for j in JOINTS)
    work = cumulative_trapezoid(power, recorded.index, initial=0)
    energy = recorded["ke"] + recorded["pe"]
    residual = (work - (energy - energy.iloc[0])).abs().max()
    assert residual <= REACHED[method]["work"] * energy_moved(analytic)


def test_the_two_methods_are_two_answers_that_agree(shipped_run):
    stepped, ideal = (
        pd.read_parquet(shipped_run("ur10_step", method) / "recording.parquet")
        for method in ("stepped", "ideal")
    )
    for joint in JOINTS:
        difference = (stepped[f"tau.{joint}"] - ideal[f"tau.{joint}"]).abs().max()
        assert 0 < difference <= 2e-6 * ideal[f"tau.{joint}"].abs().max()
