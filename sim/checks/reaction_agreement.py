"""Reactions: recorded against analytic, and the model's against those of joints cut open."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.allowed_error import AllowedError
from sim.checks.corner_motion import CornerMotion
from sim.checks.expected_channels import WRENCH
from sim.checks.formulations import largest_load, rounding_of_motion
from sim.checks.judgement import Judgement
from sim.checks.limits import CANCELLED, FORMULATIONS, FORMULATIONS_FLOOR
from sim.checks.near_singular_loops import wrench_through_loops
from sim.checks.run_tables import column
from sim.checks.run_view import RunView
from sim.checks.state_differences import StateDifferences
from sim.errors import RecordingError
from sim.recording.held_tables import analytic_of, as_held
from sim.recording.schema.channels import group_of
from sim.recording.schema.cut_instants import instants_to_cut
from sim.reference.alignment import samples_at

# Names of the checks, by channel group.
NAMES = {"reaction": "reaction", "measure": "measured reaction", "loop": "loop closure force"}


def reactions(view: RunView) -> Iterator[Judgement]:
    """Check each component of reactions, measures and forces in loops.

    The engine's reactions follow from a law of the model and the engine's motion, so that their
    tolerance is that of torques. The limit is relative to the length of the force or moment vector:
    its axes turn with a link, and a zero component contains contributions of the others. If loops
    are solved, the effect of acceleration differences on forces near a singular pose is subtracted
    (`near_singular_loops`). Fraction of the limit, measured on the shipped scenarios: 0.3
    (`stepped`, at a corner), 8e-4 (`ideal`), 2e-4 (`adaptive`).
    """
    limits, propagation = view.limits, StateDifferences(view).of
    vectors = _vectors(view)
    sizes = {name: view.length(tuple(parts)) for name, parts in vectors.items()}
    through_loops = {kind: wrench_through_loops(view, kind) for kind in "fm"}
    corners = CornerMotion(view)
    for name, parts in vectors.items():
        unit = view.unit(parts[0])
        kind = "m" if unit == "N·m" else "f"
        highest = max(sizes[other] for other, of in vectors.items() if view.unit(of[0]) == unit)
        bend = max(view.curvature(part) for part in parts)
        limit = AllowedError.of(
            method=limits.torque * sizes[name],
            discretisation=limits.bend_torque * bend,
            floor=limits.floor * highest,
            rounding=view.wrench_noise(kind) + CANCELLED * max(sizes.values()),
        )
        for part in parts:
            check, follows, reason = (
                NAMES[group_of(part).name],
                through_loops[kind],
                "singular_loops",
            )
            if follows is None:
                follows, reason = corners.reaction(part), "corner"
            yield view.judge_agreement(check, part, limit, follows, propagation, reason)


def cut_open(view: RunView) -> Iterator[Judgement]:
    """Check the model's reactions against those that hold a joint cut open, at some samples.

    A sample without such a value fails. Both sides are exact, so the limit is rounding of the force
    or moment in the joint and of cancelling terms, relative to the largest load in the arm. 3e-4 of
    the limit was observed in the shipped scenarios.

    Raises
    ------
    RecordingError
        If the recording does not contain them.
    """
    table = as_held(view.recording, "cut_open")
    if table is None:
        raise RecordingError(
            "The recording has no reactions of joints that are cut open; run the scenario again"
        )
    t = table.index.to_numpy(dtype=np.float64)
    k = samples_at(view.t, t)
    components = [f"{kind}{c}" for kind in "fm" for c in "xyz"]
    reacting = (joint.name for joint in view.joints)
    joints = [n for n in reacting if view.has(*(f"reaction.{n}.{c}" for c in components))]
    to_cut = instants_to_cut(analytic_of(view.recording), joints)
    vectors = {name: parts for name, parts in _vectors(view).items() if name[0] == "r"}
    sizes = {name: view.length(tuple(parts)) for name, parts in vectors.items()}
    _, rounded = rounding_of_motion(view)
    floor = FORMULATIONS_FLOOR * max(largest_load(view), 1.0)
    for name, parts in vectors.items():
        rounding = floor + rounded[name[-1]]
        limit = AllowedError.of(exact=FORMULATIONS * sizes[name], rounding=rounding)
        for part in parts:
            error = np.zeros_like(view.t)  # no error at samples without a cut
            error[to_cut] = np.nan
            error[k] = np.abs(column(table, part) - view.analytic(part)[k])
            yield view.judge_errors("reaction of a released joint", part, error, limit)


def _vectors(view: RunView) -> dict[str, list[str]]:
    """Return components by vector: ``reaction.elbow.f`` has ``reaction.elbow.fx`` and so on.

    The tension of a rod is a vector by itself.
    """
    vectors: dict[str, list[str]] = {}
    for channel in map(str, analytic_of(view.recording).columns):
        if channel.partition(".")[0] in NAMES:
            is_component = channel.rpartition(".")[2] in WRENCH
            vectors.setdefault(channel[:-1] if is_component else channel, []).append(channel)
    return vectors
