import json
import re

import numpy as np
import pytest
from numpy.polynomial import Chebyshev

from sim.robots import load_robot
from sim.vibration import modes
from tests.helpers.loop_robots import FourBar
from tests.helpers.small_robots import joint, link, robot

SCENARIO = '''
"""A lift that takes up a load."""
import sim
from pathlib import Path
ROBOT = Path(__file__).with_name("lift.urdf")
def scenario() -> sim.Scenario:
    """A lift."""
    drive = sim.JointMotion.displacement({"slide": "0.1*time"})
    load = sim.PickUp(0.1, sim.Payload(2.0))
    return sim.Scenario(sim.load_robot(ROBOT), drive, duration=0.2, events=(load,))
'''


@pytest.fixture
def lift_run(sim_command, tmp_path):
    from tests.helpers.small_robots import lift

    (tmp_path / "lift.urdf").write_text(lift(3.0).text)
    (tmp_path / "lift.py").write_text(SCENARIO)
    assert sim_command("run", "lift.py", "--no-report", "--out", "run").status == 0
    return "run"


def test_a_robot_in_a_pose_with_an_engine_beside_it(sim_command):
    done = sim_command(
        "modes", "ur10", "--stiffness", "2e5", "wrist*=5e4", "--damping", "30", columns=80
    )
    assert (done.status, done.err) == (0, "")
    stiff = {name: 5e4 if "wrist" in name else 2e5 for name in load_robot("ur10").joint_names}
    found = modes(load_robot("ur10"), np.zeros(6), stiff, 30.0)
    assert f"1      {found.modes[0].frequency:.4g} Hz" in done.out
    assert "drives   200000 N·m/rad, 30 N·m·s/rad in shoulder_pan_joint" in done.out
    assert " (finite differences) differ by " in done.out
    assert max(len(line.rstrip()) for line in done.out.splitlines()) <= 80


def test_json_has_modes_load_and_second_answer(sim_command):
    done = sim_command(
        "modes", "irb460", "--stiffness", "crank_joint=1e6", "--load", "100", "--json"
    )
    document = json.loads(done.out)
    assert set(document["modes"][0]["shape"]) == {"crank_joint"}
    assert document["rigid"] == ["swing_joint", "lower_arm_joint", "flange_joint"]
    assert document["load"]["sag"][2] < 0
    assert document["load"]["settling_time"] is None  # never: nothing damps it
    assert document["second"]["apart"] < 1e-9


def test_a_run_has_its_load_from_when_it_is_there(sim_command, lift_run, tmp_path):
    done = sim_command("modes", lift_run, "--stiffness", "800", "--json", "--out", "f.csv")
    assert (done.status, done.err) == (0, "")
    light, heavy = (np.sqrt(800 / m) / (2 * np.pi) for m in (3.0, 5.0))
    t, frequency = (np.array(done.document["run"][key]) for key in ("t", "frequency"))
    wanted = np.where(t < 0.1 - 1e-9, light, heavy)
    np.testing.assert_allclose(frequency, [wanted], rtol=1e-12)
    assert done.document["second"]["apart"] < 1e-9
    rows = (tmp_path / "f.csv").read_text().splitlines()
    assert rows[0] == '"t [s]","mode 1 [Hz]"'
    assert len(rows) == t.size + 1
    before = sim_command("modes", lift_run, "--stiffness", "800", "--at", "0.05", "--load", "1")
    assert "lift" not in before.err and f"{light:.4g} Hz" in before.out
    assert before.status == 0


BARS = '''
"""A four-bar that hangs on a spring in its crank."""
import sim
from pathlib import Path
ROBOT = sim.load_robot(Path(__file__).with_name("bars.urdf"))
def scenario(stiffness: float = 9.0) -> sim.Scenario:
    """A spring of `stiffness` [N·m/rad]."""
    q0 = {"crank_joint": 0.4, "rocker_joint": -0.5, "coupler_joint": 0.7}
    drive = sim.JointMotion.displacement({}, free=["crank_joint"], q0=q0)
    robot = ROBOT.with_springs({"crank_joint": sim.JointSpring(stiffness, 0.3)})
    return sim.Scenario(robot, drive, duration=0.02, method="adaptive")
'''
SPUN = '''
"""A pendulum that a spindle turns."""
import sim
from pathlib import Path
ROBOT = sim.load_robot(Path(__file__).with_name("spun.urdf"))
def scenario() -> sim.Scenario:
    """It starts beside its lean."""
    drive = sim.JointMotion.displacement({"spin": "3*time"}, free=["hinge"], q0={"hinge": 0.4})
    return sim.Scenario(ROBOT, drive, duration=0.5, method="adaptive")
'''
LOOPS = """[[loop]]
name = "coupler on rocker"
link_a = "coupler"
point_a = [0, 0, 0.5]
link_b = "rocker"
point_b = [0, 0, {end}]
normal = [0, 1, 0]
passive = ["coupler_joint", "rocker_joint"]
"""


@pytest.fixture
def bars(tmp_path):
    """A script of a four-bar in the working folder."""
    (tmp_path / "bars.urdf").write_text(FourBar().robot().text)
    (tmp_path / "bars.loops.toml").write_text(LOOPS.format(end=0.4))
    (tmp_path / "bars.py").write_text(BARS)
    return "bars.py"


def test_a_script_is_looked_at_where_it_starts_and_where_it_rests(sim_command, bars, tmp_path):
    start = sim_command("modes", bars, columns=80)
    assert (start.status, start.err) == (0, "")
    assert "modes    small at its start" in start.out
    assert "no rest  the pose is not an equilibrium: it requires " in start.out
    asked = ("--equilibrium", "--set", "stiffness=30", "--page", "modes.html")
    rest = sim_command("modes", bars, *asked, "--json")
    found = rest.document["equilibrium"]
    assert (rest.status, found["stability"], rest.document["unbalanced"]) == (0, "stable", {})
    one, a = np.ones(1), found["q"]["crank_joint"]
    V = Chebyshev.interpolate(
        lambda a: FourBar().energies(a, 0 * a, 9.81)[1] + 15.0 * a**2, 40, [a - 0.25, a + 0.25]
    )
    assert V.deriv(1)(a) == pytest.approx(0.0, abs=1e-9)
    inertia = 2 * FourBar().energies(a * one, one, 9.81)[0][0]
    wanted = np.sqrt(V.deriv(2)(a) / inertia) / (2 * np.pi)
    assert rest.document["frequency"] == pytest.approx([wanted], rel=1e-9)
    assert rest.document["second"]["apart"] < 1e-8
    assert "<h1>Modes of small</h1>" in (tmp_path / "modes.html").read_text()


def test_a_script_that_moves_counts_what_speeds_add(sim_command, tmp_path):
    """A pendulum that a spindle turns: m L² θ'' = m L² Ω² sin θ cos θ - m g L sin θ."""
    (tmp_path / "spun.urdf").write_text(
        robot(
            link("spindle", 1.0, "0 0 0", "0.2 0.2 0.2"),
            link("bob", 1.0, "0 0 -0.5", "1e-9 1e-9 1e-9"),
            joint("spin", "revolute", "ground", "spindle", "0 0 1"),
            joint("hinge", "revolute", "spindle", "bob", "0 1 0"),
        ).text
    )
    (tmp_path / "spun.py").write_text(SPUN)
    still = sim_command("modes", "spun.py", "--json").document
    found = sim_command("modes", "spun.py", "--moving", "--json")
    weight, spin = 9.81 / 0.5 * np.cos(0.4), 3.0**2 * np.cos(0.8)
    for document, squared in ((still, weight), (found.document, weight - spin)):
        assert document["frequency"] == pytest.approx([np.sqrt(squared) / (2 * np.pi)], rel=1e-7)
    assert still["unbalanced"].keys() == {"hinge"} and found.document["unbalanced"] == {}
    assert found.document["second"]["apart"] < 1e-9
    assert "at its start, moving" in sim_command("modes", "spun.py", "--moving").out
    both = sim_command("modes", "spun.py", "--moving", "--equilibrium")
    assert both.status == 2 and "excludes --moving" in both.err


def test_a_run_of_closed_loops_has_their_geometry_and_proves_another(sim_command, bars, tmp_path):
    assert sim_command("run", bars, "--no-report", "--out", "run").status == 0
    alone = sim_command("modes", "run", "--at", "0", "--json")
    done = sim_command("modes", "run", "--loops", "bars.loops.toml", "--at", "0", "--json")
    start = sim_command("modes", bars, "--json")
    assert done.status == 0
    assert done.document["frequency"] == pytest.approx(start.document["frequency"], rel=1e-9)
    assert alone.document == done.document
    assert len(done.document["run"]["frequency"][0]) == 21
    (tmp_path / "other.toml").write_text(LOOPS.format(end=0.38))
    other = sim_command("modes", "run", "--loops", "other.toml")
    assert other.status == 2 and "is open by" in other.err


def test_options_that_say_nothing_of_a_script(sim_command, bars):
    for arguments, says in (
        (("--out", "f.csv"), "--out requires a run; 'bars.py' is a script, which is not run"),
        (
            ("--at", "0.01"),
            "Joint 'crank_joint' is free; its position at 0.01 s requires a simulation",
        ),
        (("--at", "3"), "--at must be from 0 to 0.02 s; got 3 s"),
        (("--load", "1"), "Robot 'small' has no tool frame"),
        (("--stiffness", "3"), "no driven joint of robot 'small' matches; joints: none"),
        (("--stiffness", "crank_joint=3"), "Joint 'crank_joint' has no drive whose stiffness that"),
        (("--set", "mass=1"), "has no parameter 'mass'"),
    ):
        done = sim_command("modes", bars, *arguments)
        assert (done.status, done.out) == (2, "") and says in done.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("ur10",), "No joint of robot 'ur10' is elastic"),
        (("ur10", "--stiffness", "knee=1"), "matches; joints: shoulder_pan"),
        (("ur10", "--stiffness", "elbow_joint=much"), "'much' is not a number"),
        (("ur10", "--stiffness", "-1"), "not negative; got -1.0"),
        (("ur10", "--stiffness", "1e5", "--at", "0"), "--at requires a run"),
        (("ur10", "--stiffness", "1e5", "--pose", "up"), "Pose 'up' is not in robot 'ur10'"),
        (("ur10", "--stiffness", "1e5", "--page", "no/modes.html"), "no/modes.html"),
        (("ur10", "--stiffness", "1e5", "--load", "-3"), "positive number [kg]; got -3.0"),
        (("nothing", "--stiffness", "1e5"), "There is no run 'nothing'"),
    ],
)
def test_what_cannot_be_is_one_line_and_status_2(sim_command, arguments, says):
    done = sim_command("modes", *arguments)
    assert (done.status, done.out) == (2, "")
    assert says in done.err
    assert done.err.count("\n") == 1


def test_a_time_outside_of_the_run_is_refused(sim_command, lift_run):
    done = sim_command("modes", lift_run, "--stiffness", "800", "--at", "9")
    assert done.status == 2
    assert "The run is from 0 to 0.2 s; got 9 s" in done.err


def test_an_engine_with_another_answer_is_status_1(sim_command):
    done = sim_command("modes", "ur10", "--stiffness", "2e5", "--damping", "1e140", "--json")
    assert done.status == 1
    assert done.document["second"]["apart"] == pytest.approx(1.0)  # the roots are wholly others


def test_without_an_engine_it_says_that_there_is_no_second_answer(sim_command, monkeypatch):
    monkeypatch.setattr("sim.cli.modes_command.installed_engines", tuple)
    done = sim_command("modes", "ur10", "--stiffness", "2e5")
    assert (done.status, done.err) == (0, "")
    assert "engine   none is installed; not compared\n" in done.out


def test_what_rounding_leaves_is_no_damping(sim_command):
    done = sim_command("modes", "ur10", "--stiffness", "2e5")
    assert len(re.findall(r" Hz +0 %  ", done.out)) == 6
    assert "e-" not in done.out.split("drives ")[0]


TURNED = '''
"""A hinge that is driven through turns, against a spring of -0.2 AZ³."""
import sim
from pathlib import Path
def scenario() -> sim.Scenario:
    """Both turn."""
    body, wall = sim.Marker("body", "lower"), sim.Marker("wall", "world")
    spring = sim.SForce("cube", body, wall, "-0.2*AZ(body, wall)**3", acts="rotational")
    drive = sim.JointMotion.displacement({"one": "5*time", "two": "0.3*time"})
    arm = sim.load_robot(Path(__file__).with_name("rolls.urdf"))
    return sim.Scenario(arm, drive, 2.0, 0.1, "ideal", forces=(spring,))
'''


def test_modes_of_a_script_are_of_an_angle_with_its_whole_turns(sim_command, tmp_path):
    """At 6 rad a spring of 0.2 α³ is 21.6 N·m/rad stiff, beside the drive's 1 N·m/rad."""
    rolls = robot(
        link("upper", 1.0, "0 0 0", "0.01 0.01 0.01"),
        link("lower", 1.0, "0 0 0", "0.02 0.03 0.03"),
        joint("one", "continuous", "ground", "upper", "0 0 1"),
        joint("two", "continuous", "upper", "lower", "1 0 0"),
    )
    (tmp_path / "rolls.urdf").write_text(rolls.text)
    (tmp_path / "rolls.py").write_text(TURNED)
    done = sim_command("modes", "rolls.py", "--at", "1.2", "--stiffness", "one=1", "--json")
    assert done.err == ""
    (mode,) = json.loads(done.out)["modes"]
    assert mode["frequency"] == pytest.approx(np.sqrt(22.6 / 0.04) / (2 * np.pi), rel=1e-10)


SWITCHED = '''
"""A lift that hangs on a rope, stands on the ground, or is held by a motor."""
import sim
from pathlib import Path
ROBOT = Path(__file__).with_name("lift.urdf")
EYE, HOOK = sim.Marker("eye", "load"), sim.Marker("hook", "ground", (0, 0, 2))
GROUND = sim.GroundContact("load", stiffness=1e6, exponent=1.0)
LAWS = {"pd": "29.43 - 900*DZ(eye, hook) - 900*2", "lag": "DIF(z)"}
def scenario(on: str = "rope") -> sim.Scenario:
    """A lift of 3 kg."""
    rope = sim.SForce("rope", EYE, HOOK, "MIN(0, -5e4*(DM(eye, hook) - 2))")
    names = sim.Names((EYE, HOOK), states={"z": "1"} if on == "lag" else {})
    law = {"slide": LAWS[on]} if on in LAWS else {}
    motion = sim.JointMotion.torque(law, names=names, free=() if law else ["slide"])
    return sim.Scenario(
        sim.load_robot(ROBOT), motion, duration=0.2, method="adaptive",
        forces=(rope,) if on in ("rope", "taut") else (),
        contacts=(GROUND,) if on == "ground" else (),
        gravity=(0, 0, 0) if on == "taut" else (0, 0, -9.81),
    )
'''


@pytest.fixture
def switched(tmp_path):
    from tests.helpers.small_robots import lift

    (tmp_path / "lift.urdf").write_text(lift(3.0).text)
    (tmp_path / "lift.py").write_text(SWITCHED)
    return "lift.py"


@pytest.mark.parametrize(("on", "k"), [("rope", 5e4), ("ground", 1e6), ("pd", 900.0)])
def test_a_script_rests_and_swings_with_all_that_acts(sim_command, switched, on, k):
    """z = -m g / k, or 0 of the motor that gives the weight; √(k / m) / 2π."""
    done = sim_command("modes", switched, "--set", f"on={on}", "--equilibrium", "--json")
    assert (done.status, done.err) == (0, "")
    found = done.document
    assert found["frequency"] == pytest.approx([np.sqrt(k / 3.0) / (2 * np.pi)], rel=1e-9)
    assert found["equilibrium"]["stability"] == "stable"
    wanted = 0.0 if on == "pd" else -3.0 * 9.81 / k
    assert found["q"] == pytest.approx([wanted], rel=1e-8, abs=1e-10)
    assert (found["notes"], found["unbalanced"]) == ([], {})
    assert found["second"]["apart"] < 1e-6


def test_a_pose_where_a_force_is_not_smooth_has_both_slopes_and_no_second_answer(
    sim_command, switched
):
    done = sim_command("modes", switched, "--set", "on=taut", columns=200)
    assert done.status == 0
    assert "note     SForce 'rope' acts on it and is not smooth at this pose" in done.out
    assert "the slopes -50000 and " in done.out
    assert "SForce 'rope' acts on it and is not smooth at this pose" in done.out.split("engine")[1]
    found = sim_command("modes", switched, "--set", "on=taut", "--json").document["second"]
    assert set(found) == {"engine", "not_compared"}
    lag = sim_command("modes", switched, "--set", "on=lag")
    assert lag.status == 2 and "has internal states (z)" in lag.err
