import numpy as np
import pytest

from sim.checks import check
from sim.checks.formulations import formulations
from sim.checks.run_view import RunView
from sim.motion import JointMotion
from sim.recording.schema.channels import GROUPS
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers import small_robots as parts
from tests.helpers.short_runs import spoiled
from tests.helpers.synthetic_runs import joint, recording

T = np.linspace(0.0, 1.0, 11)
ORIGINS = ("1 0 0", "0 0 0"), ("0.8 0 0", "0.3 0.5 0.7"), ("0.1 0.2 0.3", "0.2 0.4 1.1")
FORCES = [name for name, group in GROUPS.items() if group.is_joint_force]


def slide(kind="prismatic", **forces):
    """A slide along z whose drive of 5 N, less 1 N of friction, carries 4 N with force elements."""
    carried = 4.0 + sum(forces.values())
    columns = {f"{group}.a": np.full(T.size, value) for group, value in forces.items()}
    columns |= {"tau.a": np.full(T.size, 5.0), "friction.a": np.ones(T.size)}
    columns |= {f"reaction.a.{f}{c}": np.zeros(T.size) for f in "fm" for c in "xyz"}
    columns[f"reaction.a.{'f' if kind == 'prismatic' else 'm'}z"] = np.full(T.size, carried)
    columns |= {"ke": np.ones(T.size), "pe": np.zeros(T.size)}
    (found,) = formulations(RunView(recording(T, columns, joint("a", kind))))
    return found


@pytest.mark.parametrize("kind", ["prismatic", "revolute", "continuous"])
def test_the_drive_less_friction_is_the_reaction_along_the_axis(kind):
    found = slide(kind)
    assert (found.check.ok, found.check.worst) == (True, 0.0)
    assert found.check.plot == "tau.a"


@pytest.mark.parametrize("group", FORCES)
def test_a_force_element_acts_with_the_drive_whatever_it_is_called(group):
    assert slide(**{group: -2.5}).check.ok


def test_all_force_elements_of_a_joint_count():
    assert slide(**dict.fromkeys(FORCES, 1.5)).check.ok


def test_what_acts_beside_the_drive_and_is_no_force_element_is_a_difference():
    assert "tau_error" not in FORCES
    found = slide(tau_error=2.0)
    assert (found.check.ok, found.check.worst) == (False, 2.0)


def is_without_difference(kind, loads):
    """Whether a joint without torque and energy passes that has these loads."""
    columns = {name: np.zeros(T.size) for name in ("tau.a", "friction.a", "ke", "pe")}
    columns |= {f"reaction.a.{f}{c}": np.zeros(T.size) for f in "fm" for c in "xyz"}
    columns |= {name: np.full(T.size, load) for name, load in loads.items()}
    (found,) = formulations(RunView(recording(T, columns, joint("a", kind))))
    return found.check.ok


@pytest.mark.parametrize(("off", "is_rounding"), [(3.5e-18, True), (1e-12, False)])
def test_the_rounding_of_a_moment_across_the_axis_is_no_difference(off, is_rounding):
    """A part that hangs beside its hinge, on which nothing but a vanishing torque acts."""
    loads = {"reaction.a.mx": 5.0, "reaction.a.mz": off}
    assert is_without_difference("continuous", loads) is is_rounding


@pytest.mark.parametrize(("off", "is_rounding"), [(5e-12, True), (1e-9, False)])
def test_the_rounding_of_a_blow_on_a_free_part_is_no_difference(off, is_rounding):
    """A ball of 1 kg that strikes a floor with 2361 N left 5e-12 N in PyBullet."""
    loads = {"contact.floor.fz": 2361.0, "reaction.a.fz": off}
    assert is_without_difference("prismatic", loads) is is_rounding


@pytest.mark.parametrize(("moment", "rate"), [(1e-5, 1e3), (1e-6, 1e4), (1e-7, 3e4)])
def test_a_light_wrist_at_many_rotations_a_second_leaves_rounding_in_a_heavy_arm(moment, rate):
    """Its mass centre is on its axis: all that is large cancels in 300 kg that are free to move."""
    origins = [f'<origin xyz="{xyz}" rpy="{rpy}"/>' for xyz, rpy in ORIGINS]
    arm = parts.robot(
        parts.link("upper", 200.0, "0.5 0 0.2", "20 20 20"),
        parts.link("lower", 100.0, "0.4 0 0.1", "10 10 10"),
        parts.link("wrist", 0.01, "0 0 0", " ".join(3 * [f"{moment}"])),
        parts.link("tip", 0.1, "0.06 0 0.08", " ".join(3 * [f"{moment}"])),
        parts.joint("a", "revolute", "ground", "upper", "0 1 0"),
        parts.joint("b", "revolute", "upper", "lower", "0 0.6 0.8", origins[0]),
        parts.joint("c", "continuous", "lower", "wrist", "0 0 1", origins[1]),
        parts.joint("d", "continuous", "wrist", "tip", "0.6 0 0.8", origins[2]),
    )
    motion = JointMotion.torque({"d": 0.1}, free=["a", "b", "c"], qd0={"d": rate})
    spun = run(Scenario(arm, motion, 1e-3, 1e-4, "adaptive", gravity=(0.0, 0.0, 0.0)))
    faults = [one.name for one in check(spun) if not one.ok]
    assert set(faults) <= {"rated speed"}
    found = {one.name for one in check(spoiled(spun, "tau.a", 1e-5, 5, "analytic")) if not one.ok}
    assert {"recomputed torque", "Lagrange and Newton-Euler"} <= found
