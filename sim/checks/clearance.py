"""Distances between links and to a floor, against the required ones and a second solver's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.allowed_error import AllowedError
from sim.checks.judgement import Judgement, finite_or_none
from sim.checks.run_view import RunView
from sim.recording.schema.clearance_facts import ClearanceFacts, PairFacts
from sim.recording.schema.verdicts import Check

FLOOR = "floor"
SECOND = 1e-6  # [m] 8e-8 was measured; MuJoCo's meshes have single precision
ROUNDING = 1e-9  # [m] of the distance in two equal motions


def clearance(view: RunView) -> Iterator[Judgement]:
    """Check the smallest distances between links and to the floor, including between samples.

    No curve may be below the distance found with the bounds between samples. Distances from another
    library are compared with ours, and those on the engine's motion with those on the model's.
    Penetration depths from another library are not judged: those of MuJoCo are wrong by millimetres
    where parallel pieces overlap.
    """
    facts = view.run.settings.clearance
    if facts is None:
        return
    links = [pair for pair in facts.pairs if pair.first != FLOOR]
    floor = [pair for pair in facts.pairs if pair.first == FLOOR]
    for channel, pairs in (("clearance.links", links), ("clearance.floor", floor)):
        if pairs:
            yield _least(view, facts, channel, pairs[0])
    yield from _between_samples(view, facts)
    yield from _second_answers(view, facts, links)
    limit = AllowedError.of(lever=view.limits.position * facts.lever, rounding=ROUNDING)
    for channel in (name for name in facts.channels if name.startswith("clearance.")):
        yield view.judge_agreement("clearance of the motion", channel, limit)


def _least(view: RunView, facts: ClearanceFacts, channel: str, pair: PairFacts) -> Judgement:
    lowest, at = pair.distance - pair.left_over, pair.at
    error = None
    if view.has(channel):
        values = view.recorded_values(channel)
        error = facts.wanted - values
        k = int(np.argmin(values))
        if not values[k] >= lowest:  # a table below the recorded minimum
            lowest, at = float(values[k]), float(view.t[k])
    ok = bool(lowest >= facts.wanted)
    use = finite_or_none(facts.wanted / lowest) if lowest > 0 else None
    worst = min(pair.distance, lowest + pair.left_over)
    plot = channel if view.has(channel) else f"q.{view.row_names[0]}"
    check = Check("clearance", channel, worst, facts.wanted, "m", at, ok, use, plot)
    return Judgement(check, error, "end", 0.0, note=_note(pair))


def _note(pair: PairFacts) -> str:
    touch = "" if pair.first_touch is None else f", first touch at {pair.first_touch:.3f} s"
    return f"{pair.first} – {pair.second}{touch}, resolution {1e3 * pair.left_over:.2g} mm"


def _between_samples(view: RunView, facts: ClearanceFacts) -> Iterator[Judgement]:
    """Check that no sample of a curve is below the smallest distance that the search found."""
    of_channel: dict[str, PairFacts] = {}
    for pair in facts.pairs:  # in ascending order of distance
        of_channel[f"clearance.{pair.first}-{pair.second}"] = pair
        of_channel.setdefault(f"clearance.{'floor' if pair.first == FLOOR else 'links'}", pair)
    excesses = [
        (pair.distance - pair.left_over - view.recorded_values(channel), channel)
        for channel, pair in of_channel.items()
        if view.has(channel)
    ]
    if excesses:
        beyond, channel = max(excesses, key=lambda one: float(np.max(one[0])))
        error = np.where(np.isnan(beyond), beyond, np.maximum(beyond, 0.0))
        yield view.judge_errors("clearance between samples", channel, error, ROUNDING)


def _second_answers(
    view: RunView, facts: ClearanceFacts, pairs: list[PairFacts]
) -> Iterator[Judgement]:
    free = [pair for pair in pairs if pair.second_answer is not None and pair.distance > 0]
    if facts.second_by is None or not free:
        return
    differences = [abs((pair.second_answer or 0.0) - pair.distance) for pair in free]
    k = int(np.argmax(differences))
    worst, pair = float(differences[k]), free[k]
    channel = f"clearance.{pair.first}-{pair.second}"
    plot = channel if view.has(channel) else "clearance.links"
    name, note = "clearance by another library", f"{facts.by} and {facts.second_by}"
    note = f"{note}, {len(free)} pairs"
    yield Judgement.of_number(name, channel, worst, SECOND, "m", pair.at, plot=plot, note=note)
