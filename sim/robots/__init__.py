"""Robots: content of a URDF and its card, as frozen values."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.robots.coordinate import Coordinate, Limits
    from sim.robots.drive_train import DriveTrain
    from sim.robots.inertia import Inertia, Link
    from sim.robots.joint import Joint, JointForce, Mimic
    from sim.robots.joint_friction import JointFriction
    from sim.robots.loading import load_robot, read_urdf, shipped_robots
    from sim.robots.loop import Loop
    from sim.robots.loop_kinds import LOOP_KINDS
    from sim.robots.marker import Marker
    from sim.robots.names import Names
    from sim.robots.payload import Payload
    from sim.robots.repair import Repair
    from sim.robots.robot import Robot
    from sim.robots.spring import Stop
    from sim.robots.twist_law import TwistLaw
else:
    load_names_on_use(__name__)
