"""Labels of overlaid runs: their differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from sim.comparison.changed_inputs import changed_inputs
from sim.recording.recording import Recording
from sim.recording.schema.description import Conditions
from sim.reports.page.comparison_tables import MACHINE
from sim.reports.page.html_tables import parameter_text
from sim.reports.page.quantity import number
from sim.showing.one_line import shorten_list

MOST = 3  # differences named in a label, before the number of others
LONGEST = 48  # letters of an uncut difference


def overlay_labels(run: Recording, others: Sequence[Recording]) -> list[str]:
    """Return a unique label for each of `others` on the page of `run`.

    A label has the values of the other run: ``load = 12, dt 2 ms``. A parameter, a method or a step
    also stands for its consequences; if none of these differs, the changed inputs are named, and
    without any difference the time of the run.
    """
    labels = [_label(run, other) for other in others]
    often = Counter(labels)
    labels = [
        f"{label} ({_time(other.run)})" if often[label] > 1 else label
        for label, other in zip(labels, others, strict=True)
    ]
    often = Counter(labels)
    return [f"{k}: {label}" if often[label] > 1 else label for k, label in enumerate(labels, 1)]


def own_label(run: Recording, others: Sequence[Recording]) -> str:
    """Return the label of `run` among these: its values that were chosen differently.

    Empty if that would not identify it: nothing was chosen differently.
    """
    words = dict.fromkeys(word for o in others for word in _choices(o.run, run.run))
    return shorten_list(list(words), MOST) if words else ""


def have_same_joints(run: Recording, other: Recording) -> bool:
    """Whether two runs have one robot, by names and kinds of its joints."""
    mine, theirs = (
        {joint.name: joint.kind for joint in side.run.robot.joints} for side in (run, other)
    )
    return mine == theirs


def _label(run: Recording, other: Recording) -> str:
    words = list(_choices(run.run, other.run)) or [
        _value(text) for text in changed_inputs(other, run) if not text.startswith(MACHINE)
    ]
    if words:
        return shorten_list(words, MOST)
    before, after = run.run.provenance.created, other.run.provenance.created
    age = "older" if _instant(after) < _instant(before) else "newer"
    return f"{age}: {_time(other.run)}"


def _choices(run: Conditions, other: Conditions) -> Iterator[str]:
    """Yield the settings in which two runs differ: scenario, parameters, method, step, time."""
    if other.scenario != run.scenario:
        yield other.scenario
        return
    for name in {**run.parameters, **other.parameters}:
        if name not in other.parameters:
            yield f"no {name}"
        elif name not in run.parameters or other.parameters[name] != run.parameters[name]:
            yield f"{name} = {parameter_text(other.parameters[name])}"
    if other.method != run.method:
        yield f"method {other.method}"
    if other.engine != run.engine:
        yield f"engine {other.engine}"
    if other.settings.dt != run.settings.dt:
        yield f"dt {number(1e3 * other.settings.dt)} ms"
    if other.settings.duration != run.settings.duration:
        yield f"duration {number(other.settings.duration)} s"


def _value(change: str) -> str:
    """Return the other run's part of a change as text: ``link arm mass 4.28 kg``."""
    what, separator, values = change.partition(": ")
    _, arrow, now = values.rpartition(" → ")
    text = f"{what} {now}" if separator and arrow and "[" not in values else change
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2].rstrip()} …"


def _instant(created: str) -> float:
    try:
        return datetime.fromisoformat(created).timestamp()
    except ValueError:
        return 0.0


def _time(run: Conditions) -> str:
    """Return the time of a run to the second, as in its description."""
    return run.provenance.created.replace("T", " ")[:19]
