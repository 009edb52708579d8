"""What a run warns of: the same in the terminal and on its page."""

from __future__ import annotations

from sim.recording.description import OVERLOAD, Run

# What lies so much of a step off a sample is between two; what is beside a corner is nearer.
OFF_SAMPLE = 1e-4


def warnings(run: Run) -> list[str]:
    """That the robot carries too much; and each warning once, with the drives it is about.

    A question is about the input itself, such as a missing ``d`` of degrees: it comes first.
    """
    loads = [note for note in run.notes if note.startswith(OVERLOAD)]
    drives: dict[str, list[str]] = {}
    for drive in run.drives:
        for warning in dict.fromkeys(drive.warnings):
            drives.setdefault(warning, []).append(drive.joint)
    told = [*loads, *(f"{', '.join(names)}: {warning}" for warning, names in drives.items())]
    told += _between_samples(run)
    return sorted(told, key=lambda text: not text.endswith("?"))


def _between_samples(run: Run) -> list[str]:
    """That the peak torque or speed of a drive lies between two samples, which no table shows."""
    settings, told = run.settings, []
    for drive in run.sizing:
        for what, point in (("torque", drive.peak_torque), ("speed", drive.peak_speed)):
            steps = point.t / settings.dt
            if abs(steps - round(steps)) > OFF_SAMPLE:
                told.append(
                    f"{drive.joint}: this drive has content between samples, its peak {what} is at "
                    f"{point.t:.6g} s; RMS and energies do not see it: take a smaller --dt"
                )
                break
    return told


def other_notes(run: Run) -> list[str]:
    """The notes of the run that are no warnings."""
    return [note for note in run.notes if not note.startswith(OVERLOAD)]
