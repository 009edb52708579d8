"""A deck as files to edit and run: URDF, loops, script, and a list of ignored statements."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.decks.deck_model import DURATION, STEP, DeckModel
from sim.decks.statements import Statement
from sim.errors import RecordingError
from sim.functions.spline import Spline
from sim.recording.files.named_file import require_place, write_named
from sim.recording.files.whole_files import refusal
from sim.scenario.events import Evaluate, When

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SCRIPT = '''"""{title}

The ADAMS deck {source} in SI units; written by sim, to be edited and run:

    sim run {name}.py

Duration and step are assumed: a deck has neither.
"""

from pathlib import Path

import sim

ROBOT = Path(__file__).with_name("{name}.urdf")
GRAVITY = {gravity}  # m/s², ACCGRAV
{forces}{requests}{events}

def scenario(duration: float = {duration!r}, dt: float = {dt!r}) -> sim.Scenario:
    """Run for `duration` [s], sampled every `dt` [s]."""
{motion}
    return sim.Scenario(
        sim.load_robot(ROBOT){friction},
        motion,
        duration=duration,
        dt=dt,
        method={method},
        gravity=GRAVITY,
        forces=FORCES,
        requests=REQUESTS,{with_events}
        model_names={names},
        notes={notes},
    )


if __name__ == "__main__":
    sim.main(scenario)
'''


def convert(model: DeckModel, folder: Path) -> tuple[Path, ...]:
    """Write ``<name>.urdf``, ``<name>.py`` and ``<name>.skipped.txt`` of a deck to a folder.

    Loops are written to ``<name>.loops.toml``; so is their absence if that file exists.

    Raises
    ------
    RecordingError
        If a file cannot be written, or one of another origin exists: then none is written.
    """
    name = re.sub(r"\W", "_", Path(model.source).stem)
    texts = {
        f"{name}.urdf": model.urdf,
        f"{name}.py": script_text(model, name),
        f"{name}.skipped.txt": skipped_text(model),
    }
    if model.loops or (folder / f"{name}.loops.toml").exists():
        texts[f"{name}.loops.toml"] = loops_text(model)
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordingError(f"Cannot write {folder}: {refusal(error)}") from None
    paths = {folder / file: text for file, text in texts.items()}
    try:
        for path in paths:
            require_place(path)
        for path, text in paths.items():
            write_named(path, text.encode("utf-8"))
    except RecordingError:
        if is_new and not any(folder.iterdir()):
            folder.rmdir()
        raise
    return tuple(paths)


def script_text(model: DeckModel, name: str) -> str:
    """Return the scenario script of a deck."""
    title = model.deck.title.replace("\\", "/").replace('"', "'") or f"The deck {model.source}."
    return SCRIPT.format(
        title=title,
        source=model.source.replace("\\", "/").replace('"', "'"),
        name=name,
        gravity=python_text(model.deck.gravity),
        forces=_forces(model),
        requests=_requests(model),
        events=_events(model),
        with_events="\n        events=EVENTS," if _kept_events(model) else "",
        friction=_friction(model),
        motion=_motion(model),
        method=python_text(model.method),
        names=_names(model),
        notes=python_text(model.notes),
        duration=DURATION,
        dt=STEP,
    )


def loops_text(model: DeckModel) -> str:
    """Return the loops file of a deck."""
    lines = [f"# Loops of {model.source}, an ADAMS deck; written by sim"]
    for loop in model.loops:
        values = {one.name: getattr(loop, one.name) for one in fields(loop)}
        lines += ["", "[[loop]]"]
        lines += [
            f"{key} = {python_text(list(value) if isinstance(value, tuple) else value)}"
            for key, value in values.items()
            if value is not None and not (isinstance(value, tuple) and not value)
        ]
    return "\n".join([*lines, *([] if model.loops else ["loop = []"]), ""])


def skipped_text(model: DeckModel) -> str:
    """Return the parts of a deck without counterpart in the files, one per line."""
    evaluating = [
        f"{event.label}: a SENSOR with EVALUATE; SENVAL is 0 in the script"
        for event in model.sensors.events
        if any(isinstance(action, Evaluate) for action in event.actions)
    ]
    lines = (*model.skipped, *(f"note: {note}" for note in model.deck.notes), *evaluating)
    return "\n".join(
        (f"Ignored statements of {model.source} (written by sim):", *(lines or ("nothing",)), "")
    )


def _forces(model: DeckModel) -> str:
    """Return the text of markers by name, and of the forces between them."""
    markers = _markers(model)
    lines = [f"{name} = {text}" for text, name in markers.items()]
    return "\n".join([*lines, *([""] if lines else []), _values("FORCES", model.elements, markers)])


def _friction(model: DeckModel) -> str:
    """Return the text of the robot's friction, which is not in its file."""
    return f".with_friction({python_text(model.friction)})" if model.friction else ""


def _requests(model: DeckModel) -> str:
    """Return the text of requests, with markers by name."""
    return _values("REQUESTS", model.requests.requests, _markers(model))


def _kept_events(model: DeckModel) -> list[When]:
    """Return the SENSOR events without actions that only a run of the deck itself supports."""
    events = []
    for event in model.sensors.events:
        actions = tuple(one for one in event.actions if not isinstance(one, Evaluate))
        if actions:
            events.append(replace(event, then=actions))
    return events


def _events(model: DeckModel) -> str:
    """Return the text of SENSOR events; empty without any."""
    if not (events := _kept_events(model)):
        return ""
    markers = _markers(model)
    lines = ["EVENTS = ("]
    for event in events:
        text = call_text(event, ",\n        ", "\n        ")
        for constructor, named in markers.items():
            text = text.replace(constructor, named)
        lines.append(f"    {text[:-1]},\n    ),")
    return "\n".join(["", *lines, ")", ""])


def _names(model: DeckModel) -> str:
    """Return the text of the deck's names of parts and joints."""
    text = call_text(model.names, ",\n            ", "\n            ")
    return f"{text[:-1]},\n        )"


def _markers(model: DeckModel) -> dict[str, str]:
    """Return the name of each marker in the script, keyed by its constructor call."""
    markers = [marker for _, element in model.elements for marker in element.read_markers()]
    for _, request in model.requests.requests:
        markers += [
            *request.names.markers,
            *(end for one in request.joints for end in (one.i, one.j)),
        ]
    return {python_text(one): f"MARKER_{one.name.upper()}" for one in dict.fromkeys(markers)}


def _values(
    name: str, values: Sequence[tuple[Statement, object]], markers: Mapping[str, str]
) -> str:
    """Return the text of a tuple of values, each with the statement it comes from."""
    if not values:
        return f"{name} = ()\n"
    lines = [f"{name} = ("]
    for statement, value in values:
        text = call_text(value, ",\n        ", "\n        ")  # type: ignore[arg-type]
        for constructor, named in markers.items():
            text = text.replace(constructor, named)
        lines += [f"    # {statement.label}", f"    {text[:-1]},\n    ),"]
    return "\n".join([*lines, ")", ""])


def _motion(model: DeckModel) -> str:
    drives = model.drives
    start_values = {"q0": drives.q0, "qd0": drives.qd0, "free": list(drives.free)}
    start = ", ".join(f"{key}={python_text(one)}" for key, one in start_values.items() if one)
    splines = f"splines={python_text(drives.splines)}" if drives.splines else ""
    first = ", ".join(filter(None, (python_text(drives.drives["acceleration"]), start, splines)))
    lines = [f"    motion = sim.JointMotion.acceleration({first})"]
    for level in ("displacement", "velocity"):
        if drives.drives[level]:
            arguments = ", ".join(filter(None, (python_text(drives.drives[level]), splines)))
            lines.append(f"    motion |= sim.JointMotion.{level}({arguments})")
    return "\n".join(lines)


def python_text(value: object) -> str:
    """Return an expression in names of `sim` whose value is `value`, with all digits.

    Dataclasses become calls without default arguments.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return call_text(value, ", ")
    if isinstance(value, Mapping):
        pairs = (f"{python_text(key)}: {python_text(one)}" for key, one in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | np.ndarray):
        return f"[{', '.join(map(python_text, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(python_text, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value.item() if isinstance(value, np.generic) else value)


def call_text(value: DataclassInstance, between: str, before: str = "") -> str:
    """Return the call that creates a dataclass of `sim`, with texts around its arguments."""
    if isinstance(value, Spline):
        name, values = "spline", {"t": value.knots, "y": value.values, **_unusual_options(value)}
    else:
        name = type(value).__name__
        values = {
            one.name: getattr(value, one.name)
            for one in fields(value)
            if not _is_default(one, getattr(value, one.name))
        }
    arguments = between.join(f"{key}={_argument(one, before)}" for key, one in values.items())
    return f"sim.{name}({before}{arguments})"


def _argument(value: object, before: str) -> str:
    """Return a value; a mapping of strings has one line per item if arguments have."""
    if not (before and isinstance(value, Mapping) and len(value) > 1):
        return python_text(value)
    inner = f"{before}    "
    pairs = (f"{python_text(key)}: {python_text(one)}" for key, one in value.items())
    return f"{{{inner}{f',{inner}'.join(pairs)},{before}}}"


def _unusual_options(value: Spline) -> dict[str, object]:
    names = {"kind": "cubic", "extrapolate": "polynomial"}
    return {
        key: getattr(value, key) for key, usual in names.items() if getattr(value, key) != usual
    }


def _is_default(field: Field[Any], value: object) -> bool:
    """Whether a field has its default; in a bushing one number stands for three."""
    if field.default is not MISSING:
        three = (field.default,) * 3 if isinstance(field.default, float) else None
        return bool(value is field.default or value in (field.default, three))
    return field.default_factory is not MISSING and value == field.default_factory()
