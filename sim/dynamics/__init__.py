"""Arm dynamics: pure functions over arrays whose last axis is time."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.dynamics.components import Components
    from sim.dynamics.constrained_dynamics import ConstrainedDynamics
    from sim.dynamics.contact import GroundContact
    from sim.dynamics.control_loop import ControlLoop, Sensed, sense_positions
    from sim.dynamics.counted_angle import CountedAngle
    from sim.dynamics.coupled_motors import coupled_motors_of
    from sim.dynamics.drive_trains import DriveTrains, drive_trains_of
    from sim.dynamics.element_sum import ElementSum
    from sim.dynamics.force_element import ElementState, ForceElement
    from sim.dynamics.friction import friction_torque
    from sim.dynamics.gravity import GRAVITY
    from sim.dynamics.hybrid import HybridDynamics, LagrangianDynamics
    from sim.dynamics.inertial_parameters import (
        change_of_frame,
        inertial_parameters,
        parameters_of,
        pseudo_inertia,
    )
    from sim.dynamics.integration import integrate
    from sim.dynamics.joint_ends import JointEnds
    from sim.dynamics.joint_forces import joint_force
    from sim.dynamics.linearise import LinearSystem, gravity_stiffness, linearise
    from sim.dynamics.marker_force import MarkerForce
    from sim.dynamics.reactions import Measure, Reaction, joint_reaction, measure
    from sim.dynamics.regressor import regressor
    from sim.dynamics.request import Request
    from sim.dynamics.request_reading import SolvedState
    from sim.dynamics.sampled import solve_motion
    from sim.dynamics.solved_motion import MotionSamples
    from sim.dynamics.statics import Equilibrium, at_rest, equilibrium
    from sim.dynamics.wrench import AppliedWrench, joint_torque
else:
    load_names_on_use(__name__)
