"""What a run's description does not contain, so that nothing is judged by it; as text."""

from __future__ import annotations

from sim.checks.control_law import has_unknown_law
from sim.checks.robot_by_description import unknown_forces
from sim.checks.run_view import RunView
from sim.checks.typed_drives import unknown_drives
from sim.recording.recording import Recording


def unjudged_forces(recording: Recording) -> list[str]:
    """That torques are not judged by the description, where a force is no expression."""
    frames = unknown_forces(RunView(recording))
    if not frames:
        return []
    return [
        f"the force on {', '.join(dict.fromkeys(frames))} is not an expression: torques are not "
        "checked "
        "against the description"
    ]


def unjudged_notes(recording: Recording) -> list[str]:
    """All of it: of forces, of drives and of laws of controllers that are a program's function."""
    drives = unknown_drives(RunView(recording))
    note = f"{', '.join(drives)}: not checked: the description has no expression for the motion"
    law = "not checked: commands of the controller, whose law is a program"
    is_law = has_unknown_law(RunView(recording))
    return [*unjudged_forces(recording), *([note] if drives else []), *([law] if is_law else [])]
