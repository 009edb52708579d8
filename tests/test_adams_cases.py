"""The ADAMS cases against solutions that share no code with this package.

The files are written by the tests, from those solutions, in the form of ADAMS. Those of ADAMS
itself are judged by `sim run adams_pendulum` and the others wherever SIM_ADAMS_DATA names them.
"""

import re
from dataclasses import replace

import numpy as np
import pytest

from sim.checks.against_reference import judge_reference
from sim.recording import Recording
from sim.robots import read_urdf
from sim.scenario import JointSpring, load_script
from sim.simulation import build_problem
from sim.simulation.model_answer import model_answer
from sim.simulation.run_description import events_in, run_description
from sim.simulation.table import table
from tests.helpers.adams_files import COLUMNS, fall, swing, write_case

# scenario -> its case, settings that change its start, and what then is to come out
CASES = {
    "adams_pendulum": ("Revolute_Case01", {"start": 0.4}, lambda start=0.0: swing(start)),
    "adams_translational": ("Prismatic_Case01", {"speed": 7.0}, lambda speed=0.0: fall(speed)),
    "adams_cylindrical": (
        "Cylindrical_Case01",
        {"spin": -3.0},
        lambda spin=0.0: fall(spin=spin),
    ),
    "adams_torsion_spring": (
        "RotSpring_Case01",
        {"start": 0.4, "stiffness": 30.0, "damping": 2.0},
        lambda start=0.0, stiffness=200.0, damping=10.0: swing(start, stiffness, damping),
    ),
}
BOTH = [(name, start) for name in CASES for start in ("of the deck", "another")]


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Files of a scenario's case, and the settings with which it should give just them."""
    monkeypatch.delenv("SIM_ADAMS_DATA", raising=False)

    def write(name, start="of the deck", change=None):
        case, settings, solution = CASES[name]
        settings = settings if start == "another" else {}
        values = dict(solution(**settings))
        if change is not None:
            change(values)
        return {**settings, "data": str(write_case(tmp_path / "data", case, values))}

    return write


def solved_by_the_model(name, settings):
    """What Lagrange's equation and Newton-Euler say of a scenario, with its reference."""
    scenario, _ = load_script(name).build(settings)
    return solved(scenario, name)


def solved(scenario, name):
    problem = build_problem(scenario)
    (answer,) = model_answer(problem)
    columns = table(problem, answer)
    described = run_description(problem, name, events_in(problem, answer), tuple(columns))
    return Recording(columns, columns, described, scenario.reference.table)


@pytest.mark.parametrize(("name", "start"), BOTH)
def test_the_model_moves_as_the_closed_solution_in_all_eight_quantities(name, start, written):
    checks = judge_reference(solved_by_the_model(name, written(name, start)))
    channels = {check.channel for check in checks}
    assert len(channels) == sum(len(columns) for columns in COLUMNS.values())
    assert [check for check in checks if not check.ok] == []
    # far nearer than ADAMS itself: what is left is two integrations at 1e-11 over 5 s
    assert max(check.worst for check in checks if check.name == "reference") < 1e-8


@pytest.mark.parametrize("quantity", COLUMNS)
def test_a_change_of_any_quantity_is_seen(quantity, written):
    def change(values):
        values[quantity] = values[quantity].copy()
        values[quantity][2, 250] += 0.01

    checks = judge_reference(
        solved_by_the_model("adams_pendulum", written("adams_pendulum", change=change))
    )
    failed = [check for check in checks if not check.ok and check.name == "reference"]
    assert [check.at for check in failed] == [2.5]


# A robot of a hundred times the mass moves alike under forces a hundred times as large.

HEAVY = 100.0


def solved_heavy(name, settings):
    """As `solved_by_the_model`, with all masses, moments and springs `HEAVY` times as large."""
    scenario, _ = load_script(name).build(settings)
    numbers = re.compile(r'(mass value|i[xyz]{2})="([^"]+)"')
    text = numbers.sub(lambda m: f'{m[1]}="{HEAVY * float(m[2])!r}"', scenario.robot.text)
    robot = read_urdf(text)
    springs = {
        joint.name: JointSpring(HEAVY * force.stiffness, HEAVY * force.damping)
        for joint in scenario.robot.joints
        for force in joint.forces
    }
    return solved(replace(scenario, robot=robot.with_springs(springs)), name)


def heavier(values):
    values |= {name: HEAVY * values[name] for name in ("Rforce", "Rtorque")}


@pytest.mark.parametrize("name", ["adams_pendulum", "adams_torsion_spring", "adams_cylindrical"])
def test_forces_a_hundred_times_as_large_pass_as_they_are_printed(name, written):
    checks = judge_reference(solved_heavy(name, written(name, "another", heavier)))
    assert [check for check in checks if not check.ok] == []
    forces = [c for c in checks if c.name == "reference" and c.channel.startswith("measure.")]
    assert max(check.limit for check in forces) > 0.05


@pytest.mark.parametrize(
    ("name", "quantity", "row"),
    [("adams_pendulum", "Rforce", 2), ("adams_torsion_spring", "Rtorque", 1)],
)
@pytest.mark.parametrize(("share", "ok"), [(1e-4, True), (1e-3, False)])
def test_a_thousandth_of_a_large_force_is_seen_in_one_sample(
    name, quantity, row, share, ok, written
):
    def change(values):
        heavier(values)
        values[quantity] = values[quantity].copy()
        values[quantity][row, 250] += share * np.max(np.abs(values[quantity][row]))

    checks = judge_reference(solved_heavy(name, written(name, "of the deck", change)))
    failed = [(check.name, check.at) for check in checks if not check.ok]
    assert failed == ([] if ok else [("reference", 2.5)])


@pytest.mark.parametrize(
    ("quantity", "error"), [("Rforce", 2.1e-3), ("Acc", 2.1e-3), ("Pos", 3.1e-5), ("Avel", 3e-5)]
)
def test_the_published_cases_have_the_tolerances_they_had(quantity, error, written):
    """Beyond the print, which is half of 1e-5 in metres and radians and of 1e-4 in the others."""

    def change(values):
        values[quantity] = values[quantity].copy()
        values[quantity][:, 250] += error + 1e-4 * (quantity in ("Rforce", "Acc"))

    checks = judge_reference(
        solved_by_the_model("adams_pendulum", written("adams_pendulum", change=change))
    )
    assert [c.at for c in checks if not c.ok and c.name == "reference"] == [2.5] * 3


@pytest.mark.parametrize("quantity", ["Rforce"])
def test_the_reaction_on_the_other_part_is_not_that_on_the_ground(quantity, written):
    def change(values):
        values[quantity] = -values[quantity]

    checks = judge_reference(
        solved_by_the_model("adams_pendulum", written("adams_pendulum", change=change))
    )
    failed = {check.channel for check in checks if not check.ok}
    assert failed == {"measure.joint.fx", "measure.joint.fz"}


# The command


def failures(document):
    return [check for check in document["checks"] if not check["ok"]]


@pytest.mark.parametrize(("name", "start"), BOTH)
def test_a_run_passes_beside_the_files_of_the_closed_solution(name, start, written, sim_command):
    settings = written(name, start)
    chosen = [word for pair in settings.items() for word in ("--set", "{}={}".format(*pair))]
    found = sim_command("run", name, *chosen, "--no-report", "--json")
    assert failures(found.document) == []
    assert found.status == 0
    judged = [check for check in found.document["checks"] if check["name"] == "reference"]
    assert len(judged) == 25
    assert found.document["reference"]["source"].endswith(settings["data"])
    assert any(note.startswith("compared with ADAMS") for note in found.document["notes"])


def test_a_run_can_be_judged_again_from_its_files(written, sim_command, tmp_path):
    settings = written("adams_pendulum")
    asked = ("run", "adams_pendulum", "--set", f"data={settings['data']}", "--out", "here")
    assert sim_command(*asked, "--no-report").status == 0
    (tmp_path / "data").rename(tmp_path / "gone")
    again = sim_command("check", "here", "--json")
    assert again.status == 0
    assert sum(check["name"].startswith("reference") for check in again.document["checks"]) == 50


def test_a_run_fails_beside_files_that_say_otherwise(written, sim_command):
    def change(values):
        values["Pos"] = values["Pos"].copy()
        values["Pos"][0, 77] += 1e-4

    settings = written("adams_pendulum", change=change)
    found = sim_command(
        "run", "adams_pendulum", "--set", f"data={settings['data']}", "--no-report", "--json"
    )
    assert found.status == 1
    (failed,) = failures(found.document)
    assert (failed["name"], failed["channel"], failed["at"]) == ("reference", "tool.x", 0.77)


def test_a_run_without_files_passes_and_says_that_there_were_none(written, sim_command):
    found = sim_command("run", "adams_pendulum", "--no-report", "--json")
    assert found.status == 0
    assert found.document["reference"] is None
    assert any("no ADAMS data given" in note for note in found.document["notes"])


def test_a_folder_that_is_not_there_is_misuse(written, sim_command):
    found = sim_command("run", "adams_pendulum", "--set", "data=nowhere", "--no-report")
    assert found.status == 2
    assert "nowhere does not exist" in found.err
