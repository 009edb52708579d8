"""Reactions: recorded against analytic, and the model's against joints that are cut open."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.allowed_error import AllowedError
from sim.checks.expected_channels import WRENCH
from sim.checks.judgement import Judgement
from sim.checks.limits import CANCELLED, FORMULATIONS, FORMULATIONS_FLOOR
from sim.checks.near_singular_loops import wrench_through_loops
from sim.checks.run_tables import column
from sim.checks.run_view import RunView
from sim.checks.state_differences import StateDifferences
from sim.errors import RecordingError
from sim.maths.arrays import Array
from sim.recording.held_tables import analytic_of, as_held
from sim.recording.schema.channels import group_of
from sim.recording.schema.cut_instants import instants_to_cut
from sim.reference.alignment import samples_at

# Names of the checks, by the group of their channels.
NAMES = {"reaction": "reaction", "measure": "measured reaction", "loop": "loop closure force"}


def reactions(view: RunView) -> Iterator[Judgement]:
    """Agreement of each component of reactions, measures and forces in loops.

    The engine's are a law of the model on the engine's motion, so they are as near as torques are.
    The limit is relative to the length of the force or of the moment that the component belongs
    to: its axes turn with a link, and a component that is zero has what others leave in it.
    Where a solver closes loops, what differences of accelerations make of forces near a singular
    pose does not count (`near_singular_loops`).
    Measured on the shipped scenarios, of its limit: 0.3 (`stepped`, at a corner), 8e-4 (`ideal`),
    2e-4 (`adaptive`).
    """
    limits, propagation = view.limits, StateDifferences(view).of
    vectors = _vectors(view)
    sizes = {name: _length(view, parts) for name, parts in vectors.items()}
    through_loops = {kind: wrench_through_loops(view, kind) for kind in "fm"}
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
            check, follows = NAMES[group_of(part).name], through_loops[kind]
            yield view.judge_agreement(check, part, limit, follows, propagation)


def cut_open(view: RunView) -> Iterator[Judgement]:
    """The model's reactions against those that hold a joint cut open, at some of the samples.

    A sample that should be among them and is not fails: it has no number there. Both are exact, so
    the limit is rounding, of the force or moment in the joint and of what may cancel in it: the
    largest load in the arm. 3e-4 of it was seen in the shipped scenarios.

    Raises
    ------
    RecordingError
        If the recording has not got them.
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
    sizes = {name: _length(view, parts) for name, parts in vectors.items()}
    rounding = FORMULATIONS_FLOOR * max(_largest_load(view), 1.0)
    for name, parts in vectors.items():
        limit = AllowedError.of(exact=FORMULATIONS * sizes[name], rounding=rounding)
        for part in parts:
            error = np.zeros_like(view.t)  # where nothing had to be cut open nothing is wrong
            error[to_cut] = np.nan
            error[k] = np.abs(column(table, part) - view.analytic(part)[k])
            yield view.judge_errors("reaction of a released joint", part, error, limit)


def _largest_load(view: RunView) -> float:
    """Largest force [N], moment [N·m] or energy [J]: a body that flies on a string has no reaction.

    Its energy is of the size of the moments that turn it.
    """
    forces = (name for name in view.run.units if view.unit(name) in ("N", "N·m"))
    loads = (name for name in forces if group_of(name).name != "request" and view.has(name))
    largest = (float(np.fmax.reduce(np.abs(view.analytic(c)))) for c in (*loads, "ke", "pe"))
    return max(view.weight, *largest)


def _vectors(view: RunView) -> dict[str, list[str]]:
    """Components by what they belong to: ``reaction.elbow.f`` has ``reaction.elbow.fx`` and so on.

    The tension of a rod stands alone.
    """
    vectors: dict[str, list[str]] = {}
    for channel in map(str, analytic_of(view.recording).columns):
        if channel.partition(".")[0] in NAMES:
            is_component = channel.rpartition(".")[2] in WRENCH
            vectors.setdefault(channel[:-1] if is_component else channel, []).append(channel)
    return vectors


def _length(view: RunView, parts: list[str]) -> float:
    """Largest length of the vector with these components."""
    squares: Array = np.sum([view.analytic(part) ** 2 for part in parts], axis=0)
    return float(np.sqrt(np.max(squares)))
