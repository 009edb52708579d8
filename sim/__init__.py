"""Simulation of robot arms in physics engines, verified against a Lagrangian model.

Names are loaded on first use, so that importing this package costs nothing and prints nothing.
"""

from __future__ import annotations

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
from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.capacity.fit_time import FitTime, fit_time
    from sim.capacity.largest_payload import LargestPayload, largest_payload
    from sim.capacity.rated_motion import RatedMotion
    from sim.capacity.time_optimal import TimeOptimal, time_optimal
    from sim.checks import check
    from sim.clearance.request import Clearance
    from sim.cli import main
    from sim.comparison import compare, compare_tables
    from sim.comparison.outcome import Comparison
    from sim.control import Cascade, ComputedTorque, PDGravity
    from sim.curves.curve import Curve
    from sim.curves.language import calculate
    from sim.dynamics.contact import GroundContact
    from sim.dynamics.contact_law import ContactLaw
    from sim.dynamics.contact_shape import ContactShape
    from sim.dynamics.control_loop import Sensed
    from sim.dynamics.drive_torque import forward_dynamics, inverse_dynamics
    from sim.dynamics.force import Force, VForce
    from sim.dynamics.inertial_parameters import inertial_parameters
    from sim.dynamics.joint_ends import JointEnds
    from sim.dynamics.lagrange import coriolis, gravity, mass_matrix
    from sim.dynamics.measured_force import measured_force
    from sim.dynamics.model_names import ModelNames
    from sim.dynamics.reactions import Measure
    from sim.dynamics.regressor import regressor
    from sim.dynamics.request import Request
    from sim.dynamics.sforce import SForce
    from sim.dynamics.shape_contact import Contact
    from sim.dynamics.spring import Bushing, Spring
    from sim.dynamics.states import States
    from sim.dynamics.statics import equilibrium
    from sim.functions import expression, spline
    from sim.functions.curves import heart
    from sim.functions.expression import Expression
    from sim.functions.spline import Spline
    from sim.functions.transfer_function import TransferFunction
    from sim.identification import Identification, Log, follow_log, identify
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
    from sim.robots.coupled_rotor import CoupledRotor
    from sim.robots.drive_train import DriveTrain
    from sim.robots.flexible_link import FlexibleLink
    from sim.robots.joint_friction import JointFriction
    from sim.robots.loop import Loop
    from sim.robots.marker import Marker
    from sim.robots.names import Names
    from sim.robots.spring import JointSpring, Stop
    from sim.scenario.claim import Claim
    from sim.scenario.controller import Controller
    from sim.scenario.events import Attach, EndRun, Release, StartMotion, SwitchOff, SwitchOn, When
    from sim.scenario.payload_events import PickUp, SetDown
    from sim.scenario.scenario import Scenario
    from sim.scenario.script import load_script
    from sim.shapes.mass_properties import MassProperties, inertia_of
    from sim.simulation.run_and_judge import run
    from sim.sizing import MotorSizing, read_gears, read_motors, size_motors
    from sim.studies.optimisation.optimise_function import optimise
    from sim.studies.study import StudyResult
    from sim.studies.sweep_function import sweep
    from sim.symbolic.equations import Equations, equations
    from sim.verification.case import Case, Expected, Source
    from sim.vibration.load_step import LoadStep, load_step
    from sim.vibration.modes import Modes, modes
    from sim.vibration.run_modes import RunModes, run_modes
    from sim.watching.watch import watch
    from sim.workspaces import Workspace, workspace
else:
    load_names_on_use(__name__)

__all__ = [
    "Attach",
    "Bushing",
    "Cascade",
    "Case",
    "Claim",
    "Clearance",
    "Comparison",
    "ComputedTorque",
    "Contact",
    "ContactLaw",
    "ContactShape",
    "Controller",
    "CoupledRotor",
    "Curve",
    "CurveError",
    "DeckError",
    "DriveTrain",
    "EndRun",
    "EngineError",
    "Equations",
    "Expected",
    "Expression",
    "ExpressionError",
    "FitTime",
    "FlexibleLink",
    "Force",
    "ForeignError",
    "GroundContact",
    "Growth",
    "Identification",
    "JointEnds",
    "JointFriction",
    "JointMotion",
    "JointSpring",
    "LargestPayload",
    "LoadStep",
    "Log",
    "Loop",
    "Marker",
    "MassProperties",
    "Measure",
    "ModelError",
    "ModelNames",
    "Modes",
    "MotorSizing",
    "Names",
    "PDGravity",
    "Payload",
    "PickUp",
    "PlaybackError",
    "PointMotion",
    "RatedMotion",
    "Recording",
    "RecordingError",
    "Reference",
    "Release",
    "Request",
    "Robot",
    "RunModes",
    "SForce",
    "Scenario",
    "ScenarioError",
    "Sensed",
    "SetDown",
    "SimError",
    "Source",
    "SourceError",
    "Spline",
    "Spring",
    "StartMotion",
    "States",
    "Stop",
    "StudyResult",
    "SwitchOff",
    "SwitchOn",
    "TimeOptimal",
    "TransferFunction",
    "VForce",
    "When",
    "Workspace",
    "adams_reference",
    "calculate",
    "check",
    "compare",
    "compare_tables",
    "coriolis",
    "equations",
    "equilibrium",
    "export",
    "expression",
    "fit_time",
    "follow_log",
    "forward_dynamics",
    "frame_pose",
    "gravity",
    "heart",
    "identify",
    "inertia_of",
    "inertial_parameters",
    "inverse_dynamics",
    "inverse_kinematics",
    "jacobian",
    "largest_payload",
    "load_robot",
    "load_script",
    "load_step",
    "main",
    "mass_matrix",
    "measured_force",
    "modes",
    "optimise",
    "play",
    "read_gears",
    "read_motors",
    "regressor",
    "report",
    "run",
    "run_modes",
    "size_motors",
    "spline",
    "sweep",
    "time_optimal",
    "watch",
    "workspace",
]
