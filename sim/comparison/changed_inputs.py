"""What differs in the inputs of two runs, entry by entry of their descriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sim.recording.description import Run, plain

# What decides the numbers of a run. Not among them: when and where it was made, what was judged.
INPUTS = (
    "script",
    "parameters",
    "method",
    "engine",
    "settings",
    "robot",
    "drives",
    "forces",
    "contacts",
    "measures",
    "reference",
)
PROVENANCE = ("versions", "python", "platform")

# Where meshes lie changes no number; what the linter says and a card assumes are words.
IDLE = ("robot.mesh_folder", "robot.assumed", ".warnings")


@dataclass(frozen=True)
class ChangedInput:
    """An entry of a description that is not as it was; None where there is none.

    Parameters
    ----------
    entry : str
        Its place, such as ``robot.masses.payload``.
    before, now
        Plain data.
    """

    entry: str
    before: object
    now: object


def changed_inputs(run: Run, earlier: Run) -> tuple[ChangedInput, ...]:
    """Every input that decides the numbers of a run and is not as in the earlier one.

    Scripts and URDF are compared by their hashes; modules that a script imports are not known.
    """
    now, before = dict(_inputs(run)), dict(_inputs(earlier))
    return tuple(
        ChangedInput(entry, before.get(entry), now.get(entry))
        for entry in {**before, **now}
        if before.get(entry) != now.get(entry)
    )


def _inputs(run: Run) -> Iterator[tuple[str, object]]:
    content = plain(run)
    for name in INPUTS:
        yield from _leaves(name, content[name])
    for name in PROVENANCE:
        yield from _leaves(name, content["provenance"][name])


def _leaves(entry: str, value: object) -> Iterator[tuple[str, object]]:
    """Everything below an entry that holds nothing itself, with its place."""
    if any(part in entry for part in IDLE):
        return
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _leaves(f"{entry}.{name}", part)
    elif isinstance(value, list):
        for k, part in enumerate(value):
            yield from _leaves(f"{entry}.{k}", part)
    else:
        yield entry, value
