"""Parts of a run that its description does not contain and no check covers, as text."""

from __future__ import annotations

from sim.checks.control_law import unchecked_sources
from sim.checks.robot_by_description import unknown_forces
from sim.checks.run_view import RunView
from sim.checks.typed_drives import unknown_drives
from sim.recording.recording import Recording
from sim.recording.schema.control_facts import ControllerFacts


def unjudged_forces(recording: Recording) -> list[str]:
    """Return notes on torques that cannot be checked because a force has no expression."""
    frames = unknown_forces(RunView(recording))
    if not frames:
        return []
    return [
        f"the force on {', '.join(dict.fromkeys(frames))} is not an expression: torques are not "
        "checked against the description"
    ]


def unjudged_notes(recording: Recording) -> list[str]:
    """Return notes on unjudged forces, drives and controllers, and on unavailable sources."""
    view = RunView(recording)
    drives = unknown_drives(view)
    note = f"{', '.join(drives)}: not checked: the description has no expression for the motion"
    sources = unchecked_sources(recording.run)
    of_drives = [note] if drives else []
    return [*unjudged_forces(recording), *of_drives, *_parts_of_controller(view), *sources]


def _parts_of_controller(view: RunView) -> list[str]:
    if not isinstance(view.run.controller, ControllerFacts):
        return []
    from sim.checks.control_law import unchecked_parts

    return unchecked_parts(view)
