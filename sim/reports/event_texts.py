"""Texts of the events of a run."""

from __future__ import annotations

from sim.recording.schema.description import Run


def event_texts(run: Run) -> list[tuple[str, str]]:
    """Return time and condition, and effect, of each event, in order of time."""
    happened = [
        (one.recorded or 0.0 if one.t is None else one.t, event.condition, ", ".join(event.then))
        for event in run.conditions or ()
        for one in event.occurrences
    ]
    return [(f"{t:.9g} s, {condition}", then) for t, condition, then in sorted(happened)]


def event_times(run: Run) -> tuple[float, ...]:
    """Return the times at which conditions became true by the analytic model [s], ascending."""
    return tuple(
        sorted(
            one.t
            for event in run.conditions or ()
            for one in event.occurrences
            if one.t is not None
        )
    )
