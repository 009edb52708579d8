"""Internal consistency of the engine's motion, where it is not comparable with the model's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
import numpy as np
from msgspec.structs import replace

from sim.checks.formulations import formulations
from sim.checks.judgement import Judgement
from sim.checks.motion_rates import FEWEST, rates_of
from sim.checks.robot_by_description import known_elements
from sim.checks.run_view import RunView
from sim.checks.tool_agreement import forward_kinematics
from sim.maths.sampling import SAME_TIME
from sim.recording.held_tables import recorded_of
from sim.recording.schema.facts import NeighbourFacts
from sim.recording.schema.horizon import ASIDE, horizon

LEAST = 10  # samples at which engine and model must be compared


def own_motion(view: RunView) -> Iterator[Judgement]:
    """Apply checks of the model's table to the recorded one; nothing if the two are fully compared.

    Beyond `sim.recording.schema.horizon` two correct solutions diverge. An engine that is wrong
    there is detected by accelerations that violate the Newton–Euler equations of its own state, by
    positions that are not the integral of its velocities, and by its energy, see
    `energy_balance_checks`.
    """
    neighbour = view.run.settings.neighbour
    if neighbour is None:
        return
    yield _neighbour(view, neighbour)
    by_recorded = RunView(view.recording.having(analytic=recorded_of(view.recording)))
    judgements = [*formulations(by_recorded), *forward_kinematics(by_recorded)]
    if not _is_thrown(view) and view.t.size >= FEWEST:
        judgements += rates_of(by_recorded, view.tree_row_names)
    for judgement in judgements:
        name = f"{judgement.check.name} of engine"
        yield replace(judgement, check=msgspec.structs.replace(judgement.check, name=name))


def _neighbour(view: RunView, neighbour: NeighbourFacts) -> Judgement:
    """Count errors in the neighbouring solution, which determines the period of comparison."""
    t, until = np.asarray(neighbour.t), horizon(view.run)
    rows = (neighbour.position, neighbour.velocity)
    compared = view.t.size if until is None else np.count_nonzero(view.t <= until + SAME_TIME)
    faults = (
        not (view.run.solved_by.solves_motion and view.run.settings.free),
        neighbour.aside != ASIDE,
        t.size < 2 or any(len(row) != t.size for row in rows),
        bool(np.any(~(np.diff(t) > 0))),
        any(bool(np.any(~(np.diff(row) >= 0))) for row in rows),
        compared < min(LEAST, view.t.size),
    )
    return view.judge_count("neighbouring start", f"q.{view.row_names[0]}", sum(map(bool, faults)))


def _is_thrown(view: RunView) -> bool:
    """Whether an acceleration may jump between two samples, or at one.

    Causes are a stop, the ground, dry friction in a joint or drive train, or a sampled controller.
    """
    joints = view.joints
    has_dry_friction = any(joint.friction or joint.friction_law for joint in joints)
    has_dry_friction = has_dry_friction or any(
        joint.drive and _is_dry(joint.drive) for joint in joints
    )
    strikes = any(element.is_sudden for element in known_elements(view, view.robot).elements)
    is_sampled = view.run.controller is not msgspec.UNSET
    return bool(has_dry_friction or strikes or is_sampled or any(joint.forces for joint in joints))


def _is_dry(drive: Mapping[str, float | bool | None]) -> bool:
    """Whether the losses of a drive train jump when its joint reverses."""
    loses = any(drive[name] not in (1.0, None) for name in ("efficiency", "efficiency_back"))
    return bool(loses or drive["coulomb"] or drive["coulomb_back"])
