import msgspec
import pytest

from sim.comparison.changed_inputs import ChangedInput, changed_inputs
from sim.motion import JointMotion
from sim.recording.facts import ScriptFacts
from sim.scenario.scenario import Scenario
from sim.simulation.run import run
from tests.helpers.short_runs import DURATION, SMOOTH, arm, short_run


@pytest.fixture(scope="module")
def good():
    return short_run().run


def changed(good, **entries):
    return changed_inputs(msgspec.structs.replace(good, **entries), good)


def test_when_and_where_and_how_it_was_judged_are_no_inputs(good):
    provenance = msgspec.structs.replace(good.provenance, created="now", command=("x",))
    robot = msgspec.structs.replace(good.robot, mesh_folder="/elsewhere", assumed=("a",))
    drives = tuple(msgspec.structs.replace(d, warnings=("w",)) for d in good.drives)
    other = {"provenance": provenance, "robot": robot, "drives": drives}
    assert changed(good, **other, verdict="fail", folder="x", seal="y", notes=("n",)) == ()


def test_each_entry_is_named_with_what_it_was_and_is(good):
    versions = {**good.provenance.versions, "numpy": "0.1"}
    provenance = msgspec.structs.replace(good.provenance, versions=versions)
    script = ScriptFacts(path="/a.py", sha256="12")
    found = changed(good, provenance=provenance, script=script, parameters={"load": [1.0, None]})
    was = good.provenance.versions["numpy"]
    assert set(found) == {
        ChangedInput("script.path", None, "/a.py"),
        ChangedInput("script.sha256", None, "12"),
        ChangedInput("parameters.load.0", None, 1.0),
        ChangedInput("versions.numpy", was, "0.1"),
    }


def test_a_heavier_load_is_seen_in_urdf_and_masses(good):
    heavy = run(Scenario(arm(0.75), JointMotion.displacement(SMOOTH), DURATION), name="swing").run
    found = {one.entry: (one.before, one.now) for one in changed_inputs(heavy, good)}
    assert found.pop("robot.masses.payload") == (0.5, 0.75)
    assert set(found) == {"robot.urdf_sha256"}
