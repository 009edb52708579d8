import re
from dataclasses import replace

import pytest
from msgspec import structs

from sim.checks import judge_recording
from sim.motion import JointMotion
from sim.reports.causes import causes
from sim.reports.terminal.summary import issues
from sim.robots import load_robot, read_urdf
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.short_runs import arm, short_run, spoiled


def shaken(frequency, method="stepped", dt=1e-3):
    motion = JointMotion.displacement({"shoulder": f"1e-3*SIN(2*PI*{frequency}*time)", "elbow": 0})
    return judge_recording(run(Scenario(arm(), motion, 0.2, dt=dt), method=method))


# fewer than two samples a period, and one; at its samples `ideal` knows also the first exactly
@pytest.mark.parametrize(
    ("frequency", "method"), [(700, "stepped"), (1000, "stepped"), (1000, "ideal")]
)
def test_a_drive_faster_than_the_step_is_named_with_a_step_that_is_fine_enough(frequency, method):
    found = shaken(frequency, method)
    (cause,) = causes(found)
    assert cause.startswith(
        "shoulder: the drive varies faster than the step of 0.001 s resolves; use --dt"
    )
    assert issues(found, ())[0].text.plain == f"cause    {cause}"
    step = float(re.search(r"--dt (\S+)", cause)[1])
    if frequency == 700:
        assert step < 0.2 / (6.28 * 700)
        assert "step halving" not in {c.name for c in shaken(700, dt=2e-5).run.checks if not c.ok}


def test_a_run_that_passes_and_one_that_is_wrong_for_another_reason_have_no_such_cause():
    assert causes(judge_recording(short_run())) == []
    assert causes(judge_recording(spoiled(short_run(), "tau.elbow", 1.0, 100))) == []


def test_links_that_weigh_nothing_beside_the_rounding_of_pybullet_are_named():
    text = re.sub(r'<mass value="[^"]*"\s*/>', '<mass value="1e-9"/>', load_robot("ur10").text)
    inertia = '<inertia ixx="1e-15" iyy="1e-15" izz="1e-15" ixy="0" ixz="0" iyz="0"/>'
    robot = read_urdf(re.sub(r"<inertia [^>]*/>", inertia, text))
    drives = {name: "STEP5(time,0,0,0.2,0.1)" for name in robot.joint_names}
    scenario = Scenario(robot, JointMotion.displacement(drives), 0.2, dt=2e-3)
    found = judge_recording(run(scenario, method="ideal"))
    assert found.run.verdict == "fail"
    (cause,) = causes(found)
    assert "of 1e-09 kg is too light for PyBullet" in cause
    assert "use --engine mujoco, or use --method stepped" in cause
    settings = structs.replace(found.run.settings, free=("elbow_joint",))
    free = replace(found, run=structs.replace(found.run, settings=settings))
    assert causes(free)[0].endswith("use --engine mujoco, or give it more mass")
    assert causes(judge_recording(run(scenario, method="stepped"))) == []
    assert judge_recording(run(scenario, method="ideal", engine="mujoco")).run.verdict == "pass"
