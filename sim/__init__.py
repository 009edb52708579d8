"""Robot arms simulated in PyBullet from ADAMS-style drives, and proved against a Lagrangian model.

Names are loaded on first use, so that importing this package costs nothing and prints nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from sim.errors import (
    CurveError,
    DeckError,
    EngineError,
    ExpressionError,
    ForeignError,
    ModelError,
    PlaybackError,
    RecordingError,
    ScenarioError,
    SimError,
)

if TYPE_CHECKING:
    from sim.checks import check
    from sim.clearance.request import Clearance
    from sim.cli import main
    from sim.comparison import compare
    from sim.comparison.outcome import Comparison
    from sim.curves.curve import Curve
    from sim.curves.language import calculate
    from sim.dynamics.bushing import Bushing
    from sim.dynamics.contact import GroundContact
    from sim.dynamics.drive_torque import forward_dynamics, inverse_dynamics
    from sim.dynamics.force import Force
    from sim.dynamics.lagrange import coriolis, gravity, mass_matrix
    from sim.dynamics.measured_force import measured_force
    from sim.dynamics.reactions import Measure
    from sim.dynamics.sforce import SForce
    from sim.dynamics.spring import Spring
    from sim.dynamics.statics import equilibrium
    from sim.dynamics.vforce import VForce
    from sim.functions import expression, spline
    from sim.functions.curves import heart
    from sim.functions.expression import Expression
    from sim.functions.spline import Spline
    from sim.kinematics.forward import frame_pose
    from sim.kinematics.inverse import inverse_kinematics
    from sim.kinematics.jacobian import jacobian
    from sim.motion import JointMotion, PointMotion
    from sim.playback import play
    from sim.recording.recording import Recording
    from sim.reference.adams_results import adams_reference
    from sim.reference.limits import Growth, SourceError
    from sim.reference.reference import Reference
    from sim.reports.exports import export
    from sim.reports.writing import report
    from sim.robots import Payload, Robot, load_robot
    from sim.robots.drive_train import DriveTrain
    from sim.robots.joint_friction import JointFriction
    from sim.robots.marker import Marker
    from sim.robots.names import Names
    from sim.robots.spring import JointSpring
    from sim.robots.stop import Stop
    from sim.scenario.claim import Claim
    from sim.scenario.payload_events import PickUp, SetDown
    from sim.scenario.scenario import Scenario
    from sim.scenario.script import load_script
    from sim.shapes.mass_properties import MassProperties, inertia_of
    from sim.simulation.run_and_judge import run
    from sim.sizing import MotorSizing, read_gears, read_motors, size_motors
    from sim.studies.study import StudyResult
    from sim.studies.sweep_function import sweep
    from sim.symbolic.equations import Equations, equations
    from sim.vibration.load_step import LoadStep, load_step
    from sim.vibration.modes import Modes, modes
    from sim.vibration.run_modes import RunModes, run_modes
    from sim.workspaces import Workspace, workspace

_HOMES = {
    "Bushing": "sim.dynamics.bushing",
    "Claim": "sim.scenario.claim",
    "Clearance": "sim.clearance.request",
    "Comparison": "sim.comparison.outcome",
    "Curve": "sim.curves.curve",
    "DriveTrain": "sim.robots.drive_train",
    "Equations": "sim.symbolic.equations",
    "Expression": "sim.functions.expression",
    "Force": "sim.dynamics.force",
    "GroundContact": "sim.dynamics.contact",
    "Growth": "sim.reference.limits",
    "JointFriction": "sim.robots.joint_friction",
    "JointMotion": "sim.motion",
    "JointSpring": "sim.robots.spring",
    "MassProperties": "sim.shapes.mass_properties",
    "Marker": "sim.robots.marker",
    "Measure": "sim.dynamics.reactions",
    "MotorSizing": "sim.sizing",
    "Names": "sim.robots.names",
    "LoadStep": "sim.vibration.load_step",
    "Modes": "sim.vibration.modes",
    "Payload": "sim.robots",
    "PickUp": "sim.scenario.payload_events",
    "PointMotion": "sim.motion",
    "Recording": "sim.recording.recording",
    "Reference": "sim.reference.reference",
    "Robot": "sim.robots",
    "SForce": "sim.dynamics.sforce",
    "RunModes": "sim.vibration.run_modes",
    "Scenario": "sim.scenario.scenario",
    "SetDown": "sim.scenario.payload_events",
    "SourceError": "sim.reference.limits",
    "Spline": "sim.functions.spline",
    "Spring": "sim.dynamics.spring",
    "Stop": "sim.robots.stop",
    "StudyResult": "sim.studies.study",
    "VForce": "sim.dynamics.vforce",
    "Workspace": "sim.workspaces",
    "adams_reference": "sim.reference.adams_results",
    "calculate": "sim.curves.language",
    "check": "sim.checks",
    "compare": "sim.comparison",
    "coriolis": "sim.dynamics.lagrange",
    "equations": "sim.symbolic.equations",
    "equilibrium": "sim.dynamics.statics",
    "export": "sim.reports.exports",
    "expression": "sim.functions",
    "forward_dynamics": "sim.dynamics.drive_torque",
    "frame_pose": "sim.kinematics.forward",
    "gravity": "sim.dynamics.lagrange",
    "heart": "sim.functions.curves",
    "inertia_of": "sim.shapes.mass_properties",
    "inverse_dynamics": "sim.dynamics.drive_torque",
    "inverse_kinematics": "sim.kinematics.inverse",
    "jacobian": "sim.kinematics.jacobian",
    "load_robot": "sim.robots",
    "load_script": "sim.scenario.script",
    "load_step": "sim.vibration.load_step",
    "main": "sim.cli",
    "mass_matrix": "sim.dynamics.lagrange",
    "measured_force": "sim.dynamics.measured_force",
    "modes": "sim.vibration.modes",
    "play": "sim.playback",
    "read_gears": "sim.sizing",
    "read_motors": "sim.sizing",
    "report": "sim.reports.writing",
    "run": "sim.simulation.run_and_judge",
    "run_modes": "sim.vibration.run_modes",
    "size_motors": "sim.sizing",
    "spline": "sim.functions",
    "sweep": "sim.studies.sweep_function",
    "workspace": "sim.workspaces",
}

__all__ = [
    "Bushing",
    "Claim",
    "Clearance",
    "Comparison",
    "Curve",
    "CurveError",
    "DeckError",
    "DriveTrain",
    "EngineError",
    "Equations",
    "Expression",
    "ExpressionError",
    "Force",
    "ForeignError",
    "GroundContact",
    "Growth",
    "JointFriction",
    "JointMotion",
    "JointSpring",
    "LoadStep",
    "Marker",
    "MassProperties",
    "Measure",
    "ModelError",
    "Modes",
    "MotorSizing",
    "Names",
    "Payload",
    "PickUp",
    "PlaybackError",
    "PointMotion",
    "Recording",
    "RecordingError",
    "Reference",
    "Robot",
    "RunModes",
    "SForce",
    "Scenario",
    "ScenarioError",
    "SetDown",
    "SimError",
    "SourceError",
    "Spline",
    "Spring",
    "Stop",
    "StudyResult",
    "VForce",
    "Workspace",
    "adams_reference",
    "calculate",
    "check",
    "compare",
    "coriolis",
    "equations",
    "equilibrium",
    "export",
    "expression",
    "forward_dynamics",
    "frame_pose",
    "gravity",
    "heart",
    "inertia_of",
    "inverse_dynamics",
    "inverse_kinematics",
    "jacobian",
    "load_robot",
    "load_script",
    "load_step",
    "main",
    "mass_matrix",
    "measured_force",
    "modes",
    "play",
    "read_gears",
    "read_motors",
    "report",
    "run",
    "run_modes",
    "size_motors",
    "spline",
    "sweep",
    "workspace",
]


if not TYPE_CHECKING:  # a type checker shall not take any name for one of these

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            value = getattr(importlib.import_module(_HOMES[name]), name)
            globals()[name] = value
            return value
        raise AttributeError(f"module 'sim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
