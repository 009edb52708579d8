"""A deck as files that can be edited and run: URDF, scenario script, and what was passed over."""

from __future__ import annotations

import re
from pathlib import Path

from sim.decks.deck_model import DURATION, STEP, DeckModel
from sim.decks.python_text import call_text, python_text
from sim.errors import RecordingError
from sim.recording.files.named_file import require_place, write_named
from sim.recording.files.whole_files import refusal

SCRIPT = '''"""{title}

The ADAMS deck {source} in SI units; written by sim, to be edited and run:

    sim run {name}.py

Duration and step are assumed: a deck has neither.
"""

from pathlib import Path

import sim

ROBOT = Path(__file__).with_name("{name}.urdf")
GRAVITY = {gravity}  # m/s², ACCGRAV
{forces}

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
        notes={notes},
    )


if __name__ == "__main__":
    sim.main(scenario)
'''


def convert(model: DeckModel, folder: Path) -> tuple[Path, ...]:
    """Write ``<name>.urdf``, ``<name>.py`` and ``<name>.skipped.txt`` of a deck into a folder.

    Raises
    ------
    RecordingError
        If a file cannot be written, or one of another origin stands there: then none is.
    """
    name = re.sub(r"\W", "_", Path(model.source).stem)
    texts = {
        f"{name}.urdf": model.urdf,
        f"{name}.py": script_text(model, name),
        f"{name}.skipped.txt": skipped_text(model),
    }
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
    """The scenario script of a deck."""
    title = model.deck.title.replace("\\", "/").replace('"', "'") or f"The deck {model.source}."
    return SCRIPT.format(
        title=title,
        source=model.source.replace("\\", "/").replace('"', "'"),
        name=name,
        gravity=python_text(model.deck.gravity),
        forces=_forces(model),
        friction=f".with_friction({python_text(model.friction)})" if model.friction else "",
        motion=_motion(model),
        method=python_text(model.method),
        notes=python_text(model.notes),
        duration=DURATION,
        dt=STEP,
    )


def skipped_text(model: DeckModel) -> str:
    """What of a deck has no place in the files, a line each."""
    lines = (*model.skipped, *(f"note: {note}" for note in model.deck.notes))
    return "\n".join(
        (f"Of {model.source} passed over (written by sim):", *(lines or ("nothing",)), "")
    )


def _forces(model: DeckModel) -> str:
    """The markers by name, and the forces between them."""
    if not model.forces:
        return "FORCES = ()\n"
    read = (marker for _, force in model.forces for marker in force.read_markers())
    named = {marker: f"MARKER_{marker.name.upper()}" for marker in dict.fromkeys(read)}
    lines = [f"{name} = {python_text(marker)}" for marker, name in named.items()]
    lines += ["", "FORCES = ("]
    for statement, force in model.forces:
        text = call_text(force, ",\n        ", "\n        ")  # type: ignore[arg-type]
        for marker, name in named.items():
            text = text.replace(python_text(marker), name)
        lines += [f"    # {statement.label}", f"    {text[:-1]},\n    ),"]
    return "\n".join([*lines, ")", ""])


def _motion(model: DeckModel) -> str:
    drives = model.drives
    own = {"q0": drives.q0, "qd0": drives.qd0, "free": list(drives.free)}
    start = ", ".join(f"{key}={python_text(one)}" for key, one in own.items() if one)
    splines = f"splines={python_text(drives.splines)}" if drives.splines else ""
    first = ", ".join(filter(None, (python_text(drives.drives["acceleration"]), start, splines)))
    lines = [f"    motion = sim.JointMotion.acceleration({first})"]
    for level in ("displacement", "velocity"):
        if drives.drives[level]:
            given = ", ".join(filter(None, (python_text(drives.drives[level]), splines)))
            lines.append(f"    motion |= sim.JointMotion.{level}({given})")
    return "\n".join(lines)
