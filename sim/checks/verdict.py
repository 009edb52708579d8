"""judge and check: every general check of a recording, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from sim.checks.against_reference import against_reference
from sim.checks.agreement import agreement, energies, numbers, units
from sim.checks.by_law import forces_by_law
from sim.checks.clearance import clearance
from sim.checks.consistency import consistency
from sim.checks.convergence import convergence
from sim.checks.energy_balance import energy_balance_checks
from sim.checks.expected_channels import expected_channels
from sim.checks.formulations import formulations
from sim.checks.independent_results import independent_results
from sim.checks.judgement import Judgement
from sim.checks.jumps import jumps
from sim.checks.measured import measured_motion
from sim.checks.motion_rates import motion_rates
from sim.checks.motors import coupled_motors, motors
from sim.checks.own_description import own_description
from sim.checks.own_motion import own_motion
from sim.checks.ratings import drive_ratings, ratings
from sim.checks.reaction_agreement import cut_open, reactions
from sim.checks.run_view import RunView
from sim.checks.tool_agreement import forward_kinematics
from sim.checks.typed_drives import typed_drives
from sim.checks.watched import watched_errors
from sim.maths.arguments import checked
from sim.maths.pieces import is_one_piece, release_memory
from sim.recording.recording import Recording
from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.verdicts import Check


def control_and_its_law(view: RunView) -> Iterator[Judgement]:
    """Run the checks of a sampled controller; they are imported only for runs with one."""
    if isinstance(view.run.controller, ControllerFacts):
        from sim.checks.control import control
        from sim.checks.control_law import control_law

        yield from control(view)
        yield from control_law(view)


def conditions(view: RunView) -> Iterator[Judgement]:
    """Run the checks of events; they are imported only for runs with conditional events."""
    if view.run.conditions:
        from sim.checks.event_times import event_times

        yield from event_times(view)


def requests(view: RunView) -> Iterator[Judgement]:
    """Run the checks of requests; they are imported only for runs with requests."""
    if view.run.requests:
        from sim.checks.by_law import requests_by_law

        yield from requests_by_law(view)


def contacts(view: RunView) -> Iterator[Judgement]:
    """Run the checks of contacts; they are imported only for runs with contacts."""
    if view.run.contacts:
        from sim.checks.contacts import contact_depths, contact_impulses

        yield from contact_depths(view)
        yield from contact_impulses(view)


# Add the function of a new check here.
CHECKS: tuple[Callable[[RunView], Iterator[Judgement]], ...] = (
    numbers,
    units,
    jumps,
    expected_channels,
    consistency,
    typed_drives,
    own_description,
    forces_by_law,
    contacts,
    requests,
    conditions,
    motors,
    coupled_motors,
    control_and_its_law,
    independent_results,
    agreement,
    forward_kinematics,
    motion_rates,
    own_motion,
    energies,
    energy_balance_checks,
    formulations,
    reactions,
    cut_open,
    convergence,
    ratings,
    drive_ratings,
    clearance,
    against_reference,
    measured_motion,
)

# For a loop recorded by `sim.watch`: it has no energies and no tool of its own, and its motion
# consists of discrete steps, as the model's then does.
CHECKS_OF_WATCHED: tuple[Callable[[RunView], Iterator[Judgement]], ...] = (
    numbers,
    units,
    expected_channels,
    consistency,
    own_description,
    agreement,
    forward_kinematics,
    formulations,
    cut_open,
    ratings,
    watched_errors,
)


def verdict(checks: Iterable[Check]) -> Literal["pass", "fail"]:
    """Return the verdict on a run: ``pass`` if all checks are ok, else ``fail``."""
    return "pass" if all(check.ok for check in checks) else "fail"


@checked
def check(recording: Recording) -> tuple[Check, ...]:
    """Run all general checks of a recording, from its tables and description only.

    All values are numbers in the unit of their channel. Recorded against analytic: position,
    velocity, acceleration, torque, power, energies, tool and reactions. Recorded table alone: work
    against energy, convergence, and the joints' ratings. Analytic model: second formulations of
    torques and reactions, tool pose by its own joints, and consistency of positions, velocities and
    accelerations, of which the first two must not jump.

    Raises
    ------
    RecordingError
        If a channel that a check needs is missing.
    """
    return tuple(judgement.check for judgement in judgements(recording))


def judge(recording: Recording) -> tuple[Judgement, ...]:
    """Return the judgements of `check`, each with the curve whose largest value it reports.

    Raises
    ------
    RecordingError
        If a channel that a check needs is missing.
    """
    return tuple(judgements(recording))


def without_curves(recording: Recording) -> tuple[Judgement, ...]:
    """Return the judgements of `judge` without their curves, see `Judgement.without_curve`.

    Raises
    ------
    RecordingError
        If a channel that a check needs is missing.
    """
    t = recording.t
    return tuple(judgement.without_curve(t) for judgement in judgements(recording))


def judgements(recording: Recording) -> Iterator[Judgement]:
    """Yield the judgements of `judge` one by one: curves of a long run exceed the memory.

    Raises
    ------
    RecordingError
        If a channel that a check needs is missing.
    """
    return judgements_of(RunView(recording))


def judgements_of(view: RunView) -> Iterator[Judgement]:
    """Yield the judgements of `judgements`; the view keeps scales for further uses."""
    parts = CHECKS_OF_WATCHED if view.run.method == "watched" else CHECKS
    for part in parts:
        yield from part(view)
        if not is_one_piece(view.t.size):
            release_memory()
