"""run: one scenario through the engine and through the analytic model, into a Recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sim import provenance
from sim.answer import Answer
from sim.channels import table
from sim.engine_answer import engine_answer
from sim.model_answer import model_answer
from sim.payload_events import PickUp
from sim.problem import Problem, problem_of
from sim.recording import Recording
from sim.reference import Reference
from sim.robots.contact import GroundContact
from sim.scenario import Method, Scenario
from sim.spatial import Array
from sim.units import unit_of

# (steps done, steps in all)
Progress = Callable[[int, int], None]


def run(
    scenario: Scenario,
    *,
    method: Method | None = None,
    dt: float | None = None,
    name: str = "scenario",
    progress: Progress | None = None,
) -> Recording:
    """Simulate a scenario and evaluate the analytic model at the same times.

    Parameters
    ----------
    scenario : Scenario
    method, dt : optional
        Replace the scenario's own.
    name : str
        What the run is called in its description.
    progress : callable, optional
        Told now and then how many engine steps of how many are done.

    Raises
    ------
    ScenarioError
        If a setting or a drive cannot be used.
    EngineError
        If the engine fails; names joint and time.
    """
    scenario = replace(
        scenario,
        method=scenario.method if method is None else method,
        dt=scenario.dt if dt is None else dt,
    )
    problem = problem_of(scenario)
    found, expected = engine_answer(problem, progress), model_answer(problem)
    recorded, analytic = table(problem, found), table(problem, expected)
    prismatic = [joint.name for joint in scenario.robot.joints if joint.is_prismatic]
    # The engine tells nothing of a tool frame that does not move.
    analytic = analytic[recorded.columns]
    info = {
        "scenario": name,
        "method": scenario.method,
        "settings": _settings(problem),
        "robot": provenance.robot_facts(problem.robot),
        "drives": scenario.motion.described(problem.robot, scenario.duration),
        "forces": [force.described() for force in scenario.forces],
        "contacts": [_contact_facts(contact) for contact in scenario.contacts],
        "measures": [vars(one) for one in scenario.measures],
        "events": _events(problem, found),
        "notes": list(scenario.notes),
        "claims": [vars(claim) for claim in scenario.claims],
        "units": {column: unit_of(column, prismatic) for column in recorded.columns},
        "provenance": provenance.of_this_process(),
    }
    return _with_reference(
        Recording(recorded, analytic, info, urdf=problem.robot.text), scenario.reference
    )


def _with_reference(recording: Recording, reference: Reference | None) -> Recording:
    """The recording with what another program computed beside it."""
    if reference is None:
        return recording
    table = recording.recorded
    reference.require_in(table.columns, table.index.to_numpy(dtype=np.float64))
    info = {**recording.info, "reference": reference.described()}
    return replace(recording, info=info, reference=reference.table)


def _contact_facts(contact: GroundContact) -> dict[str, Any]:
    return {**vars(contact), "at": np.asarray(contact.at).tolist()}


def _settings(problem: Problem) -> dict[str, Any]:
    scenario = problem.scenario
    names = zip(scenario.robot.joint_names, problem.path.free, strict=True)
    return {
        "duration": scenario.duration,
        "dt": scenario.dt,
        "samples": int(problem.t.size),
        "gravity": list(scenario.gravity),
        "corners": _corners(problem),
        "free": [name for name, is_free in names if is_free],
        "passive": [
            name
            for name, is_passive in zip(scenario.robot.joint_names, problem.passive, strict=True)
            if is_passive
        ],
        "tolerances": dict(scenario.tolerances),
        "path_tolerance": scenario.path_tolerance,
    }


def _events(problem: Problem, answer: Answer) -> list[dict[str, Any]]:
    """The payload events with the energies that come and go with them."""
    carriage, energies = problem.carriage, answer.energies
    facts = []
    for event in carriage.events:
        link = carriage.links[event.name]
        k, row = int(np.argmin(np.abs(problem.t - event.time))), energies.links.index(link)
        inertia = problem.robot.link(link).inertia
        picked = isinstance(event, PickUp)
        sign = 0.0 if k == 0 else 1.0 if picked else -1.0  # the energies are counted from the start
        facts.append(
            {
                "t": event.time,
                "kind": "pick up" if picked else "set down",
                "payload": event.name,
                "link": link,
                "mass": 0.0 if inertia is None else inertia.mass,
                "ke": sign * float(energies.ke[row, k]),
                "pe": sign * float(energies.pe[row, k]),
            }
        )
    return facts


def _corners(problem: Problem) -> list[float]:
    """Times where an acceleration jumps, or bends between two samples, or where a load changes."""
    loads = {float(t) for t in np.setdiff1d(problem.load_breaks, [0.0])}
    corners = problem.path.corners[problem.path.corners > 0]
    if not corners.size:
        return sorted(loads)
    dt = problem.scenario.dt
    off_grid = np.abs(corners / dt - np.rint(corners / dt)) > 1e-6
    beside = 1e-6 * dt
    before, after = (
        2 * _qdd(problem, corners + side * beside) - _qdd(problem, corners + 2 * side * beside)
        for side in (-1, 1)
    )
    jumps = np.abs(after - before) > 1e-6 * (1 + np.abs(after))
    return sorted({float(t) for t in corners[off_grid | jumps.any(axis=0)]} | loads)


def _qdd(problem: Problem, t: Array) -> Array:
    return problem.path.at(np.clip(t, 0.0, problem.scenario.duration)).qdd
