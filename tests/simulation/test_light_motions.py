"""Joints that move together next to no inertia: refused, or remarked with their names."""

import pytest

from sim.errors import ScenarioError
from sim.motion import JointMotion
from sim.robots import read_urdf
from sim.scenario import Scenario
from sim.simulation import run


def wrist(tensor):
    """A point of 1 kg beyond three hinges that meet, each body with these moments [kg·m²]."""
    bodies, last = "", "base"
    for k, axis in enumerate(("0 1 0", "1 0 0", "0 0 1"), 1):
        place = "0.1 0.1 0.3" if k == 3 else "0 0 0"
        bodies += (
            f'<link name="l{k}"><inertial><origin xyz="{place}"/><mass value="1"/><inertia '
            f'ixx="{tensor}" iyy="{tensor}" izz="{tensor}" ixy="0" ixz="0" iyz="0"/></inertial>'
            f'</link><joint name="j{k}" type="revolute"><parent link="{last}"/><child '
            f'link="l{k}"/><axis xyz="{axis}"/><limit lower="-2" upper="2" effort="99" '
            'velocity="9"/></joint>'
        )
        last = f"l{k}"
    robot = read_urdf(f'<robot name="wrist"><link name="base"/>{bodies}</robot>')
    drives = {f"j{k}": f"0.3*{k} + 0.1*time" for k in (1, 2, 3)}
    return Scenario(robot, JointMotion.displacement(drives), duration=0.01)


def test_joints_that_move_no_mass_together_are_all_named():
    with pytest.raises(
        ScenarioError, match="Joint 'j3' is driven and can move together with 'j1' at"
    ):
        run(wrist(0.0))


def test_a_run_says_which_joints_cost_the_engine_its_digits():
    (note,) = (one for one in run(wrist(1e-11)).run.notes if "inertia" in one)
    assert note.startswith("Moved together, j1, j3 have next to no inertia at t = ")
    assert "PyBullet loses 10 digits; give link 'l3' a larger tensor" in note
    assert not [one for one in run(wrist(1e-4)).run.notes if "inertia" in one]
