"""Warnings of a run: the same in the terminal and on its page."""

from __future__ import annotations

from math import isinf

from sim.recording.schema.control_facts import ENCODER_STEPS
from sim.recording.schema.description import OVERLOAD, Run
from sim.recording.schema.horizon import comparison_horizon_text, horizon
from sim.robots.joint_limits import NO_RANGE, TINY

# What lies so much of a step off a sample is between two; what is next to a corner is nearer.
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
    texts = [
        *_sensitive(run),
        *_warn_of_flips(run),
        *loads,
        *_no_range(run),
        *_tiny_ratings(run),
        *(f"{', '.join(names)}: {warning}" for warning, names in drives.items()),
        *_between_samples(run),
    ]
    return sorted(texts, key=lambda text: not text.endswith("?"))


def _sensitive(run: Run) -> list[str]:
    """That a motion is so sensitive to its start that engine and model diverge, and when."""
    until, neighbour = horizon(run), run.settings.neighbour
    if until is None or neighbour is None:
        return []
    far = neighbour.position[-1] / neighbour.aside
    return [
        f"the free motion is sensitive: a start {neighbour.aside:.0e} aside is {far:.0e} times as "
        f"far off at the end; {comparison_horizon_text(run)}, the engine by itself to the end"
    ]


def _warn_of_flips(run: Run) -> list[str]:
    """That an encoder of the engine's once said another step than the model's, and when first."""
    flips = [one for one in run.checks if one.name == ENCODER_STEPS and one.worst]
    if not flips:
        return []
    first = min(flips, key=lambda one: one.at)
    joint = first.channel.partition(".")[2]
    return [
        f"the encoders of engine and model say different steps from t = {first.at:.6g} s on, first "
        f"that of {joint}: rounding flipped a bit, and the two are compared up to there"
    ]


def _no_range(run: Run) -> list[str]:
    """Joints whose two limits are 0: what exporters write that were given none."""
    rows = run.robot.tree_coordinates
    names = [row.name for row in rows if row.limits.lower == row.limits.upper == 0.0]
    return [f"{', '.join(names)}: {NO_RANGE}"] if names else []


def _tiny_ratings(run: Run) -> list[str]:
    """Ratings that are no drive's: a limit of nearly nothing that stands for none."""
    return [
        f"{row.name}: its rated {what} {rating:g} {unit} is nearly nothing; is it meant as none?"
        for row in run.robot.tree_coordinates
        for what, rating, unit in (
            ("speed", row.limits.velocity, row.units.velocity),
            ("torque", row.limits.effort, row.units.effort),
        )
        if 0 < rating < TINY
    ]


def _between_samples(run: Run) -> list[str]:
    """That the peak torque or speed of a drive lies between two samples, which no table shows."""
    settings, texts = run.settings, []
    for drive in run.sizing:
        for what, point in (("torque", drive.peak_torque), ("speed", drive.peak_speed)):
            steps = point.t / settings.dt
            if abs(steps - round(steps)) > OFF_SAMPLE:
                texts.append(
                    f"{drive.joint}: this drive has content between samples, its peak {what} is at "
                    f"{point.t:.6g} s; RMS and energies do not see it: take a smaller --dt"
                )
                break
    return texts


def other_notes(run: Run) -> list[str]:
    """The notes of the run that are no warnings, and drives that have no known rating."""
    return [
        *(note for note in run.notes if not note.startswith(OVERLOAD)),
        *_drives_without_rating(run),
    ]


def _drives_without_rating(run: Run) -> list[str]:
    """Drives whose URDF gives 0, or nothing, as a rating: no check judges them by it."""
    texts = []
    for what, key in (("torque", "effort"), ("speed", "velocity")):
        names = [row.name for row in run.driven if isinf(getattr(row.limits, key))]
        if names:
            more = f" and {len(names) - 2} more" if len(names) > 2 else ""
            texts.append(f"no rated {what} of {', '.join(names[:2])}{more}: no check judges it")
    return texts
