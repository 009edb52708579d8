"""What a run warns of: the same in the terminal and on its page."""

from __future__ import annotations

from sim.recording.description import OVERLOAD, Run
from sim.recording.horizon import compared_until, horizon


def warnings(run: Run) -> list[str]:
    """That the robot carries too much; and each warning once, with the drives it is about.

    A question is about the input itself, such as a missing ``d`` of degrees: it comes first.
    """
    loads = [note for note in run.notes if note.startswith(OVERLOAD)]
    drives: dict[str, list[str]] = {}
    for drive in run.drives:
        for warning in dict.fromkeys(drive.warnings):
            drives.setdefault(warning, []).append(drive.joint)
    told = [
        *_sensitive(run),
        *loads,
        *(f"{', '.join(names)}: {warning}" for warning, names in drives.items()),
    ]
    return sorted(told, key=lambda text: not text.endswith("?"))


def _sensitive(run: Run) -> list[str]:
    """That a motion makes so much of its start that engine and model part, and when."""
    until, neighbour = horizon(run), run.settings.neighbour
    if until is None or neighbour is None:
        return []
    far = neighbour.position[-1] / neighbour.aside
    return [
        f"the free motion is sensitive: a start {neighbour.aside:.0e} aside is {far:.0e} times as "
        f"far off at the end; {compared_until(run)}, the engine by itself to the end"
    ]


def other_notes(run: Run) -> list[str]:
    """The notes of the run that are no warnings."""
    return [note for note in run.notes if not note.startswith(OVERLOAD)]
