"""Scenarios: model, method of solution, and claims in addition to the general checks."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.dynamics.contact import GroundContact
    from sim.dynamics.force import Force
    from sim.dynamics.reactions import Measure
    from sim.robots.joint_friction import JointFriction
    from sim.robots.payload import Payload
    from sim.robots.spring import JointSpring, Stop
    from sim.scenario.claim import Claim
    from sim.scenario.controller import Controller
    from sim.scenario.events import Attach, EndRun, Release, StartMotion, SwitchOff, SwitchOn, When
    from sim.scenario.payload_events import PayloadEvent, PickUp, SetDown
    from sim.scenario.scenario import Scenario
    from sim.scenario.script import Script, load_script, script_of
else:
    load_names_on_use(__name__)
