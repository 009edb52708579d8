"""build_problem: creates a problem from a scenario; refuses what no method can solve."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from msgspec import structs

from sim.dynamics.counted_angle import angles_along, counted_angles, counted_in
from sim.dynamics.drive_trains import drive_trains_of
from sim.dynamics.friction import needs_reaction
from sim.errors import ScenarioError
from sim.kinematics.forward import Kinematics, frame_pose
from sim.kinematics.loop_equations import loop_equations
from sim.kinematics.state_reading import HALF_TURN
from sim.maths.arrays import Array
from sim.maths.pieces import pieces
from sim.motion.state_torque import TorqueOfState
from sim.robots.marker import Angle
from sim.scenario.payload_events import PickUp
from sim.scenario.scenario import Scenario
from sim.simulation.inertia_of_drives import (
    require_inertia_of_drives,
    require_possible_moments,
    require_some_mass,
)
from sim.simulation.payload_schedule import payload_schedule
from sim.simulation.problem import Problem
from sim.simulation.resource_limits import require_possible_sizes

OPENS = 1e-9  # m or rad opening of a loop per unit of a joint; less is rounding


def build_problem(
    scenario: Scenario, waiting: Sequence[PickUp] | None = None, angles: Iterable[Angle] = ()
) -> Problem:
    """Build the problem of a scenario.

    Parameters
    ----------
    waiting : sequence of PickUp, optional
        Payloads that have a link from the start; then events may be between samples.
    angles : iterable of Angle
        Further angles whose turns are counted.

    Raises
    ------
    ScenarioError, ModelError
        If its parts are inconsistent, or one of its events waits for a condition.
    """
    if scenario.conditions:
        raise ScenarioError(
            f"{scenario.conditions[0].label} happens when its condition becomes true, which only "
            "`sim run` and sim.run wait for; give what it does a time of its own"
        )
    t = scenario.times
    is_on_sample = waiting is None or scenario.method == "stepped"
    payloads = payload_schedule(
        scenario.robot, scenario.payload_events, t, waiting or (), is_on_sample=is_on_sample
    )
    path = scenario.motion.on(payloads.robot, scenario.duration)
    if scenario.controller is not None:
        path = scenario.controller.on(payloads.robot, path, scenario.dt)
    problem = Problem(scenario, path, payloads, t)
    require_some_mass(problem.robot)
    for element in scenario.elements:
        element.require_usable(problem.robot, scenario.duration)
    if scenario.elements:
        from sim.simulation.stiction import require_known_stiction

        require_known_stiction(problem)
    for measure in scenario.measures:
        measure.require(problem.robot)
    for request in scenario.requests:
        request.require_usable(problem.robot)
    problem = _with_states_for_motors(with_counted_angles(problem, angles))
    problem.wrenches(problem.prescribed_motion(t[:1]), problem.elements.start[:, None])
    _require_apart(problem)
    _require_method(problem)
    _require_moved_trains(problem)
    for part in pieces(t.size):
        require_possible_sizes(problem.robot, problem.prescribed_motion(t[part]))
    if not problem.method.solves_motion:
        require_inertia_of_drives(
            problem.robot,
            (stage.robot for stage in payloads.stages),
            problem.driven,
            problem.robot.q_tree(problem.prescribed_motion(t[:1]).q),
            marches=problem.method.is_discretised,
        )
    require_possible_moments(problem.robot)
    if problem.is_solved:  # else the checks of solvers need not be loaded
        from sim.simulation.fast_functions import require_slow_functions
        from sim.simulation.stiffness import require_affordable_steps

        require_affordable_steps(problem)
        require_slow_functions(problem)
    return problem


def _require_apart(problem: Problem) -> None:
    """Check that the shapes of contacts do not overlap at the start."""
    if not problem.scenario.elements:
        return
    from sim.dynamics.shape_contact import Contact

    contacts = [one for one in problem.scenario.elements if isinstance(one, Contact)]
    if contacts:
        start = problem.prescribed_motion(problem.t[:1])
        kinematics = problem.elements.at(
            start.t, start.q, start.qd, problem.elements.start[:, None]
        ).kinematics
        for contact in contacts:
            contact.require_start(start.t, kinematics)


def with_counted_angles(problem: Problem, others: Iterable[Angle] = ()) -> Problem:
    """Return the problem with counted turns for all angles in expressions, and for others.

    For a prescribed motion the angles are known: if all stay within half a turn none is counted.
    """
    is_prescribed = not problem.method.solves_motion
    if is_prescribed and problem.path.free.any():
        return problem
    scenario, robot, t = problem.scenario, problem.robot, problem.t
    q = problem.prescribed_motion(t[:1]).q
    counted = counted_angles(chain(_angles_read(problem), others), robot, q)
    if is_prescribed and counted:
        motion = problem.prescribed_motion(t)
        angles, _ = angles_along(counted, t, Kinematics(robot, motion.q, motion.qd))
        counted = counted if np.abs(angles).max() > np.pi - HALF_TURN else ()
    if not counted:
        return problem
    return structs.replace(problem, scenario=replace(scenario, forces=(*scenario.forces, *counted)))


def _angles_read(problem: Problem) -> Iterator[Angle]:
    """Yield AX, AY and AZ in expressions of forces, requests and motors."""
    scenario, motors = problem.scenario, problem.path.actuation
    yield from chain.from_iterable(one.read_angles() for one in scenario.elements)
    yield from chain.from_iterable(one.read_angles() for one in scenario.requests)
    if isinstance(motors, TorqueOfState):
        yield from motors.read_angles()


def _with_states_for_motors(problem: Problem) -> Problem:
    """Return the problem in which motors may read the states of force elements that they name."""
    if not isinstance(motors := problem.path.actuation, TorqueOfState):
        return problem
    names_read = {*motors.read_angles(), *motors.names_shared}
    states_read = tuple(name for name in problem.elements.state_rows if name in names_read)
    path = structs.replace(problem.path, actuation=replace(motors, other_states=states_read))
    return structs.replace(problem, path=path)


def _require_method(problem: Problem) -> None:
    """Check that the method can solve the problem."""
    for cause, remedy in _left_to_adaptive(problem):
        raise ScenarioError(f"{cause}; {remedy}use method 'adaptive'")
    if problem.is_solved and problem.robot.loops and not problem.is_closed_by_solver:
        _require_kept_loops(problem)
    if problem.method.solves_motion and problem.robot.loops:
        _require_known_friction(problem)


def _left_to_adaptive(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield the parts of a problem that its method cannot solve, with a remedy besides `adaptive`.

    Engine steps and prescribed states do not locate the times at which friction changes sense.
    """
    robot, scenario, method = problem.robot, problem.scenario, problem.method
    if method.solves_motion:
        return
    free = f"Joint {problem.first_free!r} is free"
    leaders = {one.joint for joint in robot.tree_joints if joint.mimic for one in joint.mimic.each}
    loose = [
        joint
        for joint, is_driven in zip(robot.tree_row_joints, problem.driven, strict=True)
        if not is_driven
    ]
    for joint in loose:
        if joint.mimic or joint.name in leaders:
            yield f"Joint {joint.name!r} is free and coupled by <mimic>", "drive it, or "
    unsolved = robot.tree_row_joints if method.is_discretised else loose
    if balls := [joint.name for joint in unsolved if joint.is_ball]:
        cause = f"is a ball, which method {method.name!r} does not solve for"
        yield f"Joint {balls[0]!r} {cause}", ""
    if problem.is_closed_by_solver:
        yield (
            f"{free} and robot {robot.name!r} has passive joints in closed loops",
            ("drive all others, or "),
        )
    if problem.elements.states > len(counted_in(scenario.elements)):
        yield (
            f"Force elements of robot {robot.name!r} have states of their own, which "
            f"method {method.name!r} does not integrate",
            "",
        )
    if problem.driven.all():
        return
    if not method.is_discretised:
        yield f"{free}; method 'ideal' needs every joint prescribed", "use method 'stepped', or "
    reasons = {
        **{
            f"joint {joint.name!r} has dry friction": True
            for joint in loose
            if joint.friction or joint.friction_law
        },
        "a joint has a friction law": needs_reaction(robot),
        **{element.title(robot): True for element in scenario.elements},
        "its payload changes": bool(scenario.events),
        "a torque drives it": problem.path.actuation is not None,
        "has a drive train": _acts_by_its_train(problem),
    }
    yield from ((f"{free} and {reason}", "") for reason, holds in reasons.items() if holds)


def _acts_by_its_train(problem: Problem) -> bool:
    """Whether a free joint has a drive train with more than a ratio."""
    if (trains := drive_trains_of(problem.robot)) is None:
        return False
    is_felt = trains.is_dry | (trains.inertia > 0) | (trains.viscous > 0)
    return bool((is_felt & problem.path.free).any())


def _require_moved_trains(problem: Problem) -> None:
    """Check that every drive train has a motor."""
    robot = problem.robot
    if (trains := drive_trains_of(robot)) is None:
        return
    for name, has_one, is_passive in zip(
        robot.row_names, trains.has_one, problem.passive, strict=True
    ):
        if has_one and is_passive:
            raise ScenarioError(
                f"Joint {name!r} of robot {robot.name!r} has a drive train and is passive: closed "
                "loops decide how it moves; leave the drive train out, or leave the joint out of "
                "its loop's passive and give its motor a torque, with method 'adaptive'"
            )


def _require_kept_loops(problem: Problem) -> None:
    """Check that loops without passive joints stay closed however the free joints move."""
    robot, free = problem.robot, problem.path.free
    q = problem.prescribed_motion(problem.t[:1]).q
    equations = loop_equations(robot, robot.q_tree(q))
    opened = np.abs(equations.J[..., 0] @ robot.coupling[0])[:, free]
    if opened.size and opened.max() > OPENS:
        row, joint = np.unravel_index(int(np.argmax(opened)), opened.shape)
        loop = robot.loops[equations.loop[row]].name
        name = [name for name, is_free in zip(robot.row_names, free, strict=True) if is_free][joint]
        raise ScenarioError(
            f"Loop {loop!r} of robot {robot.name!r} has no passive joints, and joint {name!r}, "
            "which nothing prescribes, opens it: list in the loop's passive the joints that "
            "follow the others through it"
        )


def _require_known_friction(problem: Problem) -> None:
    """Check that all loads on which friction in loops depends are determinate."""
    robot = problem.robot
    if needs_reaction(robot):
        from sim.dynamics.closed_positions import positions_about
        from sim.dynamics.loop_forces import undecided_loads

        start, held = problem.prescribed_motion(problem.t[:1]).q[:, 0], ~problem.solved_joints
        unknown = np.logical_and.reduce(
            [
                undecided_loads(robot, q, problem.free_in_loops)
                for q in positions_about(robot, start, held)
            ]
        )
        for joint, is_unknown in zip(robot.tree_row_joints, unknown, strict=True):
            if is_unknown and joint.has_load_friction:
                raise ScenarioError(
                    f"Friction of joint {joint.name!r} of robot {robot.name!r} follows its load, "
                    "which its closed loop does not decide: "
                    f"{_undecided_forces(problem, start)}, or give the law no inputs but "
                    '"preload"'
                )


def _undecided_forces(problem: Problem, q: Array) -> str:
    """Describe the loop forces that are undetermined at `q` (n,), and a remedy."""
    from sim.dynamics.loop_forces import UNHELD, balancing_forces

    robot = problem.robot
    forces = balancing_forces(robot, q, problem.free_in_loops)
    part = [
        loop
        for loop, force in zip(robot.loops, np.moveaxis(forces, 1, 0), strict=True)
        if (np.abs(force) > UNHELD).any()
    ]
    names, count = " and ".join(repr(loop.name) for loop in part), len(forces)
    why = f"{count} of the equations of {names} repeat{'s' if count == 1 else ''} others"
    _, sizes, axes = np.linalg.svd(forces[..., :3].reshape(-1, 3))
    if len(part) != 1 or np.count_nonzero(sizes > UNHELD) != 1:
        return (
            f"{why}, and forces that balance each other may load the joint; let a loop keep less, "
            "by another kind"
        )
    (loop,), normal = part, axes[0] * np.sign(axes[0, np.argmax(np.abs(axes[0]))])
    in_a = frame_pose(robot, q, loop.link_a)[:3, :3].T @ normal
    shown, in_link = (
        ", ".join(f"{x:g}" for x in np.round(vector, 6) + 0.0) for vector in (normal, in_a)
    )
    return (
        f"{why}, and its pin may press along ({shown}) of the world, however it was put together;"
        f' let the loop be a "point" with normal = [{in_link}], which leaves that open'
    )
