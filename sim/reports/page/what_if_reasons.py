"""Why a run's torques cannot be had for another payload or speed without simulating it."""

from __future__ import annotations

from collections.abc import Iterator

from sim.recording.schema.description import Run


def why_not(run: Run) -> str | None:
    """One sentence for a run that the formula of `what_if` does not fit; None where it does."""
    return next(_reasons(run), None)


def _reasons(run: Run) -> Iterator[str]:
    settings, joints = run.settings, run.robot.joints
    if settings.free:
        yield (
            f"{_list_joints(settings.free)} moved freely or by a controller, "
            "so that another payload would be another motion"
        )
    if settings.passive:
        yield f"closed loops move {_list_joints(settings.passive)}"
    if run.contacts:
        yield "contacts act on the links"
    if run.forces:
        yield "forces act on the links, which may follow time and not the path"
    if run.events:
        yield "a payload is picked up or set down during the run"
    if rubbing := [joint.name for joint in joints if joint.friction_law is not None]:
        yield f"the friction of {_list_joints(rubbing)} follows the load, which is not linear"
    if stopped := [joint.name for joint in joints if set(joint.forces) - {"spring"}]:
        yield f"end stops or other forces that are not linear act in {_list_joints(stopped)}"


def _list_joints(names: list[str] | tuple[str, ...]) -> str:
    more = f" and {len(names) - 2} more" if len(names) > 3 else ""
    first = names if len(names) <= 3 else names[:2]
    word = "joint" if len(names) == 1 else "joints"
    return f"{word} {', '.join(map(repr, first))}{more}"
