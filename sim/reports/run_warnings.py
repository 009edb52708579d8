"""Warnings of a run, for the terminal and its page."""

from __future__ import annotations

from math import isinf

from sim.recording.schema.control_facts import ENCODER_STEPS
from sim.recording.schema.description import OVERLOAD, Run
from sim.recording.schema.horizon import comparison_horizon_text, horizon
from sim.robots.joint_limits import NO_RANGE, TINY
from sim.showing.one_line import shorten_list

# A peak this share of a step off a sample is between two; next to a corner it is nearer.
OFF_SAMPLE = 1e-4


def warnings(run: Run) -> list[str]:
    """Return overloads of the robot, and each warning once with the drives that it concerns.

    Questions about the input, such as a missing ``d`` of degrees, come first.
    """
    notes = [note for note in run.notes if _is_warning(note)]
    drives: dict[str, list[str]] = {}
    for drive in run.drives:
        for warning in dict.fromkeys(drive.warnings):
            drives.setdefault(warning, []).append(drive.joint)
    texts = [
        *_sensitivity_warnings(run),
        *_warn_of_flips(run),
        *notes,
        *_no_range(run),
        *_tiny_ratings(run),
        *(f"{', '.join(names)}: {warning}" for warning, names in drives.items()),
        *_between_samples(run),
    ]
    return sorted(texts, key=lambda text: not text.endswith("?"))


def _sensitivity_warnings(run: Run) -> list[str]:
    """Report a motion whose sensitivity to its start makes engine and model diverge, and when."""
    until, neighbour = horizon(run), run.settings.neighbour
    if until is None or neighbour is None:
        return []
    far = neighbour.position[-1] / neighbour.aside
    return [
        f"the free motion is sensitive to its start: an offset of {neighbour.aside:.0e} grows "
        f"{far:.0e} times; {comparison_horizon_text(run)}, the engine runs alone to the end"
    ]


def _warn_of_flips(run: Run) -> list[str]:
    """Report a difference between the encoder steps of engine and model, and its first time."""
    flips = [one for one in run.checks if one.name == ENCODER_STEPS and one.worst]
    if not flips:
        return []
    first = min(flips, key=lambda one: one.at)
    joint = first.channel.partition(".")[2]
    return [
        f"encoder steps of engine and analytic model differ from t = {first.at:.6g} s on, first "
        f"at {joint}: rounding flipped a bit; the two are compared up to that time"
    ]


def _no_range(run: Run) -> list[str]:
    """Report joints whose two limits are 0, as exporters write if no limits are given."""
    rows = run.robot.tree_coordinates
    names = [row.name for row in rows if row.limits.lower == row.limits.upper == 0.0]
    return [f"{', '.join(names)}: {NO_RANGE}"] if names else []


def _tiny_ratings(run: Run) -> list[str]:
    """Report ratings too small for a drive: placeholders of exporters for no rating."""
    return [
        f"{row.name}: rated {what} {rating:g} {unit} is close to zero; is it a placeholder for "
        "no rating?"
        for row in run.robot.tree_coordinates
        for what, rating, unit in (
            ("speed", row.limits.velocity, row.units.velocity),
            ("torque", row.limits.effort, row.units.effort),
        )
        if 0 < rating < TINY
    ]


def _between_samples(run: Run) -> list[str]:
    """Report drives whose peak torque or speed lies between samples and is in no table."""
    settings, texts = run.settings, []
    for drive in run.sizing:
        for what, point in (("torque", drive.peak_torque), ("speed", drive.peak_speed)):
            steps = point.t / settings.dt
            if abs(steps - round(steps)) > OFF_SAMPLE:
                texts.append(
                    f"{drive.joint}: the drive varies between samples: its peak {what} is at "
                    f"{point.t:.6g} s; RMS and energies miss it: use a smaller --dt"
                )
                break
    return texts


def _is_warning(note: str) -> bool:
    """Whether a note of a run is an overload, or a question about the input."""
    return note.startswith(OVERLOAD) or note.endswith("?")


def other_notes(run: Run) -> list[str]:
    """Return the notes of the run that are not warnings, and drives without a known rating."""
    return [*(note for note in run.notes if not _is_warning(note)), *_drives_without_rating(run)]


def _drives_without_rating(run: Run) -> list[str]:
    """Report drives whose rating is missing in the URDF or 0: they are not checked."""
    texts = []
    for what, key in (("torque", "effort"), ("speed", "velocity")):
        if names := [row.name for row in run.driven if isinf(getattr(row.limits, key))]:
            texts.append(f"not checked: no {what} rating for {shorten_list(names, 2)}")
    return texts
