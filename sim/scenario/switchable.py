"""Elements that events may switch: forces between markers, contacts, motors and joint drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.errors import ScenarioError
from sim.functions.expression import Expression
from sim.motion.joint_motion import JointMotion
from sim.motion.joint_path import Motion
from sim.motion.state_torque import StateTorque
from sim.scenario.scenario import Scenario

if TYPE_CHECKING:
    from sim.dynamics.force_element import ForceElement
    from sim.dynamics.marker_force import MarkerForce


def require_switchable(scenario: Scenario, name: str) -> None:
    """Check that events can switch the force, motor or drive of this name.

    Raises
    ------
    ScenarioError
        If they cannot; names those that can be switched.
    """
    forces = _switchable_forces(scenario)
    motors, motion = motors_of(scenario.motion), scenario.motion
    if name in forces:
        readers = [f.label for f in forces.values() if name in {x.name for x in f.read_forces()}]
        readers += [r.label for r in scenario.requests if name in {x.name for x in r.read_forces()}]
        if readers:
            raise ScenarioError(
                f"Force {name!r} is read by {readers[0]}, so that no event can switch it"
            )
        return
    if name in motors:
        return
    if isinstance(motion, JointMotion) and name in motion.drives:
        _require_switchable_drive(scenario, name, motion.drives[name][0])
        return
    known = ", ".join((*forces, *motors)) or "none"
    raise ScenarioError(
        f"An event switches {name!r}: it is neither a force between markers nor a contact of the "
        f"scenario nor a joint whose motor has a torque by a string; there are: {known}"
    )


def _require_switchable_drive(scenario: Scenario, name: str, level: str) -> None:
    """Check that a solver can take over a joint whose drive prescribes its motion."""
    robot = scenario.robot
    reasons = {
        "its torque is a table; give it as a string": level == "torque",
        f"method {scenario.method!r} moves all joints as prescribed; use method 'adaptive'": (
            scenario.method != "adaptive"
        ),
        "the robot has closed loops; give its motor a torque by a string, sim.JointMotion.torque": (
            bool(robot.loops)
        ),
        "it has an elastic gear; give its motor a torque by a string, sim.JointMotion.torque": (
            bool(robot.motor_rows)
        ),
        "a sampled controller moves it": scenario.controller is not None,
    }
    for reason, applies in reasons.items():
        if applies:
            raise ScenarioError(f"An event switches the drive of {name!r}, but {reason}")


def _switchable_forces(scenario: Scenario) -> dict[str, MarkerForce]:
    """Return the switchable forces by name: all between markers except springs of functions."""
    if not (scenario.forces or scenario.contacts):
        return {}
    from sim.dynamics.contact import GroundContact
    from sim.dynamics.force import VForce
    from sim.dynamics.sforce import SForce
    from sim.dynamics.shape_contact import Contact
    from sim.dynamics.spring import Bushing, Spring

    kinds = SForce | VForce | Spring | Bushing | Contact | GroundContact
    return {
        name_of(force): force
        for force in (*scenario.forces, *scenario.contacts)
        if isinstance(force, kinds) and not (isinstance(force, Spring) and force.force is not None)
    }


def name_of(force: ForceElement) -> str:
    """Return the name of a force in events, or the frame of a ground contact without a name."""
    return getattr(force, "name", "") or getattr(force, "frame", "")


def motors_of(motion: Motion) -> tuple[str, ...]:
    """Return the joints whose motors have a torque expression."""
    if not isinstance(motion, JointMotion):
        return ()
    return tuple(
        name
        for name, (level, function) in motion.drives.items()
        if level == "torque" and isinstance(function, Expression | StateTorque)
    )
