import pytest

import sim
from sim.robots import read_urdf

ROD = """<robot name="rod"><link name="base"/>
  <link name="rod"><inertial><origin xyz="0.4 0 0"/><mass value="1"/>
    <inertia ixx="1e-2" iyy="1e-2" izz="1e-2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-7" upper="7" effort="50" velocity="1.2566370614359172"/></joint></robot>"""


@pytest.mark.parametrize("method", ["ideal", "stepped"])
@pytest.mark.parametrize(("drive", "holds"), [("36d+36d", True), ("72.00001d", False)])
def test_a_drive_may_run_at_its_rated_speed_of_72_degrees_a_second(method, drive, holds):
    """`stepped` records 3e-14 of it more: the rounding of a difference of positions."""
    motion = sim.JointMotion.velocity({"hinge": drive})
    run = sim.run(sim.Scenario(read_urdf(ROD), motion, duration=1.0, dt=0.01, method=method))
    (speed,) = (check for check in sim.check(run) if check.name == "rated speed")
    assert speed.ok is holds
    assert speed.used == pytest.approx(1.0, abs=2e-7)
    assert not holds or speed.used == 1.0
